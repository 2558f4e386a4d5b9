/** @jest-environment node */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { ensureN8n } from '../../harness/n8n/install.ts';
import { findNode24 } from '../../harness/n8n/node24.ts';
import { runPnpm } from '../../harness/n8n/package-managers.ts';
import { startSqlite3Aside } from '../../harness/n8n/sqlite3-aside.ts';
import { type PackageRegistry, startPackageRegistry, tarballPath } from './package-registry.ts';
import { makeProject, type OwnProject } from './project-of-its-own.ts';

const n8n = { name: 'n8n', version: '1.0.0', dependencies: { sqlite3: '1.0.0' } };
const sqlite3 = {
	name: 'sqlite3',
	version: '1.0.0',
	dependencies: { 'build-helper': '^1.0.0' },
	scripts: { install: 'node-gyp rebuild' },
};
const binary = 'build/Release/node_sqlite3.node';

/** Loads when its binary is whole. */
const loadsBinary = `if (require('fs').readFileSync(__dirname + '/${binary}', 'utf8') !== 'whole') throw new Error();`;

/** What is told of a build when it has begun. */
interface Build {
	readonly pid: number;
	/** Whether it goes on beside n8n's tree, and not in it. */
	readonly aside: boolean;
	/** Whether there was something built before it. */
	readonly found: boolean;
	/** The version of what it is built with. */
	readonly helper: string;
}

/** A node-gyp whose binary is half there until the registry has answered, which says how it ends. */
const nodeGyp = (url: string): string => `
const { existsSync, mkdirSync, rmSync, writeFileSync } = require('node:fs');
const found = existsSync('build');
const aside = !process.cwd().includes('harness');
const helper = require(process.cwd() + '/../build-helper/package.json').version;
mkdirSync('build/Release', { recursive: true });
writeFileSync('${binary}', 'half');
const body = JSON.stringify({ pid: process.pid, aside, found, helper });
fetch('${url}-/build', { method: 'POST', body }).then(async (answer) => {
	const ending = await answer.text();
	if (ending === 'whole') writeFileSync('${binary}', 'whole');
	if (ending === 'nothing') rmSync('${binary}');
	if (ending === 'failed') {
		console.error('gyp ERR! not ok');
		process.exit(1);
	}
});
`;

let registry: PackageRegistry;
let lock = '';
let project: OwnProject;
let builds: Build[] = [];
let written = '';

beforeAll(async () => {
	registry = await startPackageRegistry();
	registry.publish(
		{ manifest: n8n, files: { 'bin/n8n': '' } },
		{ manifest: sqlite3, files: { 'index.js': loadsBinary } },
		{ manifest: { name: 'build-helper', version: '1.0.0' } },
	);
	process.env['npm_config_registry'] = registry.url;
	process.env['npm_config_fetch_retries'] = '0';
	process.env['NO_PROXY'] = '127.0.0.1';
	project = projectWithN8n();
	const { root, folder } = project;
	await runPnpm(['install', '--lockfile-only'], { root, cwd: folder, node: findNode24() });
	lock = readFileSync(join(folder, 'pnpm-lock.yaml'), 'utf8');
	project.remove();
	registry.publish({ manifest: { name: 'build-helper', version: '1.1.0' } });
});

afterAll(async () => {
	for (const name of ['registry', 'fetch_retries']) {
		Reflect.deleteProperty(process.env, `npm_config_${name}`);
	}
	await registry.close();
});

beforeEach(() => {
	builds = [];
	written = '';
	registry.reset();
	project = projectWithN8n();
	project.write('harness/n8n/pnpm-lock.yaml', lock);
	project.buildWith(nodeGyp(registry.url));
});

afterEach(() => {
	project.remove();
});

function projectWithN8n(): OwnProject {
	const made = makeProject();
	made.write(
		'harness/n8n/package.json',
		JSON.stringify({ name: 'wants-n8n', dependencies: { n8n: n8n.version } }),
	);
	return made;
}

const install = async (): Promise<unknown> =>
	await ensureN8n({
		...project,
		output: { write: (text) => (written += text) },
		patience: { answerMs: 60_000, altogetherMs: 60_000 },
	});

/** Says how builds end, one after the other; each once what is given with it has come. */
function endBuilds(...endings: ReadonlyArray<'whole' | 'failed' | 'nothing' | Promise<'whole'>>): void {
	const left = [...endings];
	registry.answer('/-/build', (request, response) => {
		void begun(request)
			.then(async () => await left.shift())
			.then((ending) => response.end(ending));
	});
}

