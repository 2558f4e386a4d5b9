import { codesIn } from './expressions';
import { pathsIn } from './paths';

/** What the expressions of a once key read, and what follows for the runs of a workflow. */

/** What code reads: the variables of n8n, and the clock. */
const READ = /(?<![\w$])\$[\w$]*|\b(?:Date|DateTime|Math)\b/g;
/** What counts items and runs, without a word on what a message is about. */
const PLACES = ['$itemIndex', '$runIndex', '$execution', '$workflow'];
/** What is the same in all runs. */
const CONSTANTS = ['$vars', '$env', '$secrets', '$nodeId', '$nodeVersion'];

/** The place of an item in a sheet, as n8n adds it to the fields of a row. */
const ROW_NUMBER = /(?:\.|\[['"])row_number(?:['"]\])?$/;

function readIn(saved: unknown): string[] {
	return codesIn(saved).flatMap((code) => {
		const rows = pathsIn(code).filter((path) => ROW_NUMBER.test(path));
		const others = rows.reduce((rest, path) => rest.replace(path, ''), code);
		return [...rows.map(() => '$itemIndex'), ...(others.match(READ) ?? [])];
	});
}

/** Whether the expressions of a key read nothing but the place of an item: the item, the run, the execution. */
export function isPlaceOnly(saved: unknown): boolean {
	return isSameInEveryRun(saved) && readIn(saved).some((name) => PLACES.includes(name));
}

/** Whether a key is fixed: it has no expressions, or they read only what never changes. */
export function isSameInEveryRun(saved: unknown): boolean {
	return readIn(saved).every((name) => [...PLACES, ...CONSTANTS].includes(name));
}
