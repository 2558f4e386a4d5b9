import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

import { Copy, type Ended } from './copy.ts';
import { mistakes, type Step, type StepPath, steps } from './fifteenth.ts';
import { Types } from './types.ts';

/** CONTRIBUTING.md, followed to the letter, and what becomes of it when a step is forgotten. */

const paths = Object.keys(steps) as StepPath[];

let copy: Copy;
let types: Types;
/** The files before anything was done; null where there is none yet. */
const originals = new Map<string, string | null>();

beforeAll(() => {
	copy = new Copy(process.cwd());
	types = new Types(copy.root);
	for (const path of paths) originals.set(path, existsSync(join(copy.root, path)) ? copy.read(path) : null);
});

afterAll(() => copy.delete());

async function take(path: StepPath): Promise<void> {
	const step: Step = steps[path];
	if (typeof step === 'function') {
		const text = step(originals.get(path) ?? '');
		const options = await resolveConfig(join(copy.root, path), { editorconfig: false });
		copy.write(path, await format(text, { ...options, filepath: path }));
	} else if (step.command === 'npm run types:api') {
		expectDone(copy.run('openapi-typescript/bin/cli.js', 'api/openapi.yaml', '--output', 'api/schema.d.ts'));
	} else {
		build();
		expectDone(copy.node('test/contract/write.ts'));
	}
}

function undo(path: StepPath): void {
	const original = originals.get(path) ?? null;
	if (original === null) copy.remove(path);
	else copy.write(path, original);
}

function build(): void {
	expectDone(copy.run('gulp/bin/gulp.js', 'build'));
}

function jest(...given: string[]): Ended {
	return copy.run('jest/bin/jest.js', '--maxWorkers=1', ...given);
}

function expectDone({ ok, output }: Ended): void {
	if (!ok) throw new Error(output);
}

/** What a step left out is found by, the quickest first: the compiler, then these tests. */
function found(): string[] {
	const errors = types.errors('tsconfig.dev.json');
	if (errors.length > 0) return errors;
	const { ok, output } = jest(
		'test/unit/operations',
		'test/unit/description',
		'test/unit/documents',
		'test/unit/api-types',
		'test/sandbox/operations',
	);
	return ok ? [] : [...output.matchAll(/^ +● (.*)$/gm)].map(([, title = '']) => title);
}

test('the book names each file, and no more than twelve', () => {
	const [, chapter = ''] = copy.read('CONTRIBUTING.md').split('\n## Adding an operation\n');
	const [book = ''] = chapter.split('\n## ');
	const named = [...book.matchAll(/^\| `([^`]+)` /gm)].map(([, path = '']) =>
		// A resource's file in the sandbox is called as paths are.
		path
			.replace('<resource>', path.startsWith('sandbox/') ? 'api-key' : 'apiKey')
			.replace('<operation>', 'getAll'),
	);
	expect(named.sort()).toStrictEqual([...paths].sort());
	expect(named.length).toBeLessThanOrEqual(12);
});

test('by the book, it is there: types, lint, unit, sandbox and engine tests', async () => {
	for (const path of paths) await take(path);

	expect(types.errors('tsconfig.json')).toStrictEqual([]);
	expect(types.errors('tsconfig.dev.json')).toStrictEqual([]);
	const sources = paths.filter((path) => path.startsWith('nodes/'));
	expectDone(copy.run('eslint/bin/eslint.js', ...sources));
	expectDone(copy.run('@redocly/cli/bin/cli.js', 'lint', 'api/openapi.yaml'));
	expectDone(
		jest('test/unit/operations', 'test/unit/description', 'test/unit/documents', 'test/unit/api-types'),
	);
	build();
	const own = jest('test/unit', 'test/sandbox', 'test/engine', '--testNamePattern', 'apiKey\\.getAll|menu');
	expectDone(own);
	expect(own.output).toMatch(/PASS test\/engine\/operations.test.ts/);
});

test.each(paths)('without %s, something says so', async (path) => {
	undo(path);
	try {
		expect(found()).not.toStrictEqual([]);
	} finally {
		await take(path);
	}
});

test.each(Object.entries(mistakes))('%s: something says so', async (_what, { path, make }) => {
	const right = copy.read(path);
	const wrong = make(right);
	expect(wrong).not.toBe(right);
	copy.write(path, wrong);
	try {
		expect(found()).not.toStrictEqual([]);
	} finally {
		copy.write(path, right);
	}
});
