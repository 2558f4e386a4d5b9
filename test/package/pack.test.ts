import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	appendFileSync,
	chmodSync,
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
import { join } from 'node:path';
import { promisify } from 'node:util';

import { copySources, packElsewhere, plainEnvironment } from '../../release/pack.ts';
import { sbomOf } from '../../release/sbom.ts';
import { operations } from '../../nodes/Messaging/operations/index.ts';

/** `npm pack` as somebody runs it in a clone: nothing is built there yet. */

const run = promisify(execFile);
const root = process.cwd();
const shell = process.platform === 'win32';
/** Types are checked as well, on a busy machine. */
jest.setTimeout(300_000);

let clone = '';

beforeEach(() => {
	clone = mkdtempSync(join(tmpdir(), 'unified-messaging-clone-'));
	copySources(root, clone);
});

afterEach(() => rmSync(clone, { recursive: true, force: true }));

function installTools(): void {
	symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'), 'junction');
}

const digestOf = (path: string, algorithm = 'sha256'): string =>
	createHash(algorithm).update(readFileSync(path)).digest('hex');

test('in a fresh clone, after "npm install", it packs a package that works, and comes out the same elsewhere', async () => {
	installTools();
	// As with a umask of 077 in one place, and of 022 in the other.
	chmodSync(join(clone, 'README.md'), 0o600);
	await run('npm', ['pack'], { cwd: clone, shell, env: plainEnvironment() });

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

	// In another folder, on another day, in another language, and so on.
	const elsewhere = await packElsewhere(clone, join(clone, 'installed'));
	expect(digestOf(elsewhere)).toBe(digestOf(tarball));

	// The bill of materials of what was packed: the package, and nothing else.
	expect(await sbomOf(tarball)).toMatchObject({
		bomFormat: 'CycloneDX',
		metadata: {
			component: {
				name: manifest.name,
				version: manifest.version,
				purl: `pkg:npm/${manifest.name}@${manifest.version}`,
				hashes: [
					{ alg: 'SHA-256', content: digestOf(tarball) },
					{ alg: 'SHA-512', content: digestOf(tarball, 'sha512') },
				],
			},
		},
		components: [],
		dependencies: [{ ref: `pkg:npm/${manifest.name}@${manifest.version}`, dependsOn: [] }],
	});
	expect(await sbomOf(elsewhere)).toStrictEqual(await sbomOf(tarball));
});

test('nothing of anybody else is built into it, as no list of dependencies would show that', async () => {
	installTools();
	appendFileSync(join(clone, 'nodes/Messaging/json/parse.ts'), "export { DateTime } from 'luxon';\n");
	const gulp = join(clone, 'node_modules/gulp/bin/gulp.js');
	const building = run(process.execPath, [gulp, 'build'], { cwd: clone, env: plainEnvironment() });
	const { stderr } = await building.then(
		() => ({ stderr: '' }),
		(error: unknown) => error as { stderr: string },
	);
	expect(stderr).toMatch(/The package holds nothing but its own code, not \S*node_modules\/luxon\//);
	expect(existsSync(join(clone, 'dist'))).toBe(false);
});

test('before "npm install", one line says what is missing, and nothing is packed', async () => {
	const packing = run('npm', ['pack'], { cwd: clone, shell, env: plainEnvironment() });
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
		const options = { cwd: project, shell, env: plainEnvironment() };
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
