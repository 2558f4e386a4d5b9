import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startEngine, type Engine } from './engine.ts';
import type { ExpressionEngine } from './protocol.ts';
import type { Reading } from './reading-node.ts';
import { node, startNode, startName, workflow } from './workflow.ts';

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

/** Text before, between and after expressions. */
const around = [
	'',
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
	'. constructor',
];

/** Parameters that are no text, with an expression in them. */
const shapesOf = (value: string): unknown[] => [
	{ x: value, y: 7, nothing: null, deep: { y: value } },
	JSON.parse(`{ "__proto__": ${JSON.stringify(value)}, "onceKey": "={{ $json.n }}" }`),
	{ rows: [{ name: true, value }, { value }] },
	{ __rl: true, mode: '={{ "id" }}', value },
	[],
	0,
];

const rich: IDataObject[] = [1, 2, 3, 4].map((n) => ({
	a: `anna${n}@shop.example`,
	b: { c: 'blue' },
	n,
	list: ['x', 'y'],
}));

/** Items with odd values. */
const odd = [
	{},
	...[null, '', ' ', '0', 'it\'s "x"', '={{ 1 }}', '{{ 2 }}', '}}', '\ud83d', true, -0, 0.5, [], {}].map(
		(value) => ({
			a: value,
			b: { c: value },
			n: value,
			list: [value],
		}),
	),
	{ a: ['x', 'y'], b: 'text', n: { c: 1 }, list: '2026-01-02T03:04:05.678Z' },
] as IDataObject[];

/** Parameters among which there is one to look at. */
const beside = (b: unknown) =>
	({
		a: `={{ $('${startName}').first().json.a }}`,
		b,
		c: '={{ $json.n }}',
		d: '=Hello {{ $json.b.c }}!',
	}) as INodeParameters;

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

	test('expressions of every kind, beside others', async () => {
		const alone = [...paths, ...others].flatMap((inner) => [`={{ ${inner} }}`, `={{${inner}}}`, `=${inner}`]);
		await expectTheSame(alone.map(beside), rich);
	});

	test('paths within a text, beside others', async () => {
		const texts = around.flatMap((before, n) =>
			around.map((between, m) => {
				const [one, other] = [paths[n], paths[(n + m) % paths.length]];
				return `=${before}{{ ${one} }}${between}{{${other}}}`;
			}),
		);
		await expectTheSame(texts.map(beside), rich);
	});

	test('parameters of every shape, for items with odd values', async () => {
		const values = ['$json.a', '$json.list[0]', '$json.b["c"]'].flatMap((path) => [
			`={{ ${path} }}`,
			`=So: {{ ${path} }}{{ $json.n }}`,
		]);
		await expectTheSame([...values, ...values.flatMap(shapesOf)].map(beside), odd);
	});

	test('paths are evaluated at once for each item but the first', async () => {
		const [readings = []] = await read('together', [beside('={{ $json.list[1] }}')], rich);
		expect(readings.map(({ evaluations }) => evaluations)).toEqual([0, 1, 1, 1]);
		expect(readings[3]?.values['a']).toBe('string "anna1@shop.example"');
	});
});
