import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { Copy, type Ended } from './copy.ts';
import { type Finder, missed, mistakes, type Step, type StepPath, steps } from './fifteenth.ts';
import { Types } from './types.ts';

/** CONTRIBUTING.md, followed to the letter, and what becomes of it when a step is forgotten. */

const paths = Object.keys(steps) as StepPath[];

let copy: Copy;
let types: Types;
/** The files before anything was done; null where there is none yet. */
const originals = new Map<string, string | null>();
/** The files as the steps have left them. */
const taken = new Map<string, string>();

beforeAll(() => {
	copy = new Copy(process.cwd());
	types = new Types(copy.root);
	for (const path of paths) originals.set(path, existsSync(join(copy.root, path)) ? copy.read(path) : null);
});

afterAll(() => copy.delete());

function take(path: StepPath): void {
	const step: Step = steps[path];
	if (typeof step === 'function') {
		copy.write(
			path,
			step(originals.get(path) ?? '', (neighbour) => copy.read(neighbour)),
		);
		expectDone(copy.run('oxfmt/bin/oxfmt', path));
	} else if (step.command === 'npm run types:api') {
		expectDone(copy.run('openapi-typescript/bin/cli.js', 'api/openapi.yaml', '--output', 'api/schema.d.ts'));
	} else if (step.command === 'npm run docs') {
		expectDone(jest('--config', 'test/docs/jest.config.mjs'));
	} else {
		build();
		expectDone(copy.node('test/contract/write.ts'));
	}
	taken.set(path, copy.read(path));
}

/** Makes good what was undone. */
function retake(path: StepPath): void {
	copy.write(path, taken.get(path) ?? '');
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

/** Whether something is wrong in the eyes of the compiler, or of a test; the compiler's objections spare the test. */
function expectFoundBy(finder: Finder): void {
	const errors = types.errors('tsconfig.json');
	if (finder === 'the compiler') {
		expect(errors).not.toStrictEqual([]);
	} else {
		expect(errors).toStrictEqual([]);
		// Tests build the package before they begin.
		const isBuild = finder === 'the build';
		const { ok, output } = jest(isBuild ? 'test/unit/api-types.test.ts' : finder);
		expect(output).toContain(isBuild ? "The package can't be built" : `FAIL ${finder}`);
		expect(ok).toBe(false);
	}
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

test('by the book, it is there: types, lint, unit, sandbox and engine tests', () => {
	for (const path of paths) take(path);

	expect(types.errors('nodes/tsconfig.json')).toStrictEqual([]);
	expect(types.errors('tsconfig.json')).toStrictEqual([]);
	expectDone(copy.run('eslint/bin/eslint.js', ...paths.filter((path) => path.startsWith('nodes/'))));
	expectDone(copy.run('@redocly/cli/bin/cli.js', 'lint', 'api/openapi.yaml'));
	const finders = new Set([...Object.values(missed), ...mistakes.map(({ finder }) => finder)]);
	expectDone(jest(...[...finders].filter((finder) => finder.startsWith('test/'))));
	build();
	const goingThroughCases = ['unit/operations', 'unit/properties', 'sandbox/operations'].map(
		(path) => `test/${path}`,
	);
	const own = jest(
		...goingThroughCases,
		'test/engine/(operations|validation|replies|loading)',
		'--testNamePattern',
		'apiKey\\.getAll|each operation has one menu entry',
	);
	expectDone(own);
	expect(own.output).toContain('PASS test/engine/operations.test.ts');
});

test.each(Object.entries(missed) as Array<[StepPath, Finder]>)('without %s, %s says so', (path, finder) => {
	undo(path);
	try {
		expectFoundBy(finder);
	} finally {
		retake(path);
	}
});

test.each(mistakes)('$what: $finder says so', ({ path, make, finder }) => {
	const right = copy.read(path);
	const wrong = make(right);
	expect(wrong).not.toBe(right);
	copy.write(path, wrong);
	try {
		expectFoundBy(finder);
	} finally {
		copy.write(path, right);
	}
});
