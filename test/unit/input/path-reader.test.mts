import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { execute } from '../../../nodes/Messaging/execute.ts';
import { PathReader } from '../../../nodes/Messaging/input/path-reader.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.mts';

/** An n8n whose node "Orders" has the same items as the input; it notes what it is asked to find and to read. */
function n8n(parameters: INodeParameters, items: IDataObject[]) {
	/** The items of "Orders" that were looked for, and the parameters that n8n has read itself. */
	const found: string[] = [];
	const read: string[] = [];
	const input = items.map((json) => ({ json }));
	const itemsOf = (name: string, item: number) => {
		if (name !== 'Orders') throw new Error(`There is no ${name}`);
		const find = (which: string, at: number) => {
			found.push(`${item} ${which}`);
			return input[at];
		};
		return {
			get item() {
				return find('item', item);
			},
			first: () => find('first', 0),
			last: () => find('last', items.length - 1),
			all: () => [find('all', 0), ...input.slice(1)],
		};
	};
	const context = {
		getNode: () => ({ name: 'Messaging', type: 'messaging', parameters }),
		getInputData: () => input,
		getWorkflowDataProxy: (item: number) => ({
			$json: items[item],
			$runIndex: 0,
			$input: itemsOf('Orders', item),
			$node: { Orders: input[item] },
			$: (name: string) => itemsOf(name, item),
		}),
		getNodeParameter: (name: string, item: number, fallback: unknown) => {
			const value = parameters[name] ?? fallback;
			if (!JSON.stringify(value).includes('"=')) return value;
			read.push(`${item} ${name}`);
			throw new Error(`n8n says what is wrong with ${name}`);
		},
	};
	return { context: context as unknown as IExecuteFunctions, found, read };
}

/** Reads these parameters of all items in turn, and returns their values. */
function readAll({ context }: ReturnType<typeof n8n>, names: string[], count: number): IDataObject[] {
	const reader = new PathReader(context);
	return Array.from({ length: count }, (_, item) => {
		const resolved = reader.ofItem(item);
		return Object.fromEntries(
			names.map((name) => {
				const byN8n = () => context.getNodeParameter(name, item, '', { skipValidation: true }) as unknown;
				try {
					return [name, resolved(reader.saved(name), byN8n)];
				} catch (error) {
					return [name, String(error)];
				}
			}),
		) as IDataObject;
	});
}

const names = ['to', 'text', 'options'];
const items = Array.from({ length: 100 }, (_, n) => ({ to: `a${n}`, text: n, key: n % 2 === 0 }));

test("paths into the item and into another node's items take no evaluation, not even for the first item", () => {
	const node = n8n(
		{
			to: "={{ $('Orders').item.json.to }}",
			text: '=Order {{$json["text"]}} of {{ $("Orders").item.json.to }}, {{ $json.to }}',
			options: { onceKey: '={{ $json.key }}', timeout: 5 },
		},
		items,
	);
	const [first, second] = readAll(node, names, 2);
	expect(first).toEqual({ to: 'a0', text: 'Order 0 of a0, a0', options: { onceKey: true, timeout: 5 } });
	expect(second).toMatchObject({ to: 'a1', text: 'Order 1 of a1, a1', options: { onceKey: false } });
	expect(node.read).toEqual([]);
	// Finding an item of another node takes n8n long: once for each that is named.
	expect(node.found).toEqual(['0 item', '0 item', '1 item', '1 item']);
});

test('nothing is looked up before it is read', () => {
	const node = n8n({}, items);
	const resolved = new PathReader(node.context).ofItem(1);
	expect(node.found).toEqual([]);
	const path = "={{ $('Orders').item.json.to }}";
	expect([path, `=${path} and ${path}`].map((saved) => resolved(saved, () => undefined))).toHaveLength(2);
	expect(node.found).toEqual(['1 item']);
});

test('beside another expression, paths are looked up, and n8n reads that one', () => {
	const node = n8n({ to: '={{ $json.to }}', text: '={{ $json.n++ }}' }, items);
	const [, second] = readAll(node, ['to', 'text'], 2);
	expect(second).toEqual({ to: 'a1', text: 'Error: n8n says what is wrong with text' });
	expect(node.read).toEqual(['0 text', '1 text']);
});

test('what another expression changes in an item counts for those that are read later', () => {
	const { context } = n8n({}, items);
	const resolved = new PathReader(context).ofItem(1);
	const read = () => resolved('={{ $("Orders").item.json.to }}', () => undefined);
	expect(read()).toBe('a1');
	resolved('={{ change }}', () => {
		context.getInputData()[1]!.json = { to: 'changed' };
	});
	expect(read()).toBe('changed');
});

test.each([
	['text', '{{ $json.a }}'],
	['rows', { values: [{ name: 'a', value: 'b' }] }],
	['flag', false],
])('a parameter without expressions is what was saved: %s', (name, saved) => {
	const node = n8n({ [name]: saved }, items);
	expect(readAll(node, [name], 2)).toEqual([{ [name]: saved }, { [name]: saved }]);
});

test.each<[string, unknown]>([
	['an object', { a: 1 }],
	['nothing', undefined],
	['a time', new Date(0)],
	['no number', NaN],
])('a parameter that gives %s is read by n8n, the others are not', (_title, value) => {
	for (const root of ['$json', "$('Orders').item.json"]) {
		const node = n8n({ to: `={{ ${root}.to }}`, text: `=So: {{ ${root}.text }}` }, [
			{ ...items[0], text: value } as IDataObject,
		]);
		expect(readAll(node, ['to', 'text'], 1)[0]).toMatchObject({ to: 'a0' });
		expect(node.read).toEqual(['0 text']);
	}
});

