import { execFile } from 'node:child_process';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

import { operations } from '../../nodes/Messaging/operations/index.ts';

/** `npm pack` as somebody runs it in a clone: nothing is built there yet. */

const run = promisify(execFile);
const root = process.cwd();
const shell = process.platform === 'win32';
const leftOut = [
	'node_modules',
	'dist',
	'.git',
	'.cache',
	'.e2e',
	'coverage',
	join('harness', 'n8n', 'node_modules'),
];

/** Types are checked as well, on a busy machine. */
jest.setTimeout(300_000);

let clone = '';

beforeEach(() => {
	clone = mkdtempSync(join(tmpdir(), 'unified-messaging-clone-'));
	cpSync(root, clone, { recursive: true, filter: (path) => !leftOut.includes(relative(root, path)) });
});

afterEach(() => rmSync(clone, { recursive: true, force: true }));

/** What jest and the npm around it set does not reach the npm that is tested. */
function environment(): NodeJS.ProcessEnv {
	const names = Object.keys(process.env).filter((name) => !/^(npm_|NODE_ENV$|INIT_CWD$)/i.test(name));
	return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

test('in a fresh clone, after "npm install", it packs a package that works', async () => {
	symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'), 'junction');
	await run('npm', ['pack'], { cwd: clone, shell, env: environment() });

	const manifest = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as {
		name: string;
		version: string;
		n8n: { nodes: string[]; credentials: string[] };
	};
	const installed = join(clone, 'installed', 'node_modules', manifest.name);
	mkdirSync(installed, { recursive: true });
	const tarball = join(clone, `${manifest.name}-${manifest.version}.tgz`);
	await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
	const require = createRequire(join(installed, 'package.json'));
	const classes = [...manifest.n8n.nodes, ...manifest.n8n.credentials].flatMap((file) =>
		Object.keys(require(join(installed, file)) as object),
	);
	expect(classes).toStrictEqual(['Messaging', 'MessagingTrigger', 'MessagingApi']);
	const schemas = join(installed, 'dist', 'nodes', 'Messaging', '__schema__', 'v1.0.0');
	for (const { resource, name } of operations) {
		expect(existsSync(join(schemas, resource, `${name}.json`))).toBe(true);
	}
});

test('before "npm install", one line says what is missing, and nothing is packed', async () => {
	const packing = run('npm', ['pack'], { cwd: clone, shell, env: environment() });
	const { stderr } = await packing.then(
		() => ({ stderr: '' }),
		(error: unknown) => error as { stderr: string },
	);
	expect(stderr).toMatch(/^What the package is built with is missing .*: run "npm install" .*$/m);
	expect(stderr).not.toMatch(/not found|Cannot find module/);
	expect(existsSync(join(clone, 'dist'))).toBe(false);
});

describe('what "npm install" says in a clone', () => {
	let project = '';

	beforeEach(() => {
		project = join(clone, 'project');
		mkdirSync(join(project, 'newer'), { recursive: true });
		cpSync(join(root, '.npmrc'), join(project, '.npmrc'));
		writeFileSync(
			join(project, 'newer', 'package.json'),
			JSON.stringify({ name: 'newer', version: '1.0.0', engines: { node: '>=99' } }),
		);
	});

	/** Installs one dependency and gives everything that npm printed. */
	async function install(dependency: string): Promise<string> {
		const manifest = { name: 'project', private: true, dependencies: { newer: dependency } };
		writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
		const options = { cwd: project, shell, env: environment() };
		const printed = await run('npm', ['install', '--offline'], options).catch((error: unknown) => error);
		const { stdout, stderr } = printed as { stdout: string; stderr: string };
		return stdout + stderr;
	}

	test('nothing about a Node that is too old for a tool: the right one comes along', async () => {
		const printed = await install('file:./newer');
		expect(printed).toContain('added 1 package');
		expect(printed).not.toContain('EBADENGINE');
	});

	test('every error', async () => {
		expect(await install('file:./missing.tgz')).toContain('npm error');
	});
});
