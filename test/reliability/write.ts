/**
 * `npm run reliability`: writes the figures that the last runs have left behind into docs/reliability.md. What was not
 * run since the last clean-up stays as it is.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../../dev/harness/n8n/paths.ts';
import { format } from '../format.ts';
import { queueTable, type QueueFigures } from './queue-table.ts';
import { growthTable, soakTable, type SoakFile } from './soak-table.ts';

const document = join(projectRoot(), 'docs/reliability.md');

/** Puts a table in the place of the former one. */
function put(text: string, name: string, table: string): string {
	const [begin, end] = [`<!-- ${name}: written by "npm run reliability" -->`, `<!-- end of ${name} -->`];
	const [from, to] = [text.indexOf(begin), text.indexOf(end)];
	if (from < 0 || to < from) throw new Error(`docs/reliability.md lost the markers of ${name}`);
	return `${text.slice(0, from)}${begin}\n\n${table}\n\n${text.slice(to)}`;
}

function read<T>(file: string): T | undefined {
	const path = join(projectRoot(), file);
	return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined;
}

let text = readFileSync(document, 'utf8');
const queue = read<QueueFigures>('.e2e/queue/figures.json');
const soak = read<SoakFile>('.e2e/soak/figures.json');
if (queue !== undefined) text = put(text, 'queue', queueTable(queue));
if (soak?.soak !== undefined) text = put(text, 'soak', soakTable(soak.soak));
if (soak?.growth !== undefined) text = put(text, 'growth', growthTable(soak.growth));
writeFileSync(document, text);
format(document);
console.log(
	`Wrote ${[queue && 'queue mode', soak?.soak && 'soak', soak?.growth && 'growth'].filter(Boolean).join(', ') || 'nothing: run the commands that docs/reliability.md names'}`,
);
