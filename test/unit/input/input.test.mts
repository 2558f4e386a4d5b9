import type { IExecuteFunctions } from 'n8n-workflow';

import { pauseBetween } from '../../../nodes/Messaging/fields/options.ts';
import { Input } from '../../../nodes/Messaging/input/input.ts';
import type { Properties } from '../../../nodes/Messaging/input/parameter-types.ts';
import { sourceOf } from '../../../nodes/Messaging/input/source.ts';
import { sourceOf as valuesOf, ZONE } from '../../cases/source.mts';
import { inputOf, refusalBy, sourceWith } from '../support/operations.mts';

const fields = [
	{ displayName: 'Text', name: 'text', type: 'string', default: '' },
	{ displayName: 'Place', name: 'place', type: 'resourceLocator', default: { mode: 'list', value: '' } },
	{ displayName: 'Amount', name: 'amount', type: 'number', default: 0 },
	{ displayName: 'On', name: 'on', type: 'boolean', default: true },
	{ displayName: 'Off', name: 'off', type: 'boolean', default: false },
	{ displayName: 'When', name: 'when', type: 'dateTime', default: '' },
	{ displayName: 'Object', name: 'object', type: 'json', default: '{}' },
	{
		displayName: 'Kind',
		name: 'kind',
		type: 'options',
		options: [
			{ name: 'A', value: 'a' },
			{ name: 'B', value: 'b' },
		],
		default: 'b',
	},
	{
		displayName: 'More',
		name: 'more',
		type: 'collection',
		default: {},
		options: [{ displayName: 'Inner Time', name: 'innerTime', type: 'dateTime', default: '' }],
	},
] as const satisfies Properties;

test.each([undefined, null, ''])(
	'where %j was entered, the default counts for switches and choices',
	(empty) => {
		const input = inputOf(fields, { on: empty, off: empty, kind: empty ?? undefined });
		expect(input.flag('on')).toBe(true);
		expect(input.flag('off')).toBe(false);
		if (empty !== '') expect(input.choice('kind')).toBe('b');
	},
);

test('a choice whose expression finds nothing is not the default', () => {
	const source = { ...valuesOf(fields, { kind: undefined }), unresolved: () => '={{ $json.kind }}' };
	expect(refusalBy(() => new Input(fields, source).choice('kind')).field).toBe('Kind');
});

test.each(['c', 'A', 1, {}, ''])('refuses the choice %j', (kind) => {
	expect(refusalBy(() => inputOf(fields, { kind }).choice('kind'))).toMatchObject({
		field: 'Kind',
		hint: 'Use one of: a, b.',
	});
});

test('a collection not filled in has no members', () => {
	const has = (more: unknown) => inputOf(fields, { more }).collection('more').has('innerTime');
	expect([has(undefined), has({ innerTime: '' })]).toStrictEqual([false, true]);
});

test.each(['text', 5, [1], new Date(0)])('refuses %j for a collection', (more) => {
	expect(refusalBy(() => inputOf(fields, { more }).collection('more')).field).toBe('More');
});

test('a time without a zone is one in that of the workflow, in a collection too', () => {
	const input = inputOf(fields, {
		when: '2030-01-31T09:00:00',
		more: { innerTime: '2030-07-01T00:00:00' },
	});
	expect(input.timestamp('when')).toBe('2030-01-31T09:00:00.000+01:00');
	expect(input.collection('more').timestamp('innerTime')).toBe('2030-07-01T00:00:00.000+02:00');
});

test('a field with decimals takes them, and its limits count', () => {
	const read = (seconds: unknown) =>
		inputOf([pauseBetween], { pauseBetween: seconds }).number('pauseBetween');
	expect([read(2.5), read('0.125'), read(''), read(0)]).toEqual([2.5, 0.125, undefined, 0]);
	for (const wrong of [-1, 3601, '2,5']) {
		expect(refusalBy(() => read(wrong)).field).toBe('Pause Between Messages');
	}
});

