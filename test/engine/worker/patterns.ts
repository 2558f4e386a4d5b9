/**
 * How n8n holds parameters against the patterns of a description before it executes. It gives each match a quarter of a
 * second by the clock, and fails the execution when a busy machine takes longer: here it takes its time.
 */
import { n8n } from './n8n.ts';

/** Makes n8n match without that limit; an older n8n has none. */
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
