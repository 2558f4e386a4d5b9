import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** The package as it would be published. Jest builds it before the tests. */

const run = promisify(execFile);
const root = process.cwd();

/** npm and ESLint start slowly on a busy machine. */
jest.setTimeout(180_000);

/** What npm says of the package that it would make. */
let packed: { files: Array<{ path: string; size: number }>; size: number };
const paths = () => packed.files.map(({ path }) => path);
const code = () => paths().filter((path) => path.endsWith('.js'));
const contentOf = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(contentOf('package.json')) as {
	n8n: { strict: boolean };
	dependencies?: object;
	optionalDependencies?: object;
	bundleDependencies?: unknown;
	overrides?: object;
	peerDependencies: object;
	scripts: Record<string, string>;
};

beforeAll(async () => {
	const shell = process.platform === 'win32';
	const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
		cwd: root,
		shell,
	});
	[packed] = JSON.parse(stdout) as [typeof packed];
});

describe('what is in it', () => {
	test('the papers, and code, icons, codex files and output schemas of the build', () => {
		const papers = paths().filter((path) => !path.startsWith('dist/'));
		const required = papers.filter((path) => path !== 'CHANGELOG.md').sort();
		expect(required).toStrictEqual(['LICENSE.md', 'README.md', 'package.json']);
		const ofBuild = /\.(js|svg|node\.json)$|\/__schema__\/[\w./]+\.json$/;
		const odd = paths().filter((path) => path.startsWith('dist/') && !ofBuild.test(path));
		expect(odd).toStrictEqual([]);
		expect(paths().filter((path) => /\.(d\.ts|map|tsbuildinfo)$|\/(test|dev)\//.test(path))).toStrictEqual(
			[],
		);
	});

	// A guard against what gets in by mistake: 2 % above what it was on 2026-11-29, 142 and 442 KB.
	test('less than 145 KB to download, and less than 451 KB of code', () => {
		expect(packed.size).toBeGreaterThan(10_000);
		expect(packed.size).toBeLessThan(145_000);
		const sizes = packed.files.map(({ path, size }) => (path.endsWith('.js') ? size : 0));
		expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(451_000);
	});

	test('each source file under its own name, without comments', () => {
		const sources = ['nodes', 'credentials'].flatMap((folder) =>
			readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
				.filter((path) => path.endsWith('.ts'))
				.map((path) => join('dist', folder, path.replace(/ts$/, 'js'))),
		);
		expect(code().sort()).toStrictEqual(sources.sort());
		expect(code().filter((path) => /^\s*(\/\*\*|\/\/)/m.test(contentOf(path)))).toStrictEqual([]);
	});
});

describe('what it needs', () => {
	test('no runtime dependencies, and n8n-workflow from n8n', () => {
		const { dependencies, optionalDependencies, bundleDependencies, overrides, peerDependencies, n8n } =
			manifest;
		expect({ ...dependencies, ...optionalDependencies }).toStrictEqual({});
		expect([bundleDependencies, overrides]).toStrictEqual([undefined, undefined]);
		expect(peerDependencies).toStrictEqual({ 'n8n-workflow': '*' });
		expect(n8n.strict).toBe(true);
	});

	test('its code requires its own files, n8n-workflow and node:crypto: it reads no files and no environment', () => {
		const required = code().flatMap((path) =>
			[...contentOf(path).matchAll(/\b(?:require|import)\(["']([^"']+)["']\)/g)].map(([, name = '']) => name),
		);
		const foreign = required.filter((name) => !name.startsWith('.'));
		expect([...new Set(foreign)].sort()).toStrictEqual(['n8n-workflow', 'node:crypto']);
		expect(code().filter((path) => /\bprocess\s*[.[]/.test(contentOf(path)))).toStrictEqual([]);
	});

	test('what builds it is pinned by its content, on every platform', () => {
		const { packages } = JSON.parse(contentOf('package-lock.json')) as {
			packages: Record<string, { integrity?: string; link?: true }>;
		};
		const installed = Object.entries(packages).filter(([path, { link }]) => path !== '' && link !== true);
		expect(installed.length).toBeGreaterThan(1000);
		const isPinned = (integrity = ''): boolean => /^sha512-[\w+/]{86}==$/.test(integrity);
		expect(installed.filter(([, { integrity }]) => !isPinned(integrity)).map(([path]) => path)).toEqual([]);
	});

	test('nothing runs when it is installed', () => {
		const hooks = Object.keys(manifest.scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name));
		expect(hooks).toStrictEqual([]);
	});
});

describe("what n8n's reviewers run", () => {
	let folder: string;

	/** What is published, as sources: the rules of both are for nodes, not for what tests them. */
	beforeAll(() => {
		folder = mkdtempSync(join(tmpdir(), 'unified-messaging-review-'));
		for (const path of [
			'package.json',
			'eslint.config.mjs',
			'tsconfig.json',
			'nodes',
			'credentials',
			'icons',
		]) {
			cpSync(join(root, path), join(folder, 'source', path), { recursive: true });
		}
		for (const path of paths()) cpSync(join(root, path), join(folder, 'packed', path));
	});

	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	// With NODE_ENV=test, which jest sets, the rules treat every file as a node.
	const { NODE_ENV: _, ...env } = process.env;

	test('eslint.config.mjs is the one of n8n, to the letter', () => {
		const template = 'node_modules/@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs';
		expect(contentOf('eslint.config.mjs')).toBe(contentOf(template));
	});

	test('"npx n8n-node lint" finds nothing', async () => {
		const cli = join(root, 'node_modules/@n8n/node-cli/bin/n8n-node.mjs');
		const found = await run(process.execPath, [cli, 'lint'], { cwd: root, env }).then(
			() => '',
			({ stdout }: { stdout: string }) => stdout,
		);
		expect(found).toBe('');
	});

	/** Both in one process, which loads the scan's rules once. */
	test("n8n's own scan of community packages finds nothing in the sources, and nothing in the packed files", async () => {
		const scanner = pathToFileURL(join(root, 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs'));
		const scan = `
			import * as scanner from ${JSON.stringify(scanner.href)};
			const results = {};
			for (const [name, patterns] of [['source', scanner.SOURCE_FILE_PATTERNS], ['packed', ['**/*.js', 'package.json']]]) {
				const { passed, message, details } = await scanner.analyzePackage(${JSON.stringify(folder)} + '/' + name, patterns);
				results[name] = { passed, message, details };
			}
			console.log(JSON.stringify(results));
		`;
		const asModule = ['--input-type=module', '--eval', scan];
		const { stdout } = await run(process.execPath, asModule, { cwd: root, env });
		expect(JSON.parse(stdout)).toStrictEqual({ source: { passed: true }, packed: { passed: true } });
	});
});