test.each(['', null, undefined])('a JSON object that is required may not be %j', (object) => {
	expect(refusalBy(() => inputOf(fields, { object }).requiredJsonObject('object')).field).toBe('Object');
});

test('n8n resolves a parameter only when it is asked for, and only once', () => {
	const asked: string[] = [];
	const text = '={{ code }}';
	const context: Pick<IExecuteFunctions, 'getTimezone' | 'getInputData'> & Record<string, unknown> = {
		getNode: () => ({ parameters: { text } }),
		getNodeParameter: (name: string) => {
			asked.push(name);
			return 'x';
		},
		getTimezone: () => ZONE,
		getInputData: () => [{ json: { a: 1 } }],
	};
	const input = new Input(fields, sourceOf(context as unknown as IExecuteFunctions, fields, 0));
	expect(asked).toStrictEqual([]);
	expect([input.text('text'), input.requiredText('text'), input.has('text')]).toStrictEqual(['x', 'x', true]);
	expect(asked).toStrictEqual(['text']);
});

test.each(['Support WhatsApp', '3f2504e0', '../Me'])(
	'where an ID is chosen or entered, %j is refused, and the advice names the list',
	(value) => {
		const place = { __rl: true, mode: 'id', value };
		for (const read of ['uuid', 'requiredUuid'] as const) {
			const { field, hint } = refusalBy(() => inputOf(fields, { place })[read]('place'));
			expect([field, hint]).toEqual(['Place', expect.stringMatching(/From List.*By Name/)]);
		}
		expect(refusalBy(() => inputOf(fields, { text: value }).uuid('text')).hint).not.toContain('From List');
	},
);

const table = {
	displayName: 'Table',
	name: 'rows',
	type: 'fixedCollection',
	default: {},
	options: [{ displayName: 'Values', name: 'values', values: [] }],
} as const satisfies Properties[number];

describe('rows', () => {
	const read = (values: unknown) => inputOf([table], { rows: { values } }).rows('rows');

	test('names are trimmed, values are not; their order stays; empty ones are left out', () => {
		const c = { name: 'c' };
		const rows = [{ name: ' b ', value: ' 2 ' }, {}, { name: 'a', value: 1 }, null, 'x', { value: '' }, c];
		const expected = { b: ' 2 ', a: '1', c: '' };
		expect(read(rows)).toStrictEqual(Object.entries(expected));
		for (const none of [undefined, null, '', {}, 'x']) expect(read(none)).toStrictEqual([]);
	});

	test.each([
		['Table > 1 > Name', { name: {}, value: 'a' }],
		['Table > 1 > Name', { value: ' ' }],
		['Table > 1 > Value', { name: '', value: [] }],
		['Table > 1 > Value', { name: 'a', value: {} }],
	])('a value without a name, or what is no text, is refused by the name %s', (field, row) => {
		expect(refusalBy(() => read([row])).field).toBe(field);
	});
});

describe('values of a model', () => {
	const all = [...fields, table] as const satisfies Properties;
	const from = (isTool: boolean, given: Record<string, unknown>): Input<typeof all> =>
		new Input(all, sourceWith(valuesOf(all, given), { isTool }));

	test('the text "null" is nothing, if a model may have written it', () => {
		const given = {
			text: 'null',
			place: { __rl: true, mode: 'id', value: 'null' },
			rows: { values: [{ name: 'phone', value: 'null' }] },
			object: { text: 'null' },
		};
		const read = (input: Input<typeof all>) => [
			input.text('text'),
			input.text('place'),
			input.rows('rows'),
			input.jsonObject('object'),
		];
		expect(read(from(true, given))).toEqual(['', '', [['phone', '']], { text: 'null' }]);
		expect(read(from(false, given))).toEqual(['null', 'null', [['phone', 'null']], { text: 'null' }]);
		expect(refusalBy(() => from(true, given).requiredText('text')).message).toContain('is empty');
	});
});
