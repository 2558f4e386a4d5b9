import type { Tally } from './results';

/** A number as people read it, such as 12,340. */
export function count(number: number): string {
	return number.toLocaleString('en-US');
}

/** How many items failed in which way, such as "3 rejected, 1 may have been sent"; '' when none did. */
export function failedKinds({ rejected, unsent, unknown }: Tally): string {
	return [
		...(rejected > 0 ? [`${count(rejected)} rejected`] : []),
		...(unsent > 0 ? [`${count(unsent)} not sent`] : []),
		...(unknown > 0 ? [`${count(unknown)} may have been sent`] : []),
	].join(', ');
}
