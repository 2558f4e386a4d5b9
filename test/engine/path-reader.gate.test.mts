import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { ExpressionEngine } from './protocol.mts';
import { againName, itemsName, neverName, ReadingLab, reshapedName, type Before } from './reading.mts';
import type { Reshaping } from './worker/helper-nodes.mts';
import { words } from '../cases/values.mts';
import { runs } from '../runs.mts';

jest.setTimeout(600_000);

/** The ways to name an item of a node, the node's name in quotes. */
const itemsOf = (name: string): string[] => [
	...['item', 'first()', 'last()', 'all()[0]', 'all()[1]', 'all()[99]'].map((which) => `$(${name}).${which}`),
	`$node[${name}]`,
];

/** Items that paths begin with, some of which are not there. */
const roots = [
	...[`"${itemsName}"`, `'${itemsName}'`, `"${againName}"`, `'It\\'s'`, `"${reshapedName}"`].flatMap(itemsOf),
	...[`'${neverName}'`, '"Nowhere"', '"constructor"', '"__proto__"', '"toString"', '""'].flatMap(itemsOf),
	...['item', 'first()', 'last()', 'all()[0]', 'all()[99]'].map((which) => `$input.${which}`),
	`$(Items).item`,
	`$('${itemsName}').itemMatching(0)`,
	`$('${itemsName}').all().at(-1)`,
];

/** Paths as drag and drop writes them. */
const paths = [
	...words('$json.globalThis $json.$.a $json.constructorName $json["a.constructor"] $json.a $json.b.c'),
	...words('$json["a"] $json[\'n\'] $json.list[0] $json.list[1] $json.b["c"] $json.missing $json.missing[0]'),
	...words('$json.a.no.such.thing $json.a.length $json.a.constructor $json["constructor"] $json.__proto__'),
	...words('$json["a.first(b"] $json.list $json.b $("Nowhere").item.json.a'),
	'$json["first name"]',
	`$("${itemsName}").item.json.a`,
	`$('${itemsName}').item.json.b.c`,
	`$('${itemsName}').first().json["n"]`,
	`$("${itemsName}").last().json.list[0]`,
	...words('$json?.a $json.b?.c $json.b?.["c"] $json.list?.[1] $json.missing?.a $input.item.json.b.c'),
	...roots.map((root) => `${root}.json.a`),
	...roots.slice(0, 14).flatMap((root) => [`${root}?.json.a`, `${root}.json?.a`, `${root}.json.b.c`]),
	...roots
		.slice(0, 7)
		.flatMap((root) => [`${root}.json`, `${root}.json.missing`, `${root}.json["a.constructor"]`]),
	...roots.slice(0, 7).map((root) => `${root}.binary.data`),
];

/** Expressions that n8n must evaluate: code, lookalikes of paths, and ones that fail or change the item. */
const others = [
	'$json',
	'$json.b?.c.toTitleCase()',
	'$json.a + "-" + $itemIndex',
	'$json.list.first()',
	'$json[$json.n ? "a" : "b"]',
	`$("${itemsName}").all()[1].json.a`,
	'undefined',
	'"a.first(b" + $json.a',
	'$json.a, $json.n',
	'$json.a) , ($json.b',
	'$json.a // ',
	'$json.a; $json.n',
	'...$json.list',
	'$json.a.noSuchMethod()',
	'$json["\\u0061"]',
	'$json[00]',
	'\n$json.a\n',
	'noSuchName',
	'}',
	'',
	'$json.a }} {{ $json.n',
	'$json.a = 5',
	`$('${itemsName}').item.json.a = 6`,
	`$('${itemsName}').first().json = { a: 8 }`,
	'$json.list.unshift("more")',
	'$input.all().forEach(({ json }) => { json.n = 7; })',
];

const rich: IDataObject[] = [1, 2, 3, 4].map((n) => ({
	a: `anna${n}@shop.example`,
	b: { c: 'blue' },
	n,
	list: ['x', 'y'],
	globalThis: 'not the global object',
	$: { a: 'dollar' },
	constructorName: 'a name',
	'a.constructor': 'a name',
}));

/** Parameters among which there is one to look at. */
const beside = (b: unknown) =>
	({
		a: `={{ $('${itemsName}').first().json.a }}`,
		b,
		c: '={{ $json.n }}',
		d: '=Hello {{ $json.b.c }}!',
	}) as INodeParameters;

/** Names that an engine treats in a special way, or that are hard to write. */
const specialNames = [
	...words('$ $id _ class this window global globalThis process undefined null length toString valueOf'),
	...words('hasOwnProperty constructor constructorName __proto__ prototype caller arguments binding first'),
	...words('isEmpty toJSON then json isProxy __isArray __isError 00 -1 1.0 a.b a.first(b x]y [0] grün 数 😀'),
	...['', ' ', "it's", 'say "so"', '\u2028', '\\', '}'],
];

