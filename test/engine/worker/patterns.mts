/**
 * How n8n matches parameters against the description's patterns before an execution. It limits each match to a quarter
 * of a second of real time, and fails the execution on a busy machine. Here there is no limit.
 */
import { n8n } from './n8n.mts';

/** Removes n8n's limit for matching; an older n8n has none. */
export function matchWithoutHaste(): void {
	const { setSafeRegexEngine }: Partial<typeof n8n> = n8n;
	setSafeRegexEngine?.({
		exec: (pattern, input, flags) => new RegExp(pattern, flags).exec(input),
		test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
		replace: (pattern, input, flags, replacement) => input.replace(new RegExp(pattern, flags), replacement),
		matchAll: (pattern, input, flags = '') =>
			Array.from(input.matchAll(new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`))),
		split: (pattern, input, flags) => input.split(new RegExp(pattern, flags)),
	});
}
