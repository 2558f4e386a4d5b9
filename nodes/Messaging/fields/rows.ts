import { InvalidParameter } from './invalid-parameter';
import { asText } from './values';
import { isPlainObject } from '../json/plain-object';

/**
 * The rows of a table with the columns Name and Value, in order. Names are trimmed, values stay as they are; a row
 * without either is left out.
 *
 * @param table the rows as n8n saves them: `{ [list]: [{ name, value }] }`
 * @param list the name of the list
 * @param field the label of the table
 * @throws InvalidParameter when a row has a value and no name
 */
export function readRows(table: unknown, list: string, field: string): Array<[name: string, value: string]> {
	const rows: unknown = isPlainObject(table) ? table[list] : undefined;
	return (Array.isArray(rows) ? rows : []).flatMap((row: unknown, index): Array<[string, string]> => {
		const cells = isPlainObject(row) ? row : {};
		const name = asText(cells.name, field).trim();
		const value = asText(cells.value, name === '' ? field : `${field} > ${name}`);
		if (name !== '') return [[name, value]];
		if (value === '') return [];
		throw new InvalidParameter(
			field,
			`has a value without a name in row ${index + 1}`,
			'Enter the name, or remove the row.',
		);
	});
}
