import { asRows } from '../../../nodes/Messaging/input/values.ts';
import { refusalBy } from '../support/operations.ts';

const read = (rows: unknown) => asRows(rows, 'Table');

test('names are trimmed, values are not; their order stays', () => {
	const rows = [
		{ name: ' b ', value: ' 2 ' },
		{ name: 'a', value: 1 },
		{ name: 'b', value: false },
		{ name: 'c' },
	];
	expect(read(rows)).toStrictEqual([
		['b', ' 2 '],
		['a', '1'],
		['b', 'false'],
		['c', ''],
	]);
});

test.each([undefined, null, '', {}, 'x'])('%j has no rows', (table) => {
	expect(read(table)).toStrictEqual([]);
});

test('rows with nothing in them are left out', () => {
	expect(read([{}, null, { name: ' ', value: '' }, { value: null }, 'x'])).toStrictEqual([]);
});

test('a value without a name is refused, and the row named', () => {
	expect(refusalBy(() => read([{ name: 'a', value: '1' }, { value: ' ' }])).message).toBe(
		'The field "Table" has a value without a name in row 2',
	);
});

test.each([
	['Table', { name: {}, value: 'a' }],
	['Table', { name: '', value: [] }],
	['Table > a', { name: 'a', value: {} }],
])('what is no text is refused by the name %s', (field, row) => {
	expect(refusalBy(() => read([row])).field).toBe(field);
});
