import type { IDataObject, IExecuteFunctions, IGetNodeParameterOptions, INodeParameters } from 'n8n-workflow';

import { execute } from '../../../nodes/Messaging/execute.ts';
import { PathReader } from '../../../nodes/Messaging/input/path-reader.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.mts';

/** An n8n that evaluates only paths of one name into the item or into that of the node "Orders", alone or in a list. */
function n8n(parameters: INodeParameters, items: IDataObject[]) {
	const evaluated: string[] = [];
	const read: string[] = [];
	const valueOf = (code: string, item: number): unknown => {
		const name = /^(?:\$json|\$\('Orders'\)\.item\.json)\.(\w+)$/.exec(code.trim())?.[1];
		if (name === undefined) throw new Error(`Not known here: ${code}`);
		if (name === 'fails') throw new Error('This expression fails');
		return items[item]?.[name];
	};
	const resolved = (raw: unknown, item: number): unknown => {
		if (typeof raw === 'object' && raw !== null) {
			return Object.fromEntries(Object.entries(raw).map(([key, member]) => [key, resolved(member, item)]));
		}
		return typeof raw === 'string' && raw.startsWith('=') ? valueOf(raw.slice(3, -2), item) : raw;
	};
	const input = items.map((json) => ({ json }));
	const context = {
		getNode: () => ({ name: 'Messaging', type: 'messaging', parameters }),
		getInputData: () => input,
		getWorkflowDataProxy: (item: number) => ({ $json: items[item], $runIndex: 0 }),
		getNodeParameter: (name: string, item: number, fallback: unknown, options?: IGetNodeParameterOptions) => {
			if (options?.rawExpressions === true) return parameters[name] ?? fallback;
			read.push(`${item} ${name}`);
			return resolved(parameters[name] ?? fallback, item);
		},
		evaluateExpression: (expression: string, item: number): unknown => {
			evaluated.push(`${item} ${expression}`);
			const list = expression.replace(/^\{\{ \[|\] \}\}$/g, '');
			return list.split(', ').map((code) => valueOf(code, item));
		},
	};
	return { context: context as unknown as IExecuteFunctions, evaluated, read };
}

/** Reads these parameters of all items in turn, and returns their values. */
function readAll(
	{ context }: ReturnType<typeof n8n>,
	names: string[],
	count: number,
	together = new PathReader(context),
): IDataObject[] {
	return Array.from({ length: count }, (_, item) => {
		const read = together.ofItem(item);
		return Object.fromEntries(
			names.map((name) => {
				const alone = () => context.getNodeParameter(name, item, '', { skipValidation: true }) as unknown;
				try {
					return [name, read(name, alone)];
				} catch (error) {
					return [name, String(error)];
				}
			}),
		) as IDataObject;
	});
}

const orders = (name: string): string => `={{ $('Orders').item.json.${name} }}`;
const three = {
	to: orders('to'),
	text: orders('text'),
	options: { onceKey: orders('key'), timeout: 5 },
};
const allThree = ['to', 'text', 'key'].map((name) => orders(name).slice(4, -3)).join(', ');
const names = Object.keys(three);
const items = Array.from({ length: 100 }, (_, n) => ({ to: `a${n}`, text: n, key: n % 2 === 0 }));

test("three paths into another node's item take one evaluation an item, from the second item on", () => {
	const node = n8n(three, items);
	const last = { to: 'a99', text: 99, options: { onceKey: false, timeout: 5 } };
	expect(readAll(node, names, 100)[99]).toEqual(last);
	expect(node.evaluated).toEqual(items.slice(1).map((_item, n) => `${n + 1} {{ [${allThree}] }}`));
	expect(node.read).toEqual(['0 to', '0 text', '0 options']);
});

