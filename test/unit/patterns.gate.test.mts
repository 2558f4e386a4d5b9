/**
 * Every regular expression of the package takes linear time. Texts come from anybody, and one that takes longer stops n8n
 * for everybody.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSync } from 'recheck';
import ts from 'typescript';

// One checker for all machines, in JavaScript.
process.env.RECHECK_BACKEND = 'pure';
// A guard against hanging: a busy machine may take long.
jest.setTimeout(600_000);

const root = join(import.meta.dirname, '../..');
const files = globSync('{nodes,credentials}/**/*.ts', { cwd: root });

/** All nodes of a syntax tree. */
function* nodesIn(node: ts.Node): Generator<ts.Node> {
	yield node;
	for (const child of node.getChildren()) yield* nodesIn(child);
}

const parsed = files.map((file) => {
	const text = readFileSync(join(root, file), 'utf8');
	return [file, [...nodesIn(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))]] as const;
});

const literals = parsed.flatMap(([file, nodes]) =>
	nodes.filter(ts.isRegularExpressionLiteral).map(({ text }) => {
		const [, source = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(text) ?? [];
		return { file, source, flags };
	}),
);

/** Where patterns are made of texts: how many places there are in each file. */
const makers = parsed.flatMap(([file, nodes]) => {
	const places = nodes.filter(
		(node) =>
			(ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp',
	);
	return places.length === 0 ? [] : [[file, places.length] as const];
});

/** The patterns that are made when the package is loaded, and for these keys; by the place in a file that makes them. */
async function made(
	keys: readonly string[],
): Promise<Array<{ file: string; source: string; flags: string }>> {
	const found = new Map<string, { file: string; source: string; flags: string }>();
	const Own = globalThis.RegExp;
	const note = (given: readonly unknown[]): RegExp => {
		const pattern = Reflect.construct(Own, given) as RegExp;
		// Behind the message, this function, and the trap that calls it.
		const place = new Error().stack?.split('\n')[3] ?? '';
		const [, file, position = ''] = /\/((?:nodes|credentials)\/[^:]*):([\d:]+)/.exec(place) ?? [];
		if (file !== undefined && files.includes(file))
			found.set(`${file}:${position}`, { file, source: pattern.source, flags: pattern.flags });
		return pattern;
	};
	globalThis.RegExp = new Proxy(Own, {
		construct: (_target, given: unknown[]) => note(given),
		apply: (_target, _this, given: unknown[]) => note(given),
	});
	try {
		jest.resetModules();
		for (const file of files) await import(join(root, file));
		const { maskOf } = await import('../../nodes/Messaging/service/secrets.ts');
		maskOf(...keys);
	} finally {
		globalThis.RegExp = Own;
	}
	return [...found.values()];
}

/** What the checker says of a pattern that is not linear. */
function complaint({ file, source, flags }: { file: string; source: string; flags: string }): string[] {
	// An attack that takes longer than a second counts as not linear. On a busy machine, a linear one may take as long.
	const found = checkSync(source, flags, { timeout: 300_000, attackTimeout: 10_000, randomSeed: 1 });
	if (found.status === 'safe') return [];
	const why = found.status === 'vulnerable' ? found.complexity.summary : found.error.kind;
	return [`${file}: /${source}/${flags}: ${why}`];
}

test('each literal', () => {
	expect(literals.length).toBeGreaterThan(100);
	expect(literals.flatMap(complaint)).toEqual([]);
});

test.each(['acc_0123456789abcdef', 'a+b', 'Bearer gateway/secret 1234', '50% "a" = b'])(
	'each that is made of texts, for the key %s',
	async (key) => {
		const patterns = await made([key]);
		const counts = new Map<string, number>();
		for (const { file } of patterns) counts.set(file, (counts.get(file) ?? 0) + 1);
		// So none of them escapes the check.
		expect([...counts].sort()).toEqual([...makers].sort());
		expect(patterns.flatMap(complaint)).toEqual([]);
	},
);

test('the checker finds what is not linear', () => {
	expect(complaint({ file: '', source: String.raw`^\s+|\s+$`, flags: 'g' })).toHaveLength(1);
});
