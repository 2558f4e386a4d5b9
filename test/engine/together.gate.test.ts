import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { character } from '../unit/support/arbitraries.ts';
import { startEngine, type Engine } from './engine.ts';
import type { ExpressionEngine } from './protocol.ts';
import type { Reading } from './reading-node.ts';
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
const around = fc.string({
	unit: fc.constantFrom(
		' ',
		'Hello',
		"Don't",
		'"so" (',
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
	maxLength: 2,
});

const code = fc.oneof(
	{ weight: 14, arbitrary: fc.constantFrom(...paths) },
	{ weight: 3, arbitrary: fc.constantFrom(...others) },
	{ weight: 1, arbitrary: fc.string({ unit: character, maxLength: 8 }) },
);

/** Code in braces, alone or within text. */
const parameter = fc.oneof(
	{ weight: 10, arbitrary: code.map((inner) => `={{ ${inner} }}`) },
	{
		weight: 6,
		arbitrary: fc
			.tuple(around, code, around, code)
			.map(([before, one, between, other]) => `=${before}{{ ${one} }}${between}{{${other}}}`),
	},
	{ weight: 1, arbitrary: code.map((inner) => `=${inner}`) },
	{ weight: 1, arbitrary: code },
);

const collection = fc.oneof(
	fc.dictionary(fc.constantFrom('x', 'y', 'onceKey', '__proto__'), parameter, { noNullPrototype: true }),
	fc.record({ x: parameter, nothing: fc.constant(null), deep: fc.record({ y: parameter }) }),
	fc.record({ rows: fc.array(fc.record({ name: fc.constant(7), value: parameter })) }),
);

/** The parameters of a node. */
const parameters = fc.record(
	{
		a: parameter,
		b: parameter,
		collection,
		c: fc.oneof(parameter, fc.constantFrom<unknown>('', 0, false)),
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
	fc.constantFrom<unknown>(
		null,
		'',
		' ',
		'0',
		'it\'s "x"',
		'={{ 1 }}',
		'{{ 2 }}',
		'}}',
		'\ud83d',
		true,
		-0,
		0.5,
	),
	fc.constantFrom<unknown>([], {}, ['x', 'y'], { c: 1 }, '2026-01-02T03:04:05.678Z'),
);

const item = fc.record(
	{ a: value, b: fc.oneof(fc.record({ c: value }), value), n: value, list: fc.oneof(fc.array(value), value) },
	{ requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<IDataObject>;

/** Builds a package with the node of `reading-node.ts`, as JavaScript that n8n loads. */
async function buildPackage(folder: string): Promise<void> {
	const root = process.cwd();
	// In a separate process: inside jest, esbuild does not recognize its own arrays.
	await promisify(execFile)(process.execPath, [
		join(root, 'node_modules', 'esbuild', 'bin', 'esbuild'),
		join(root, 'test', 'engine', 'reading-node.ts'),
		'--bundle',
		'--platform=node',
		'--format=cjs',
		`--outfile=${join(folder, 'ReadingNode.node.js')}`,
	]);
	const n8n = { n8nNodesApiVersion: 1, nodes: ['ReadingNode.node.js'], credentials: [] };
	const manifest = { name: 'n8n-nodes-reading', version: '1.0.0', n8n };
	writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
}

describe.each<ExpressionEngine>(['vm', 'legacy'])('in the engine "%s"', (expressions) => {
	const folder = mkdtempSync(join(tmpdir(), 'messaging-reading-'));
	let engine: Engine;

	beforeAll(async () => {
		await buildPackage(folder);
		engine = await startEngine({ expressions, further: folder });
	}, 60_000);

	afterAll(async () => {
		await engine.stop();
		rmSync(folder, { recursive: true, force: true });
	});

	/** The values of each node's parameters for each item. */
	async function read(way: 'together' | 'alone', nodes: readonly INodeParameters[], items: IDataObject[]) {
		// Many nodes in one execution: making an isolate takes longer than evaluating everything in it.
		const readers = nodes.map((given, index) =>
			node(`Reading ${index}`, 'n8n-nodes-reading.readingNode', { ...given, way }),
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

	async function expectTheSame(nodes: readonly INodeParameters[], items: IDataObject[]): Promise<void> {
		const together = await read('together', nodes, items);
		const alone = await read('alone', nodes, items);
		const valuesOf = (readings: Reading[][]) => readings.map((ofNode) => ofNode.map(({ values }) => values));
		expect(valuesOf(together)).toEqual(valuesOf(alone));
	}

	test('whatever stands in the parameters, they are read as n8n reads each of them', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(parameters, { minLength: 8, maxLength: 16 }),
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

	const beside = (inner: string): INodeParameters => ({
		a: `={{ $('${startName}').first().json.a }}`,
		b: `={{ ${inner} }}`,
		c: '={{ $json.n }}',
		d: '=Hello {{ $json.b.c }}!',
	});

	test('expressions of every kind, beside others', async () => {
		await expectTheSame([...paths, ...others].map(beside), rich);
	});

	test('paths within a text, beside others', async () => {
		const within = (inner: string) => ({ ...beside('$json.n'), b: `=Don't {{ ${inner} }} "say" (so)` });
		await expectTheSame(paths.map(within), rich);
	});

	test('paths are evaluated at once for each item but the first', async () => {
		const [readings = []] = await read('together', [beside('$json.list[1]')], rich);
		expect(readings.map(({ evaluations }) => evaluations)).toEqual([0, 1, 1, 1]);
		expect(readings[3]?.values['a']).toBe('string "anna1@shop.example"');
	});
});
