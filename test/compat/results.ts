/** What `npm run compat` has found, kept so that one version can be tried anew without the others. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Counted } from './engine-tests.ts';
import type { Lack } from '../engine/n8n-under-test.ts';

/** How one n8n did on one Node.js. */
export interface Tried extends Counted {
	/** The whole version of Node.js. */
	readonly node: string;
	/** Which tests ran. */
	readonly tests: 'all' | 'chosen';
	/** What this n8n lacks on this Node.js: native modules are not there for each. */
	readonly lacks: readonly Lack[];
}

/** How the end-to-end tests went in one n8n. */
export interface TriedWhole extends Counted {
	readonly node: string;
	/** What this n8n lacks, by the name that the titles of its tests have for it. */
	readonly lacks: Readonly<Record<string, Lacking>>;
}

/** How many tests were skipped for want of something, and how many looked for something else instead. */
export interface Lacking {
	readonly skipped: number;
	readonly otherwise: number;
}

/** What is known of one n8n. */
export interface Result {
	readonly workflow: string;
	readonly tried: Readonly<Record<string, Tried>>;
	readonly e2e?: TriedWhole;
}

/** By n8n's version. */
export type Results = Readonly<Record<string, Result>>;

/** Where it is kept. */
export const resultsFile = join(process.cwd(), 'test', 'compat', 'results.json');

/** What was found until now. */
export function readResults(): Results {
	return JSON.parse(readFileSync(resultsFile, 'utf8')) as Results;
}

/** Keeps what was found. */
export function writeResults(results: Results): void {
	writeFileSync(resultsFile, `${JSON.stringify(results, null, '\t')}\n`);
}
