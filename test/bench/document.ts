/** The results in docs/internals/benchmarks.md, between two markers. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format } from '../format.ts';

const begin = '<!-- results: written by "npm run bench -- --write" -->';
const end = '<!-- end of the results -->';

/** Puts the results in the place of the former ones. */
export async function writeDocument(results: string, root = process.cwd()): Promise<string> {
	const file = join(root, 'docs', 'internals', 'benchmarks.md');
	const before = await readFile(file, 'utf8');
	const [from, to] = [before.indexOf(begin), before.indexOf(end)];
	if (from < 0 || to < from) throw new Error(`${file} lost the markers between which the results stand`);
	const text = `${before.slice(0, from)}${begin}\n\n${results}\n\n${before.slice(to)}`;
	await writeFile(file, text);
	format(file);
	return file;
}
