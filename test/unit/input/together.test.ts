import type { IDataObject, IExecuteFunctions, IGetNodeParameterOptions, INodeParameters } from 'n8n-workflow';

import { deliver } from '../../../nodes/Messaging/delivery/deliver.ts';
import { Together } from '../../../nodes/Messaging/input/together.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.ts';

/** An n8n that evaluates only expressions of the form `$json.<name>`, alone or in a list. */
function n8n(parameters: INodeParameters, items: IDataObject[]) {
	const evaluated: string[] = [];
	const read: string[] = [];
	const valueOf = (code: string, item: number): unknown => {
		const name = /^\$json\.(\w+)$/.exec(code.trim())?.[1];
		if (name === undefined) throw new Error(`Not known here: ${code}`);
		if (name === 'fails') throw new Error('This expression fails');
		return items[item]?.[name];
	};
	const resolved = (raw: unknown, item: number): unknown => {
		if (Array.isArray(raw)) return raw.map((member) => resolved(member, item));
		if (typeof raw === 'object' && raw !== null) {
			return Object.fromEntries(Object.entries(raw).map(([key, member]) => [key, resolved(member, item)]));
		}
		return typeof raw === 'string' && raw.startsWith('=') ? valueOf(raw.slice(3, -2), item) : raw;
	};
	const context = {
		getNode: () => ({ name: 'Messaging', parameters }),
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
	together = new Together(context),
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

const three = {
	to: '={{ $json.to }}',
	text: '={{$json.text}}',
	options: { onceKey: '={{ $json.key }}', timeout: 5 },
};
const names = Object.keys(three);
const items = Array.from({ length: 100 }, (_, n) => ({ to: `a${n}`, text: n, key: n % 2 === 0 }));

test('three expressions take one evaluation an item, from the second item on', () => {
	const node = n8n(three, items);
	expect(readAll(node, names, 100)[99]).toEqual({
		to: 'a99',
		text: 99,
		options: { onceKey: false, timeout: 5 },
	});
	expect(node.evaluated).toEqual(
		items.slice(1).map((_item, n) => `${n + 1} {{ [$json.to, $json.text, $json.key] }}`),
	);
	expect(node.read).toEqual(['0 to', '0 text', '0 options']);
});

test('nothing is evaluated before it is read, and nothing that no item reads', () => {
	const node = n8n({ ...three, left: '={{ $json.fails }}' }, items);
	const together = new Together(node.context);
	readAll(node, ['static', ...names], 1, together);
	const read = together.ofItem(1);
	read('static', () => 'x');
	expect(node.evaluated).toEqual([]);
	read('to', () => undefined);
	expect(node.evaluated).toEqual(['1 {{ [$json.to, $json.text, $json.key] }}']);
});

test('what one item reads for the first time counts for the next', () => {
	const node = n8n(three, items);
	const together = new Together(node.context);
	const readItem = (item: number, read: string[]) => {
		const one = together.ofItem(item);
		for (const name of read) one(name, () => undefined);
	};
	readItem(0, ['to']);
	readItem(1, ['to']);
	readItem(2, ['to', 'text']);
	expect(node.evaluated).toEqual([]);
	readItem(3, ['to', 'text']);
	expect(node.evaluated).toEqual(['3 {{ [$json.to, $json.text] }}']);
});

test.each<[string, INodeParameters]>([
	['a text with one that is no path', { text: '={{ $json.text }} {{ $json.text.trim() }}' }],
	['a static value', { text: 'Hello' }],
])('one alone is read as ever: beside it %s', (_title, other) => {
	const node = n8n({ to: '={{ $json.to }}', ...other }, items);
	readAll(node, ['to', 'text'], 3);
	expect(node.evaluated).toEqual([]);
	expect(node.read).toHaveLength(6);
});

test.each<[string, unknown]>([
	['an object', { a: 1 }],
	['nothing', undefined],
	['a time', new Date(0)],
])('a parameter that gives %s is read alone, the others are not', (_title, value) => {
	const node = n8n(three, [items[0] ?? {}, { ...items[1], text: value } as IDataObject]);
	expect(readAll(node, names, 2)[1]).toEqual({
		to: 'a1',
		text: value,
		options: { onceKey: false, timeout: 5 },
	});
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
	const node = n8n({ ...three, text: '={{ $json.fails }}' }, items);
	expect(readAll(node, names, 3)).toEqual(
		items.slice(0, 3).map(({ to, key }) => ({
			to,
			text: 'Error: This expression fails',
			options: { onceKey: key, timeout: 5 },
		})),
	);
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
	const send = findOperation('message', 'send');
	const parameters: INodeParameters = {
		channelId: 'a3bb189e-8bf9-3888-9912-ace4e6543002',
		toEmail: '={{ $json.to }}',
		text: '={{ $json.text }}',
	};
	const node = n8n(
		parameters,
		items.map((item) => ({ ...item, to: `${item.to}@shop.example` })),
	);
	const { getNode, getNodeParameter, evaluateExpression } = node.context;
	Object.assign(context, { getNode, getNodeParameter, evaluateExpression });
	await deliver(context, send);
	expect(sent).toHaveLength(3);
	expect(node.evaluated).toHaveLength(2);
	expect(node.read.filter((each) => /text|toEmail/.test(each))).toEqual(['0 toEmail', '0 text']);
});

describe('what is evaluated with others', () => {
	const isRead = (raw: string): boolean => {
		const evaluate = jest.fn(() => ['a', 'b', 'c', 'd'].slice(0, raw.split('{{').length));
		const context = { getNodeParameter: (name: string) => (name === 'b' ? raw : '={{ $json.a }}') };
		const together = new Together(
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
		'={{ $json.a }}',
		'={{$json.a}}',
		'={{ $json.a.b["c d"] }}',
		"={{ $json['größe'][0] }}",
		"={{ $('Orders').item.json.to }}",
		'={{ $("Orders").first().json.a.b }}',
		"={{ $('Orders 2').last().json['a'] }}",
		"=Don't {{ $json.a }},\n{{$json.b}} }} {!",
		'={"text": "{{ $json.a }}"}',
	])('%s', (raw) => {
		expect(isRead(raw)).toBe(true);
	});

	test.each([
		'={{ $json }}',
		'={{ $json.a.trim() }}',
		'={{ $json.a?.b }}',
		'={{ $json[$json.a] }}',
		'={{ $json["a\\"b"] }}',
		'={{ $json["}}"] }}',
		'={{ $json.a = 1 }}',
		"={{ $('Orders').all()[0].json.a }}",
		"={{ $('Orders').item }}",
		'={{ $parameter.a }}',
		'={{{ $json.a }}',
		'={{ $json.a }} {{ $json.b.c() }}',
		'=\\{{ $json.a }}',
		'={{ $json.a }} and a \\',
		'=It is the .constructor of {{ $json.a }}',
		'={{ $json.a',
		'{{ $json.a }}',
	])('not %s', (raw) => {
		expect(isRead(raw)).toBe(false);
	});
});
