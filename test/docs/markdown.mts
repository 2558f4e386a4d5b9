/** The Markdown elements of the pages. */
import { markdownTable } from '../bench/tables.mts';

/** A table; nothing when it has no rows. Columns without a cell are left out. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string[] {
	if (rows.length === 0) return [];
	const kept = head.map((_, column) => column).filter((column) => rows.some((row) => row[column] !== ''));
	const keptOf = (cells: readonly string[]) => kept.map((column) => cells[column] ?? '');
	return [markdownTable(keptOf(head), rows.map(keptOf)), ''];
}

/** Text of a description as a cell: one line, with Markdown escaped. */
export function cell(text: string): string {
	return text
		.replace(/[\\|*_<`[\]]/g, '\\$&')
		.replace(/\s+/g, ' ')
		.trim();
}

/** A value as code in a cell; nothing for no value. */
export function code(text: string): string {
	if (text === '') return '';
	const marks = text.includes('`') ? '``' : '`';
	return `${marks}${text.replace(/\s+/g, ' ').replaceAll('|', '\\|')}${marks}`;
}

/** A value as a block of JSON; collapsed when it is long. */
export function json(value: unknown, name: string): string[] {
	const text = JSON.stringify(value, null, 2);
	const block = ['```json', text, '```', ''];
	const lines = text.split('\n').length;
	if (lines <= LONG) return block;
	return ['<details>', `<summary>${name}, ${lines} lines</summary>`, '', ...block, '</details>', ''];
}

/** Lines from which a block is collapsed. */
const LONG = 40;
