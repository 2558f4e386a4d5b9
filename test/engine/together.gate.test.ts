import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { character } from '../unit/support/arbitraries.ts';
import { startEngine, type Engine } from './engine.ts';
import type { ExpressionEngine } from './protocol.ts';
import type { Reading } from './reading-node.ts';
import { ReadingPackage, readingType } from './reading-package.ts';
import { node, startNode, startName, workflow } from './workflow.ts';

const numRuns = 2;
/** The limit for shrinking a failing case, well below jest's timeout. */
const interruptAfterTimeLimit = 60_000;

jest.setTimeout(120_000);

/** Paths as drag and drop writes them. */
const paths = [
	'$json.a',
	'$json.b.c',
	'$json["a"]',
	"$json['n']",
	'$json.list[0]',
	'$json.list[1]',
	'$json.b["c"]',
	'$json.missing',
	'$json.missing[0]',
	'$json.a.no.such.thing',
	'$json["first name"]',
	'$json.a.length',
	'$json.a.constructor',
	'$json["constructor"]',
	'$json.__proto__',
	'$json["a.first(b"]',
	'$json.list',
	'$json.b',
	`$("${startName}").item.json.a`,
	`$('${startName}').item.json.b.c`,
	`$('${startName}').first().json["n"]`,
	`$("${startName}").last().json.list[0]`,
	'$("Nowhere").item.json.a',
];

/** Expressions that n8n must evaluate: code, lookalikes of paths, and ones that fail or change the item. */
const others = [
	'$json',
	'$json.b?.c.toTitleCase()',
	'$json.a + "-" + $itemIndex',
	'$json.list.first()',
	'$json[$json.n ? "a" : "b"]',
	`$("${startName}").all()[1].json.a`,
	'$now',
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
	'$json.a = 5',
	'$json.list.unshift("more")',
	'$input.all().forEach(({ json }) => { json.n = 7; })',
];

/** Text around braces. */
const around = fc
	.array(
		fc.constantFrom(
			'',
			' ',
			'Hello ',
			"Don't",
			'"so" (it is',
			'.',
			'?.',
			'.first(',
			', ',
			'\n',
			'{',
			'}}',
			'\\',
			'=',
		),
		{ maxLength: 2 },
	)
	.map((parts) => parts.join(''));

/** Code in braces, alone or within text. */
const braced = (code: fc.Arbitrary<string>): fc.Arbitrary<string> =>
	fc.oneof(
		{ weight: 10, arbitrary: code.map((inner) => `={{ ${inner} }}`) },
		{
			weight: 6,
			arbitrary: fc
				.tuple(around, fc.array(fc.tuple(code, around), { minLength: 1, maxLength: 3 }))
				.map(
					([first, parts]) => `=${first}${parts.map(([inner, text]) => `{{ ${inner} }}${text}`).join('')}`,
				),
		},
		{ weight: 2, arbitrary: code.map((inner) => `={{${inner}}}`) },
		{ weight: 1, arbitrary: code.map((inner) => `=${inner}`) },
		{ weight: 1, arbitrary: code },
	);

const code = fc.oneof(
	{ weight: 14, arbitrary: fc.constantFrom(...paths) },
	// Time passes between the two reads.
	{ weight: 3, arbitrary: fc.constantFrom(...others.filter((each) => each !== '$now')) },
	{ weight: 1, arbitrary: fc.string({ unit: character, maxLength: 8 }) },
);

const parameter: fc.Arbitrary<unknown> = braced(code);

const staticValue = fc.constantFrom<unknown>('', 'text', 0, 7, false, true);

const collection = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.dictionary(
			fc.constantFrom('x', 'y', 'onceKey', '__proto__'),
			fc.oneof(parameter, staticValue),
			{
				noNullPrototype: true,
			},
		),
	},
	{ weight: 1, arbitrary: fc.record({ x: parameter, deep: fc.record({ y: parameter }) }) },
	{ weight: 1, arbitrary: fc.record({ x: parameter, nothing: fc.constant(null) }) },
	{ weight: 1, arbitrary: fc.record({ rows: fc.array(fc.record({ name: staticValue, value: parameter })) }) },
);

const parameters = fc.record(
	{
		a: parameter,
		b: parameter,
		collection,
		c: fc.oneof(parameter, staticValue),
		d: parameter,
		locator: fc.record({
			__rl: fc.constant(true),
			mode: fc.constantFrom('id', '={{ "id" }}'),
			value: parameter,
		}),
	},
	{ requiredKeys: ['a', 'b'], noNullPrototype: true },
) as fc.Arbitrary<INodeParameters>;

