/**
 * `npm run reliability`: writes the figures of the last runs into docs/internals/measurements.md.
 * Tables whose tests were not run since the last clean-up stay unchanged.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../../dev/harness/n8n/paths.mts';
import { format } from '../format.mts';
import { queueTable, type QueueFigures } from './queue-table.mts';
import { growthTable, soakTable, type SoakFile } from './soak-table.mts';

/** The page of each table, by the name in its markers. */
const pages = {
	queue: 'docs/internals/measurements.md',
	soak: 'docs/internals/measurements.md',
	growth: 'docs/internals/measurements.md',
} as const;

/** Replaces the table of this name in its page. */
function put(name: keyof typeof pages, table: string): void {
	const page = join(projectRoot(), pages[name]);
	const text = readFileSync(page, 'utf8');
	const [begin, end] = [`<!-- ${name}: written by "npm run reliability" -->`, `<!-- end of ${name} -->`];
	const [from, to] = [text.indexOf(begin), text.indexOf(end)];
	if (from < 0 || to < from) throw new Error(`${pages[name]} lost the markers of ${name}`);
	writeFileSync(page, `${text.slice(0, from)}${begin}\n\n${table}\n\n${text.slice(to)}`);
	format(page);
}

function read<T>(file: string): T | undefined {
	const path = join(projectRoot(), file);
	return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined;
}

const queue = read<QueueFigures>('.e2e/queue/figures.json');
const soak = read<SoakFile>('.e2e/soak/figures.json');
if (queue !== undefined) put('queue', queueTable(queue));
if (soak?.soak !== undefined) put('soak', soakTable(soak.soak));
if (soak?.growth !== undefined) put('growth', growthTable(soak.growth));
const written = [queue && 'queue mode', soak?.soak && 'soak', soak?.growth && 'growth'].filter(Boolean);
console.log(`Wrote ${written.join(', ') || 'nothing: run "npm run test:queue" or "npm run soak" first'}`);