describe('paths into the item', () => {
	const parameters = {
		to: '={{ $json.to }}',
		text: '=Order {{$json["text"]}} of {{ $json.to }}',
		options: { onceKey: '={{ $json.key }}', timeout: 5 },
	};

	test('take no evaluation at all, not even for the first item', () => {
		const node = n8n(parameters, items);
		const [first, second] = readAll(node, names, 2);
		expect(first).toEqual({ to: 'a0', text: 'Order 0 of a0', options: { onceKey: true, timeout: 5 } });
		expect(second).toMatchObject({ to: 'a1', text: 'Order 1 of a1', options: { onceKey: false } });
		expect([...node.evaluated, ...node.read]).toEqual([]);
	});

	test('are looked up beside any other expression', () => {
		const node = n8n({ ...parameters, text: '={{ $json.n++ }}' }, items);
		readAll(node, names, 3);
		expect(node.read).toEqual(['0 text', '1 text', '2 text']);
	});

	test("are looked up beside paths into another node's item, in the same text too", () => {
		const text = "=Order {{ $json.text }} of {{ $('Orders').item.json.to }}";
		const node = n8n({ to: orders('to'), text, from: orders('key') }, items);
		const [, second] = readAll(node, ['to', 'text', 'from'], 2);
		expect(second).toEqual({ to: 'a1', text: 'Order 1 of a1', from: false });
		expect(node.evaluated).toEqual(["1 {{ [$('Orders').item.json.to, $('Orders').item.json.key] }}"]);
	});

	/** The value of an expression for the only item; `input` is what the node gets, `seen` what expressions see. */
	const valueOf = (path: string, input: object[], seen: () => object): unknown =>
		new PathReader({
			getNodeParameter: () => `={{ ${path} }}`,
			getInputData: () => input.map((json) => ({ json })),
			getWorkflowDataProxy: seen,
		} as unknown as IExecuteFunctions).ofItem(0)('any', () => 'left to n8n');

	const lookedUp = (path: string, json: object): unknown => {
		const [own, other] = [json, {}].map((input) => valueOf(path, [input], () => ({ $json: json })));
		// The same whether or not the item of the input is what expressions see.
		expect(other).toBe(own);
		return own;
	};

	test.each<[string, object, unknown]>([
		['$json.a.b', { a: { b: 'x' } }, 'x'],
		['$json["first name"]', { 'first name': 'x' }, 'x'],
		["$json['a.b'][1].c", { 'a.b': [0, { c: 'x' }] }, 'x'],
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
		['$json.a', Object.defineProperty({}, 'a', { get: () => 'got' })],
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

	test('are left to n8n if it finds no item', () => {
		const fails = (): never => {
			throw new Error('No item');
		};
		expect(valueOf('$json.a', [], fails)).toBe('left to n8n');
	});
});

test('nothing is evaluated before it is read, and nothing that no item reads', () => {
	const node = n8n({ ...three, left: orders('fails') }, items);
	const together = new PathReader(node.context);
	readAll(node, ['static', ...names], 1, together);
	const read = together.ofItem(1);
	read('static', () => 'x');
	expect(node.evaluated).toEqual([]);
	read('to', () => undefined);
	expect(node.evaluated).toEqual([`1 {{ [${allThree}] }}`]);
});

test('what one item reads for the first time counts for the next', () => {
	const node = n8n(three, items);
	const together = new PathReader(node.context);
	const evaluatedFor = (item: number, read: string[]) => {
		const one = together.ofItem(item);
		for (const name of read) one(name, () => undefined);
		return node.evaluated.length;
	};
	const both = ['to', 'text'];
	const counts = [['to'], ['to'], both, both].map((read, item) => evaluatedFor(item, read));
	expect(counts).toEqual([0, 0, 0, 1]);
});

test.each<[string, INodeParameters, number]>([
	[
		'a text with one that is no path',
		{ text: "={{ $('Orders').item.json.text }} {{ $json.text.trim() }}" },
		6,
	],
	['a static value, which is never asked for', { text: 'Hello' }, 3],
])('one alone is read as ever: beside it %s', (_title, other, reads) => {
	const node = n8n({ to: orders('to'), ...other }, items);
	readAll(node, ['to', 'text'], 3);
	expect(node.evaluated).toEqual([]);
	expect(node.read).toHaveLength(reads);
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
])('a parameter that gives %s is read alone, the others are not', (_title, value) => {
	const node = n8n(three, [items[0] ?? {}, { ...items[1], text: value } as IDataObject]);
	const [, second] = readAll(node, names, 2);
	expect(second).toEqual({ to: 'a1', text: value, options: { onceKey: false, timeout: 5 } });
	expect(node.evaluated).toHaveLength(1);
	expect(node.read.slice(3)).toEqual(['1 text']);
});

test('a parameter that has given an object is not evaluated with the others again', () => {
	const lists = items.map((item, n) => ({ ...item, text: n === 2 ? [n] : n }));
	const node = n8n(three, lists);
	expect(readAll(node, names, 5).map(({ text }) => text)).toEqual([0, 1, [2], 3, 4]);
	expect(node.evaluated.map((each) => each.includes('text'))).toEqual([true, true, false, false]);
});

test('where one fails, all of the item are read alone, and n8n says which one failed', () => {
	const node = n8n({ ...three, text: orders('fails') }, items);
	const text = 'Error: This expression fails';
	expect(readAll(node, names, 3)[2]).toMatchObject({ to: 'a2', text, options: { onceKey: true } });
	expect(node.read).toHaveLength(9);
});

test.each([null, 'text', ['a', 'b'], ['a', 'b', 'c', 'd']])(
	'what is no list of all values is no answer: %j',
	(answer) => {
		const node = n8n(three, items);
		Object.assign(node.context, { evaluateExpression: () => answer });
		expect(readAll(node, names, 4)[3]).toMatchObject({ to: 'a3', text: 3 });
		expect(node.read).toHaveLength(12);
	},
);

test('beside an expression that may change what others find, all are read alone', () => {
	const node = n8n({ ...three, change: '={{ $json.n++ }}' }, items);
	readAll(node, [...names, 'change'], 3);
	expect(node.evaluated).toEqual([]);
});

test('the node reads its items this way', async () => {
	const { context, sent } = fakeN8n(jsonResponse('{}'), { items: 3 });
	const parameters: INodeParameters = {
		channelId: 'a3bb189e-8bf9-3888-9912-ace4e6543002',
		toEmail: 'ada@example.com',
		text: orders('text'),
		additionalFields: { correlationId: orders('to') },
	};
	const node = n8n(parameters, items);
	const { getNode, getNodeParameter, getWorkflowDataProxy, evaluateExpression } = node.context;
	Object.assign(context, { getNode, getNodeParameter, getWorkflowDataProxy, evaluateExpression });
	await execute(context, findOperation('message', 'send'));
	expect(sent).toHaveLength(3);
	expect(node.evaluated).toHaveLength(2);
	expect(node.read.filter((each) => each.includes('text'))).toEqual(['0 text']);
});

describe('what is evaluated with others', () => {
	const isRead = (raw: string): boolean => {
		const evaluate = jest.fn(() => ['a', 'b', 'c', 'd'].slice(0, raw.split('{{').length));
		const context = {
			getNodeParameter: (name: string) => (name === 'b' ? raw : "={{ $('A').item.json.a }}"),
		};
		const together = new PathReader(
			Object.assign(context, { evaluateExpression: evaluate }) as unknown as IExecuteFunctions,
		);
		const alone = jest.fn();
		for (const item of [0, 1]) {
			const read = together.ofItem(item);
			for (const name of ['a', 'b']) read(name, alone);
		}
		expect(evaluate).toHaveBeenCalledTimes(alone.mock.calls.length === 2 ? 1 : 0);
		return alone.mock.calls.length === 2;
	};

	test.each([
		'={{ $("B").item.json.a }}',
		'={{$("B").item.json.a}}',
		'={{ $("B").item.json.a.b["c d"] }}',
		"={{ $('B').item.json['größe'][0] }}",
		"={{ $('Orders').item.json.to }}",
		'={{ $("Orders").first().json.a.b }}',
		"={{ $('Orders 2').last().json['a'] }}",
		"=Don't {{ $('B').item.json.a }},\n{{$('B').item.json.b}} }} {!",
		'={"text": "{{ $("B").item.json.a }}"}',
	])('%s', (raw) => {
		expect(isRead(raw)).toBe(true);
	});

	test.each([
		'={{ $("B").item.json.a.trim() }}',
		'={{ $("B").item.json.a?.b }}',
		'={{ $("B").item.json["a\\"b"] }}',
		'={{ $("B").item.json["}}"] }}',
		'={{{ $("B").item.json.a }}',
		'=\\{{ $("B").item.json.a }}',
		'={{ $("B").item.json.a }} and a \\',
		'=It is the .constructor of {{ $("B").item.json.a }}',
		'={{ $("B").item.json.a',
	])('not %s', (raw) => {
		expect(isRead(raw)).toBe(false);
	});
});