const value = fc.oneof(
	fc.constantFrom<unknown>(null, '', ' ', '0', 'it\'s "x"', '={{ 1 }}', '{{ 2 }}', '}}', '\ud83d', true, -0),
	fc.string({ unit: character, maxLength: 6 }),
	fc.double({ noNaN: true, noDefaultInfinity: true }),
	fc.constantFrom<unknown>([], {}, ['x', 'y'], { d: 1 }, '2026-01-02T03:04:05.678Z'),
);

const item = fc.record(
	{
		a: fc.oneof(fc.constantFrom('anna', 'a@b.example', '0170 1'), value),
		b: fc.oneof(fc.record({ c: value }), value),
		n: fc.oneof(fc.integer(), value),
		list: fc.oneof(fc.array(value, { maxLength: 3 }), value),
	},
	{ requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<IDataObject>;

/** The parameters of a node, in the order in which they are read. */
interface Given {
	given: INodeParameters;
	order?: string[];
}

const ordered: fc.Arbitrary<Given> = parameters.chain((given) =>
	fc.record({
		given: fc.constant(given),
		order: fc.shuffledSubarray(Object.keys(given), { minLength: Object.keys(given).length }),
	}),
);

describe.each<ExpressionEngine>(['vm', 'legacy'])('in the engine "%s"', (expressions) => {
	const reading = new ReadingPackage();
	let engine: Engine;

	beforeAll(async () => {
		await reading.build();
		engine = await startEngine({ expressions, packages: [reading.path] });
	}, 60_000);

	afterAll(async () => {
		await engine.stop();
		reading.remove();
	});

	/** The values of each node's parameters for each item. */
	async function read(way: 'together' | 'alone', nodes: readonly Given[], items: IDataObject[]) {
		// Many nodes in one execution: making an isolate takes longer than evaluating everything in it.
		const readers = nodes.map(({ given, order = Object.keys(given) }, index) =>
			node(`Reading ${index}`, readingType, { ...given, order: order.join(' '), way }),
		);
		const run = await engine.run({
			workflow: workflow(
				[startNode(), ...readers],
				readers.map(({ name }) => [startName, name]),
			),
			items: items.map((json) => ({ json })),
			watch: startName,
		});
		expect(run.error).toBeUndefined();
		return readers.map(({ name }) => run.output(name).map(({ json }) => json as unknown as Reading));
	}

	async function expectTheSame(nodes: readonly Given[], items: IDataObject[]): Promise<void> {
		const together = await read('together', nodes, items);
		const alone = await read('alone', nodes, items);
		const valuesOf = (readings: Reading[][]) => readings.map((ofNode) => ofNode.map(({ values }) => values));
		expect(valuesOf(together)).toEqual(valuesOf(alone));
	}

	test('whatever stands in the parameters, they are read as n8n reads each of them', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(ordered, { minLength: 8, maxLength: 16 }),
				fc.array(item, { minLength: 3, maxLength: 5 }),
				expectTheSame,
			),
			{ numRuns, interruptAfterTimeLimit },
		);
	});

	const rich: IDataObject[] = [1, 2, 3, 4].map((n) => ({
		a: `anna${n}@shop.example`,
		b: { c: 'blue' },
		n,
		list: ['x', 'y'],
	}));

	const beside = (inner: string): Given => ({
		given: {
			a: `={{ $('${startName}').first().json.a }}`,
			b: `={{ ${inner} }}`,
			c: '={{ $json.n }}',
			d: '=Hello {{ $json.b.c }}!',
		},
	});

	test('expressions of every kind, beside others', async () => {
		await expectTheSame([...paths, ...others].map(beside), rich);
	});

	test('paths within a text, beside others', async () => {
		const within = (inner: string): Given => {
			const { given } = beside('$json.n');
			return { given: { ...given, b: `=Don't {{ ${inner} }} "say" (so)`, c: '={{ $json.list[1] }}!' } };
		};
		await expectTheSame(paths.map(within), rich);
	});

	test('three are evaluated at once for each item but the first', async () => {
		const given = {
			a: '={{ $json.a }}',
			b: `=Hello {{ $('${startName}').item.json.b.c }}`,
			collection: { x: true, y: '={{ $json.n }}' },
			c: 'static',
		};
		const [readings = []] = await read('together', [{ given }], rich);
		expect(readings.map(({ evaluations, alone }) => [evaluations, alone])).toEqual([
			[0, 4],
			[1, 1],
			[1, 1],
			[1, 1],
		]);
		expect(readings[3]?.values).toEqual({
			a: 'string "anna4@shop.example"',
			b: 'string "Hello blue"',
			collection: '[object Object] Object {"x": boolean true, "y": number 4}',
			c: 'string "static"',
		});
	});
});