async function begun(request: IncomingMessage): Promise<void> {
	builds.push(JSON.parse(await text(request)) as Build);
}

const inTree = (file: string): string => join(project.folder, 'node_modules', file);

const runs = (pid: number): boolean => {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
};

describe('sqlite3, while n8n is fetched', () => {
	test('is built beside the fetching, with what the lockfile names, and taken over', async () => {
		// n8n comes once the build goes on, which does not end before n8n is there.
		registry.answer(tarballPath(n8n), (request, response) => {
			void (async () => {
				while (builds.length === 0) await sleep(20);
				registry.serve(request, response);
			})();
		});
		const fetched = async (): Promise<'whole'> => {
			while (!existsSync(inTree('.modules.yaml'))) await sleep(20);
			return 'whole';
		};
		endBuilds(fetched());
		await install();
		expect(builds).toMatchObject([{ aside: true, found: false, helper: '1.0.0' }]);
		expect(readFileSync(inTree(`sqlite3/${binary}`), 'utf8')).toBe('whole');
		expect(written).not.toContain('Building');

		const asked = registry.asked.length;
		await install();
		expect(registry.asked).toHaveLength(asked);
	});

	test('leaves nothing half-built where that fails, and is built in its place', async () => {
		endBuilds('whole', 'failed', 'whole');
		// What a run before has left beside n8n's tree does not count.
		await install();
		rmSync(inTree(''), { recursive: true });
		await install();
		expect(builds).toMatchObject([
			{ aside: true, found: false },
			{ aside: true, found: false },
			{ aside: false, found: false },
		]);
		expect(written).toContain('Building sqlite3, a native module of n8n');
		expect(written.toLowerCase()).not.toContain('fail');
	});

	test('is told of when that fails too, and only that is done again then', async () => {
		endBuilds('failed', 'failed', 'whole');
		await expect(install()).rejects.toThrow(
			/^Failed while building sqlite3, a native module of n8n: a native module could not be built\. .* The whole output is in .*n8n-install\.log$/,
		);
		const asked = registry.asked.length;
		await install();
		expect(registry.asked.slice(asked)).toStrictEqual(['/-/build']);
		expect(builds.map(({ aside }) => aside)).toStrictEqual([true, false, false]);
	});

	test('is told of when it was built, and does not load', async () => {
		endBuilds('failed', 'nothing');
		await expect(install()).rejects.toThrow(
			/^sqlite3, a native module of n8n, was built but does not load with Node 24\..*: delete \S+node_modules and run it again\./,
		);
	});

	test('leaves nothing where it was built to nothing', async () => {
		endBuilds('nothing', 'whole');
		await install();
		expect(builds).toMatchObject([
			{ aside: true, found: false },
			{ aside: false, found: false },
		]);
	});

	test('is given up when n8n can not be fetched', async () => {
		registry.answer('/-/build', (request) => void begun(request));
		registry.answer(tarballPath(n8n), (_request, response) => {
			void (async () => {
				while (builds.length === 0) await sleep(20);
				response.writeHead(403).end();
			})();
		});
		await expect(install()).rejects.toThrow(
			/^Failed while installing n8n: the npm registry refused a package/,
		);
		expect(builds.map(({ pid }) => runs(pid))).toStrictEqual([false]);
		expect(existsSync(inTree('sqlite3/build'))).toBe(false);
	});
});

describe("sqlite3 of n8n's tree", () => {
	const start = (): ReturnType<typeof startSqlite3Aside> =>
		startSqlite3Aside({ ...project, node: findNode24(project.root), log: join(project.root, 'log') });

	test('stays as it is where it is of another version', async () => {
		mkdirSync(inTree('sqlite3'), { recursive: true });
		writeFileSync(inTree('sqlite3/package.json'), JSON.stringify({ ...sqlite3, version: '1.0.1' }));
		endBuilds('whole');
		await start()?.take();
		expect(builds).toHaveLength(1);
		expect(existsSync(inTree('sqlite3/build'))).toBe(false);
	});

	test('is not built beside it where no lockfile says its version', () => {
		project.write('harness/n8n/pnpm-lock.yaml', "lockfileVersion: '9.0'\n");
		expect(start()).toBeNull();
		expect(existsSync(join(project.root, '.cache/sqlite3'))).toBe(false);
	});
});
