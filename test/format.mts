import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Formats a file that a program has written, as `npx oxfmt` does. */
export function format(file: string): void {
	const oxfmt = join(process.cwd(), 'node_modules', 'oxfmt', 'bin', 'oxfmt');
	execFileSync(process.execPath, [oxfmt, file], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * Replaces what a command writes into a document, between two markers.
 *
 * @param document its path below the project's root
 * @param name in the markers
 */
export function writeBetween(document: string, name: string, command: string, text: string): void {
	const file = join(process.cwd(), document);
	const before = readFileSync(file, 'utf8');
	const [begin, end] = [`<!-- ${name}: written by "${command}" -->`, `<!-- end of ${name} -->`];
	const [from, to] = [before.indexOf(begin), before.indexOf(end)];
	if (from < 0 || to < from) throw new Error(`${document} lost the markers of ${name}`);
	writeFileSync(file, `${before.slice(0, from)}${begin}\n\n${text}\n\n${before.slice(to)}`);
	format(file);
}

/** A document without what the formatter changes: how wide the columns of tables are. */
export function cellsOnly(markdown: string): string {
	return markdown.replace(/ +/g, ' ').replace(/-{3,}/g, '---');
}
