/** @jest-environment node */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { getNativeModule, nativeModulesToBuild, type NativeBuild } from '../../harness/n8n/native-modules.ts';
import { findNode24 } from '../../harness/n8n/node24.ts';
import { explainFailure } from '../../harness/n8n/package-manager-failures.ts';
import { n8nFolder, projectRoot } from '../../harness/n8n/paths.ts';
import { passLimit, takeTheClock } from './own-time.ts';
import { makeProject, type OwnProject } from './project-of-its-own.ts';

let folder = '';

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'native-modules-test-'));
});

afterEach(() => {
	rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, file: string, text: string): void => {
	mkdirSync(join(folder, 'node_modules', name), { recursive: true });
	writeFileSync(join(folder, 'node_modules', name, file), text);
};

/** A module as sqlite3 is, whose binary is what this program fetches. There is nothing to build it from. */
function moduleWith({ fetches }: { fetches: string }): void {
	const install = 'prebuild-install -r napi || node-gyp rebuild';
	write('sqlite3', 'package.json', JSON.stringify({ name: 'sqlite3', scripts: { install } }));
	write('sqlite3', 'index.js', "require('./binary.js')");
	write('prebuild-install', 'package.json', '{ "name": "prebuild-install" }');
	write('prebuild-install', 'bin.js', fetches);
}

const build = (): NativeBuild => ({
	root: projectRoot(),
	folder,
	// No headers are fetched for what is not built.
	node: { ...findNode24(), headers: folder },
	log: join(folder, 'log'),
});

test('a binary that can be had is fetched, with what the module says of it, and nothing is built', async () => {
	moduleWith({
		fetches:
			"require('fs').writeFileSync('binary.js', process.argv.slice(2).join() === '-r,napi' ? '' : 'wrong')",
	});
	expect(nativeModulesToBuild(build())).toStrictEqual(['sqlite3']);
	const { ok, output } = await getNativeModule('sqlite3', build());
	expect(ok).toBe(true);
	expect(output).not.toContain('gyp');
	expect(nativeModulesToBuild(build())).toStrictEqual([]);
});

test.each([
	['is not there', 'process.exit(1)'],
	['does not load', "require('fs').writeFileSync('binary.js', 'throw new Error()')"],
])('where the binary %s, the module is built', async (_what, fetches) => {
	moduleWith({ fetches });
	const { ok, output } = await getNativeModule('sqlite3', build());
	expect(ok).toBe(false);
	expect(output).toContain('gyp');
});

describe('a download without end', () => {
	let project: OwnProject;
	let server: Server;
	/** Resolves when the download is in the middle. */
	let underway: Promise<void>;
	let answer: (response: ServerResponse) => Promise<void>;
	let asked: string[] = [];

	beforeEach(async () => {
		project = makeProject();
		asked = [];
		underway = new Promise((sent) => {
			server = createServer(({ url = '' }, response) => {
				asked.push(url);
				if (url.endsWith('.tar.gz')) sent(answer(response));
				else response.writeHead(404).end();
			});
		});
		await new Promise<void>((done) => {
			server.listen(0, '127.0.0.1', done);
		});
		const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		Object.assign(process.env, {
			npm_config_sqlite3_binary_host: `${host}/sqlite3`,
			npm_config_registry: `${host}/registry/`,
			npm_config_cache: join(project.root, 'cache'),
			npm_config_devdir: join(project.root, 'headers'),
			NODEJS_ORG_MIRROR: `${host}/node`,
			NO_PROXY: '127.0.0.1',
		});
		takeTheClock();
	});

	afterEach(async () => {
		jest.useRealTimers();
		for (const name of ['sqlite3_binary_host', 'registry', 'cache', 'devdir']) {
			Reflect.deleteProperty(process.env, `npm_config_${name}`);
		}
		Reflect.deleteProperty(process.env, 'NODEJS_ORG_MIRROR');
		const closed = new Promise((done) => {
			server.close(done);
		});
		server.closeAllConnections();
		await closed;
		project.remove();
	});

	/** Each resolves when the waiting begins. */
	const endless: ReadonlyArray<[string, (response: ServerResponse) => Promise<void>]> = [
		['takes the request and never answers', async () => await Promise.resolve()],
		[
			'sends headers and then nothing',
			async (response) => {
				response.writeHead(200, { 'content-length': '100000' }).flushHeaders();
				await Promise.resolve();
			},
		],
		[
			'trickles for ever',
			async (response) => {
				response.write(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]));
				for (let sent = 0; sent < 10; sent += 1) await drop(response);
				void (async () => {
					while (!response.destroyed) await drop(response);
				})();
			},
		],
	];

	async function drop(response: ServerResponse): Promise<void> {
		await sleep(10);
		// A block of a compressed archive that holds nothing.
		response.write(Buffer.from([0, 0, 0, 0xff, 0xff]));
	}

	/** A module as sqlite3 is. */
	function makeModule({ install }: { install: string }): NativeBuild {
		project.write(
			'harness/n8n/node_modules/sqlite3/package.json',
			JSON.stringify({
				name: 'sqlite3',
				version: '1.0.0',
				binary: { napi_versions: [6] },
				scripts: { install },
			}),
		);
		project.write('harness/n8n/node_modules/sqlite3/index.js', "require('./binary.js')");
		const n8n = process.env['E2E_N8N'] ?? n8nFolder();
		symlinkSync(
			join(n8n, 'node_modules/prebuild-install'),
			join(project.folder, 'node_modules/prebuild-install'),
			'junction',
		);
		const { root, folder: into } = project;
		return { root, folder: into, node: findNode24(root), log: join(root, 'log') };
	}

	test.each(endless)(
		'of a binary, from a server that %s, ends, and the module is built',
		async (_what, how) => {
			answer = how;
			project.buildWith("require('fs').writeFileSync('binary.js', '')");
			const module = makeModule({ install: 'prebuild-install -r napi || node-gyp rebuild' });
			const getting = getNativeModule('sqlite3', module);
			await underway;
			passLimit(20_000);
			expect(await getting).toMatchObject({ ok: true });
			expect(asked).toStrictEqual([expect.stringMatching(/^\/sqlite3\/v1\.0\.0\/sqlite3-v1\.0\.0-napi-v6-/)]);
			expect(nativeModulesToBuild(module)).toStrictEqual([]);
		},
	);

	test.each(endless)('of the headers, from a server that %s, ends, and is told', async (_what, how) => {
		answer = how;
		project.buildWithNodeGyp();
		project.removeHeaders();
		const module = makeModule({ install: 'node-gyp rebuild' });
		const getting = getNativeModule('sqlite3', module);
		await underway;
		passLimit(20_000);
		const { ok, output } = await getting;
		expect(ok).toBe(false);
		expect(asked.at(-1)).toMatch(/^\/node\/.*headers/);
		const line = explainFailure(output, { doing: 'building it', ...module, platform: 'linux' });
		expect(line).toMatch(
			/^Failed while building it: .*the C\+\+ headers of Node 24 .* could not be fetched.*: check the network/,
		);
	});
});
