import { codesIn } from './expressions';

/** What the expressions of a once key read, and what follows for the runs of a workflow. */

/** What code reads: the variables of n8n, and the clock. */
const READ = /(?<![\w$])\$[\w$]*|\b(?:Date|DateTime|Math)\b/g;
/** What counts items and runs, without a word on what a message is about. */
const PLACES = ['$itemIndex', '$runIndex', '$execution', '$workflow'];
/** What is the same in all runs. */
const CONSTANTS = ['$vars', '$env', '$secrets', '$nodeId', '$nodeVersion'];

function readIn(saved: unknown): string[] {
	return codesIn(saved).flatMap((code) => code.match(READ) ?? []);
}

/** Whether the expressions of a key read nothing but the place of an item: the item, the run, the execution. */
export function isPlaceOnly(saved: unknown): boolean {
	return isSameInEveryRun(saved) && readIn(saved).some((name) => PLACES.includes(name));
}

/** Whether a key is fixed: it has no expressions, or they read only what never changes. */
export function isSameInEveryRun(saved: unknown): boolean {
	return readIn(saved).every((name) => [...PLACES, ...CONSTANTS].includes(name));
}