/** Names of fields. */
const fieldName = fc.oneof(
	{ weight: 3, arbitrary: fc.constantFrom('a', 'b', 'n', 'list', 'first name', '0', '1') },
	{ weight: 2, arbitrary: fc.constantFrom(...specialNames) },
	{ weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
);

const { object: itemJson } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3 },
		{
			weight: 4,
			arbitrary: fc.oneof(
				fc.constantFrom(null, true, false, '', ' ', '0', '={{ $json.a }}', '{{ 1 }}', '}}', '\\'),
				fc.constantFrom('2026-01-02T03:04:05.678Z', '12345678901234567890', '007', '1e3'),
				fc.string({ unit: 'binary', maxLength: 6 }),
				fc.constantFrom(0, 1, 0.1, 1e21, 1e-7, 2 ** 53 + 2, Number.MAX_VALUE, 5e-324),
				fc.double({ noNaN: true, noDefaultInfinity: true }),
			),
		},
		{ weight: 2, arbitrary: tie('object') },
		{ weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
	),
	object: fc
		.array(fc.tuple(fieldName, tie('value')), { maxLength: 12 })
		// As JSON.parse does: also "__proto__" becomes a field.
		.map(
			(fields) =>
				JSON.parse(
					`{${fields.map((field) => field.map((part) => JSON.stringify(part)).join(':')).join()}}`,
				) as object,
		),
}));

/** The names in every path that leads to something in these items. */
function pathsIn(value: unknown): string[][] {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, member]) => [
		[name],
		...pathsIn(member).map((names) => [name, ...names]),
	]);
}

/** A name in a path, in one of the ways in which JavaScript allows to write it. */
function step(name: string, way: number): string {
	if (way === 0 && /^[a-z_$][\w$]*$/i.test(name)) return `.${name}`;
	if (way < 3 && /^\d+$/.test(name)) return `[${name}]`;
	return way === 1 && !/['\\\n]/.test(name) ? `['${name}']` : `[${JSON.stringify(name)}]`;
}

const root = fc.oneof(
	{ weight: 6, arbitrary: fc.constant('$json') },
	{ weight: 4, arbitrary: fc.constantFrom(...roots).map((item) => `${item}.json`) },
);
const around = fc.constantFrom('', '', '', ' ', 'Hello ', '"', '{', '}}', '\n', '. ', '= ', 'first(');

/** Parameters with expressions that find something in one of these items, or nothing. */
function parametersFor(items: readonly object[]): fc.Arbitrary<Record<string, unknown>> {
	const path = fc.oneof(
		{ weight: 5, arbitrary: fc.constantFrom(['a'], ...items.flatMap(pathsIn)) },
		{ weight: 1, arbitrary: fc.array(fieldName, { minLength: 1, maxLength: 3 }) },
	);
	const expression = fc
		.tuple(root, path, fc.nat(3), fc.constantFrom('', ' ', '\n'))
		.map(
			([from, names, way, space]) =>
				`{{${space}${from}${names.map((name) => step(name, way)).join('')}${space}}}`,
		);
	const text = fc
		.tuple(fc.array(fc.tuple(around, expression), { minLength: 1, maxLength: 2 }), around)
		.map(([parts, end]) => `=${parts.flat().join('')}${end}`);
	const collection = fc.record({
		x: text,
		timeout: fc.constant(5),
		rows: fc.array(fc.record({ value: text }), { maxLength: 2 }),
	});
	const parameter = fc.oneof(
		{ weight: 4, arbitrary: expression.map((alone) => `=${alone}`) },
		{ weight: 2, arbitrary: text },
		{ weight: 1, arbitrary: collection },
	);
	const names = words('a b c d collection locator');
	return fc.record(Object.fromEntries(names.map((name) => [name, parameter])));
}

/** Items most of which are alike, and parameters for them. */
const itemsAndParameters = fc
	.tuple(itemJson, fc.array(fc.option(itemJson, { freq: 1, nil: {} }), { minLength: 10, maxLength: 20 }))
	.map(([usual, own]) => own.map((fields): object => ({ ...usual, ...fields })))
	.chain((items) =>
		fc.tuple(fc.constant(items), fc.array(parametersFor(items), { minLength: 10, maxLength: 20 })),
	);

describe.each<ExpressionEngine>(['vm', 'legacy'])('in the engine "%s"', (expressions) => {
	const lab = new ReadingLab();
	beforeAll(async () => await lab.start(expressions));
	afterAll(async () => await lab.stop());

	test('expressions of every kind, beside others', async () => {
		const alone = [...paths, ...others].flatMap((inner) => [`={{ ${inner} }}`, `={{${inner}}}`, `=${inner}`]);
		await lab.expectTheSame(alone.map(beside), rich);
	});

	test.each<Reshaping>([
		'Edit Fields',
		'Split Out',
		'Aggregate',
		'Merge, Append',
		'Merge, Combine',
		'says nothing',
	])("other nodes' items, behind a node that makes others of them: %s", async (reshaped) => {
		const values = roots.flatMap((root) => [`={{ ${root}.json.a }}`, `=So: {{ ${root}.json.b.c }}`]);
		await lab.expectTheSame(values.map(beside), rich, { reshaped });
	});

	test.each<[string, Before]>([
		['in one run', {}],
		['behind a node that combines them', { reshaped: 'Merge, Combine' }],
		['in the runs of a loop, behind a node that splits them', { batchSize: 3, reshaped: 'Split Out' }],
		['in the runs of a loop', { batchSize: 3 }],
		['from a node with pinned data', { pinned: true }],
	])('thousands of items and expressions, %s', async (_where, before) => {
		let [read, lookedUp] = [0, 0];
		await fc.assert(
			fc.asyncProperty(itemsAndParameters, async ([items, nodes]) => {
				const readings = await lab.expectTheSame(nodes as unknown as INodeParameters[], items, before);
				for (const { alone, values } of readings) {
					read += Object.keys(values).length;
					lookedUp += Object.keys(values).length - alone;
				}
			}),
			// Each run takes a second, so a counterexample is not made smaller.
			{ ...runs(1), endOnFailure: true },
		);
		expect(lookedUp).toBeGreaterThan(read / 20);
	});
});