test('the node reads its items this way', async () => {
	const { context, sent } = fakeN8n(jsonResponse('{}'), { items: 3 });
	const parameters: INodeParameters = {
		channelId: 'a3bb189e-8bf9-3888-9912-ace4e6543002',
		toEmail: 'ada@example.com',
		text: "={{ $('Orders').item.json.text }}",
		additionalFields: { correlationId: '={{ $json.to }}' },
	};
	const node = n8n(parameters, items);
	const { getNode, getNodeParameter, getWorkflowDataProxy } = node.context;
	Object.assign(context, { getNode, getNodeParameter, getWorkflowDataProxy });
	await execute(context, findOperation('message', 'send'));
	expect(sent).toHaveLength(3);
	expect(node.found).toEqual(['0 item', '1 item', '2 item']);
	expect(node.read).toEqual([]);
});

describe('a path', () => {
	/** The value of an expression for the only item; `input` is what the node gets, `seen` what expressions see. */
	const valueOf = (path: string, input: object[], seen: () => object): unknown =>
		new PathReader({
			getInputData: () => input.map((json) => ({ json })),
			getWorkflowDataProxy: seen,
		} as unknown as IExecuteFunctions).ofItem(0)(`={{ ${path} }}`, () => 'left to n8n');

	const lookedUp = (path: string, json: object): unknown => {
		const seen = () => ({ $json: json, $: () => ({ item: { json } }) });
		const values = [
			// The same whether or not the item of the input is what expressions see, and in another node's item.
			valueOf(path, [json], seen),
			valueOf(path, [{}], seen),
			valueOf(path.replace('$json', '$("Orders").item.json'), [{}], seen),
		];
		expect(new Set(values).size).toBe(1);
		return values[0];
	};

	test.each<[string, object, unknown]>([
		['$json.a.b', { a: { b: 'x' } }, 'x'],
		['$json?.a?.b', { a: { b: 'x' } }, 'x'],
		['$json["first name"]', { 'first name': 'x' }, 'x'],
		["$json['a.b'][1].c", { 'a.b': [0, { c: 'x' }] }, 'x'],
		['$json["it\'s"]', { "it's": 'x' }, 'x'],
		['$json[0]', { 0: 'x' }, 'x'],
		['$json["größe"]', { größe: 'x' }, 'x'],
		['$json.$id', { $id: 'x' }, 'x'],
		['$json.a', Object.assign(Object.create(null) as object, { a: 'x' }), 'x'],
		...[null, '', false, 0, -0, 2 ** 60, '={{ $json.b }}'].map((value): [string, object, unknown] => [
			'$json.a',
			{ a: value, b: 'x' },
			value,
		]),
	])('%s of %j is the value itself', (path, json, expected) => {
		expect(lookedUp(path, json)).toBe(expected);
	});

	test.each<[string, object]>([
		['$json.a.length', { a: 'text' }],
		['$json.a["00"]', { a: [0] }],
		['$json.a', Object.create({ a: 'inherited' }) as object],
		['$json.a', Object.defineProperty({}, 'a', { get: () => 'got', enumerable: true })],
		// An engine that copies the item leaves it out.
		['$json.a', Object.defineProperty({}, 'a', { value: 'hidden' })],
		['$json.a.b', { a: Object.assign(new Date(0), { b: 'x' }) }],
		['$json.a.b', { a: Object.assign([], { b: 'x' }) }],
		// Hidden by what every object has, in one of n8n's engines.
		['$json.toString', { toString: 'x' }],
		// Refused by n8n.
		['$json.caller', { caller: 'x' }],
		['$json["prototype"].a', { prototype: { a: 'x' } }],
		['$json.constructorName', { constructorName: 'x' }],
		['$json.globalThis', { globalThis: 'x' }],
		['$json.$', { $: 'x' }],
		['$json.a', 'no object' as unknown as object],
		// n8n can't parse line separators in a name.
		['$json["\u2028"]', { '\u2028': 'x' }],
	])('%s of %j is left to n8n', (path, json) => {
		expect(lookedUp(path, json)).toBe('left to n8n');
	});

	test('is left to n8n if it finds no item', () => {
		const fails = (): never => {
			throw new Error('No item');
		};
		expect(valueOf('$json.a', [], fails)).toBe('left to n8n');
	});

	/** What a parameter gives for the first of three items; each has its number. */
	const numberIn = (saved: string): unknown =>
		readAll(
			n8n(
				{ any: saved },
				[0, 1, 2].map((n) => ({ n, 'a b': { c: n } })),
			),
			['any'],
			1,
		)[0]?.['any'];

	test.each([
		'={{ $json.n.trim() }}',
		'={{ $json["n\\"b"] }}',
		'={{ $json["}}"] }}',
		'={{{ $json.n }}}',
		'=\\{{ $json.n }}',
		'={{ $json.n }} and a \\',
		'=It is the .constructor of {{ $json.n }}',
		'={{ $("constructor").item.json.n }}',
		'={{ $("Orders").item.json }}',
		'={{ $("Orders").item["json"].n }}',
		'={{ $("Orders").all()[3].json.n }}',
		'={{ $node.Orders.json.n }}',
		'={{ $jsonn }}',
	])('is nothing else: %s', (saved) => {
		expect(numberIn(saved)).toContain('n8n says what is wrong');
	});
});
