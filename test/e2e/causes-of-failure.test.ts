/** @jest-environment node */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { generate } from 'selfsigned';

import { ensureN8n } from '../../harness/n8n/install.ts';
import { getNativeModule } from '../../harness/n8n/native-modules.ts';
import { findNode24, type Node24 } from '../../harness/n8n/node24.ts';
import { explainFailure } from '../../harness/n8n/package-manager-failures.ts';
import { type CommandResult, runNpm, runPnpm, runScript } from '../../harness/n8n/package-managers.ts';
import { permissionsCount, disksArePossible, withoutMight, withDisk } from './hindered-node.ts';
import { passLimit, takeTheClock } from './own-time.ts';
import { type PackageRegistry, startPackageRegistry, tarballPath } from './package-registry.ts';
import { makeProject, type OwnProject } from './project-of-its-own.ts';

/** Longer than anything that resolves names takes, which so knows it without asking. */
const noName = `${'a'.repeat(70)}.invalid`;

let project: OwnProject;
let node: Node24;
let certificate: { private: string; cert: string };
const atEnd: Array<() => Promise<unknown>> = [];

beforeAll(async () => {
	certificate = await generate([{ name: 'commonName', value: 'localhost' }]);
});

beforeEach(() => {
	project = makeProject();
	node = findNode24(project.root);
	set({
		NO_PROXY: '127.0.0.1,localhost',
		npm_config_fetch_retries: '1',
		npm_config_fetch_retry_mintimeout: '1',
		npm_config_fetch_retry_maxtimeout: '1',
		npm_config_cache: inProject('cache'),
		// What a person may have set for a Node of their own.
		npm_config_nodedir: inProject('headers of another Node'),
	});
	for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY']) unset(name);
});

afterEach(async () => {
	for (const undo of atEnd.splice(0)) await undo();
	project.remove();
});

const inProject = (name: string): string => join(project.root, name);

/** Until the test is over. */
function set(variables: Readonly<Record<string, string>>): void {
	for (const [name, value] of Object.entries(variables)) {
		const before = process.env[name];
		process.env[name] = value;
		atEnd.push(async () => {
			if (before === undefined) Reflect.deleteProperty(process.env, name);
			else process.env[name] = before;
			await Promise.resolve();
		});
	}
}

function unset(name: string): void {
	set({ [name]: '' });
	Reflect.deleteProperty(process.env, name);
}

/** @returns the address without a scheme */
async function listen(server: Server): Promise<string> {
	const sockets = new Set<Socket>();
	server.on('connection', (socket: Socket) => sockets.add(socket));
	await new Promise<void>((done) => {
		server.listen(0, '127.0.0.1', done);
	});
	atEnd.push(async () => {
		const closed = new Promise((done) => {
			server.close(done);
		});
		for (const socket of sockets) socket.destroy();
		await closed;
	});
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const plain = async (listener: RequestListener): Promise<string> =>
	`http://${await listen(createServer(listener))}`;

/** A server that answers every request with a status. */
const refusing = async (status: number): Promise<string> =>
	await plain((_request, response) => void response.writeHead(status).end('{}'));

/** Places from which nothing can be fetched, and what is said of them where a registry was expected. */
const deadEnds: ReadonlyArray<[string, () => Promise<string>, RegExp]> = [
	[
		'nothing listens',
		async () => {
			const address = await listen(createTcpServer());
			await atEnd.pop()?.();
			return `http://${address}`;
		},
		/registry could not be reached \(ECONNREFUSED\): check the network, the proxy/,
	],
	[
		'no name is known',
		async () => await Promise.resolve(`http://${noName}`),
		/registry could not be reached \(ENOTFOUND\)/,
	],
	[
		'the connection breaks',
		async () => await plain((request) => void request.socket.destroy()),
		/registry could not be reached \(ECONNRESET\)/,
	],
	[
		'nobody speaks TLS',
		async () => (await refusing(200)).replace('http:', 'https:'),
		/registry could not be reached \((EPROTO|ERR_SSL_WRONG_VERSION_NUMBER)\)/,
	],
	[
		'the certificate is of nobody known',
		async () => {
			const { private: key, cert } = certificate;
			return `https://${await listen(createTlsServer({ key, cert }, (_request, response) => response.end('{}')))}`;
		},
		/certificate of the npm registry, .* is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\): set NODE_EXTRA_CA_CERTS/,
	],
];

function explained({ ok, output }: CommandResult): string {
	expect(ok).toBe(false);
	const { folder } = project;
	const line = explainFailure(output, { doing: 'trying', folder, log: '/the/log', platform: 'linux' });
	expect(line).toMatch(/^Failed while trying: .* The whole output is in \/the\/log$/);
	return line;
}

const wantN8n = (): void => {
	project.write('harness/n8n/package.json', '{ "name": "wants-n8n", "dependencies": { "n8n": "1.0.0" } }');
};

/** What is installed when n8n is, and what has to be said when that fails. */
const installN8n = async (...flags: string[]): Promise<CommandResult> => {
	const { root, folder } = project;
	return await runPnpm(['install', '--no-lockfile', ...flags], { root, cwd: folder, node });
};

const installWithNpm = async (): Promise<CommandResult> =>
	await runNpm(['install', '--no-audit', '--no-fund'], { cwd: project.folder, node });

describe('n8n can not be fetched with pnpm', () => {
	beforeEach(wantN8n);

	test.each(deadEnds)('where %s', async (_what, place, expected) => {
		set({ npm_config_registry: await place() });
		expect(explained(await installN8n())).toMatch(expected);
	});

	test('where the registry never answers', async () => {
		set({ npm_config_registry: await plain(() => undefined), npm_config_fetch_timeout: '300' });
		expect(explained(await installN8n())).toContain('registry could not be reached (no answer)');
	});

	test('where the proxy wants a login', async () => {
		set({ http_proxy: await refusing(407), npm_config_registry: `http://${noName}` });
		expect(explained(await installN8n())).toContain('the proxy wants a login');
	});

	test.each([401, 404, 500])('where the registry says %i', async (status) => {
		set({ npm_config_registry: await refusing(status) });
		expect(explained(await installN8n())).toMatch(
			new RegExp(`registry refused a package \\(.* ${status}\\): check "npm config get registry"`),
		);
	});

	test('where the registry answers with something else', async () => {
		set({ npm_config_registry: await plain((_request, response) => response.end('<html>Log in</html>')) });
		expect(explained(await installN8n())).toMatch(/registry refused a package \(.*JSON.*\)/);
	});
});

describe('n8n of a registry', () => {
	const n8n = { name: 'n8n', version: '1.0.0' };
	let registry: PackageRegistry;

	beforeEach(async () => {
		wantN8n();
		registry = await startPackageRegistry();
		atEnd.push(async () => {
			await registry.close();
		});
		registry.publish({ manifest: n8n, files: { 'big.txt': randomBytes(500_000).toString('hex') } });
		set({ npm_config_registry: registry.url });
	});

	test('is not of the version that is wanted', async () => {
		project.write('harness/n8n/package.json', '{ "dependencies": { "n8n": "2.0.0" } }');
		expect(explained(await installN8n())).toMatch(
			/registry refused a package \(No matching version found for n8n@2\.0\.0/,
		);
		expect(explained(await installWithNpm())).toMatch(
			/registry refused a package \(notarget No matching version found for n8n@2\.0\.0/,
		);
	});

	test('has other contents than expected', async () => {
		registry.answer(tarballPath(n8n), (_request, response) => response.end('something else'));
		expect(explained(await installN8n())).toContain('a package with other contents than expected');
		expect(explained(await installWithNpm())).toContain('a package with other contents than expected');
	});

	test('is not what the lockfile says', async () => {
		project.write('harness/n8n/pnpm-lock.yaml', "lockfileVersion: '9.0'\nimporters:\n  .: {}\n");
		const { root, folder } = project;
		const result = await runPnpm(['install', '--frozen-lockfile'], { root, cwd: folder, node });
		expect(explained(result)).toMatch(/: Cannot proceed with the frozen installation\./);
	});

	describe('begins to come', () => {
		afterEach(() => {
			jest.useRealTimers();
		});

		test.each<[string, string, (response: ServerResponse) => void]>([
			['its metadata, and then nothing', '/n8n', (response) => void response.writeHead(200).write('{')],
			[
				'the package, and then nothing',
				tarballPath(n8n),
				(response) => void response.writeHead(200).write('a'),
			],
			[
				'the package, byte after byte for ever',
				tarballPath(n8n),
				(response) => {
					const trickle = setInterval(() => response.write('a'), 10);
					response.once('close', () => {
						clearInterval(trickle);
					});
				},
			],
		])('%s', async (_what, path, begin) => {
			const begun = new Promise<void>((resolve) => {
				registry.answer(path, (_request, response) => {
					begin(response);
					resolve();
				});
			});
			takeTheClock();
			const installing = installN8n();
			await begun;
			passLimit(180_000);
			expect(explained(await installing)).toContain('registry could not be reached (no answer)');
		});
	});

	const withDisks = disksArePossible ? test : test.skip;

	withDisks.each([
		['the modules', 'harness/n8n/node_modules'],
		['the store', '.cache'],
	])('does not fit onto the disk of %s', async (_what, disk) => {
		node = withDisk(node, project.root, inProject(disk), 'small');
		expect(explained(await installN8n())).toMatch(
			/no disk space left \(\S+n8n, or the cache\): free about 3 GB/,
		);
	});

	withDisks('does not fit onto the disk of npm', async () => {
		node = withDisk(node, project.root, inProject('cache'), 'small');
		expect(explained(await installWithNpm())).toContain('no disk space left');
	});

	withDisks('is to go onto a disk that is only read', async () => {
		node = withDisk(node, project.root, project.folder, 'read-only');
		expect(explained(await installN8n())).toMatch(/no permission to write in \S+n8n or in the cache/);
	});

	(permissionsCount ? test : test.skip)('may not be written', async () => {
		node = withoutMight(node, project.root);
		chmodSync(project.folder, 0o555);
		expect(explained(await installN8n())).toMatch(/no permission to write in \S+n8n or in the cache/);
		expect(explained(await installWithNpm())).toMatch(/no permission to write in \S+n8n or in the cache/);
	});
});

describe('the package can not be fetched with npm', () => {
	beforeEach(wantN8n);

	test.each(deadEnds)('where %s', async (_what, place, expected) => {
		set({ npm_config_registry: await place() });
		expect(explained(await installWithNpm())).toMatch(expected);
	});

	test('where the registry lacks it', async () => {
		set({ npm_config_registry: await refusing(404) });
		expect(explained(await installWithNpm())).toMatch(/registry refused a package \(404 Not Found/);
	});

	test('where the proxy wants a login', async () => {
		set({ http_proxy: await refusing(407), npm_config_registry: `http://${noName}` });
		expect(explained(await installWithNpm())).toContain('the proxy wants a login');
	});
});

const python = ((): string | null => {
	try {
		const show = ['-c', 'import sys; print(sys.executable)'];
		return execFileSync('python3', show, { encoding: 'utf8' }).trim();
	} catch {
		return null;
	}
})();

function programOnPath(name: string): string | null {
	if (name === 'python3') return python;
	const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
	return places.find((place) => existsSync(place)) ?? null;
}

describe('a native module can not be built', () => {
	const tools = ['sh', 'rm', 'cp', 'ln', 'mkdir', 'touch', 'printf', 'cat', 'sed', 'python3', 'make', 'g++'];
	/** They are needed nowhere else where the makers of native modules offer binaries. */
	const withTools = tools.every((name) => programOnPath(name) !== null) ? test : test.skip;

	beforeEach(() => {
		project.buildWithNodeGyp();
		project.write('harness/n8n/node_modules/native/package.json', '{ "name": "native" }');
		const target = { target_name: 'native', sources: ['native.cc'] };
		project.write('harness/n8n/node_modules/native/binding.gyp', JSON.stringify({ targets: [target] }));
		source('int nothing = 0;');
		set({ npm_config_devdir: inProject('headers') });
	});

	const source = (text: string): void => {
		project.write('harness/n8n/node_modules/native/native.cc', text);
	};

	/** Nothing but what is named is on the PATH. */
	const onlyWith = (names: readonly string[]): void => {
		mkdirSync(inProject('bin'));
		for (const name of names) symlinkSync(programOnPath(name) ?? '', inProject(`bin/${name}`));
		set({ PATH: inProject('bin') });
	};

	const build = async (): Promise<CommandResult> => {
		const { root, folder } = project;
		return await getNativeModule('native', { root, folder, node, log: inProject('log') });
	};

	const buildTools = 'Install the build tools (Debian, Ubuntu: "apt-get install python3 make g++").';

	test('without Python', async () => {
		onlyWith([]);
		expect(explained(await build())).toContain(`built and Python 3 is missing. ${buildTools}`);
	});

	withTools('without make', async () => {
		onlyWith(tools.filter((name) => name !== 'make'));
		expect(explained(await build())).toContain(`built and "make" is missing. ${buildTools}`);
	});

	withTools('without a compiler', async () => {
		onlyWith(tools.filter((name) => name !== 'g++'));
		expect(explained(await build())).toContain(`built and the C++ compiler is missing. ${buildTools}`);
	});

	withTools('because it is no C++', async () => {
		source('This is no C++.');
		expect(explained(await build())).toContain(`: a native module could not be built. ${buildTools}`);
	});

	withTools.each(['node_api.h', 'common.gypi'])('because %s is missing', async (header) => {
		source('#include <node_api.h>');
		const { headers } = node;
		if (header === 'common.gypi') rmSync(join(headers ?? '', 'include/node/common.gypi'));
		expect(explained(await build())).toContain('the C++ headers of Node 24 are missing in node_modules');
	});

	test.each(deadEnds)('where %s from which headers could be fetched', async (_what, place) => {
		project.removeHeaders();
		const there = await place();
		set({ NODEJS_ORG_MIRROR: there, npm_config_registry: there, npm_config_fetch_retries: '0' });
		node = findNode24(project.root);
		expect(explained(await build())).toMatch(
			/the C\+\+ headers of Node 24 .* could not be fetched, .*: check the network and the proxy/,
		);
	});

	test.each([
		['are refused', 403],
		['are not there', 404],
		['are something else', 200],
	])('where the headers %s', async (_what, status) => {
		project.removeHeaders();
		const there = await refusing(status);
		set({ NODEJS_ORG_MIRROR: there, npm_config_registry: there, npm_config_fetch_retries: '0' });
		node = findNode24(project.root);
		expect(explained(await build())).toMatch(/the C\+\+ headers of Node 24 .* could not be fetched/);
	});

	(disksArePossible ? withTools : test.skip)('on a full disk', async () => {
		source(`int numbers[] = {${'1,\n'.repeat(100_000)}};`);
		set({ TMPDIR: inProject('tmp') });
		node = withDisk(node, project.root, inProject('tmp'), 'small');
		expect(explained(await build())).toContain('no disk space left');
	});

	(permissionsCount ? withTools : test.skip)('where nothing may be written', async () => {
		node = withoutMight(node, project.root);
		chmodSync(join(project.folder, 'node_modules/native'), 0o555);
		expect(explained(await build())).toContain('no permission to write in');
	});
});

describe('what the installation itself lacks is told in one line', () => {
	const install = async (): Promise<unknown> =>
		await ensureN8n({
			...project,
			output: { write: () => undefined },
			patience: { answerMs: 60_000, altogetherMs: 60_000 },
		});

	beforeEach(wantN8n);

	test('Node', async () => {
		rmSync(inProject('node_modules/node'), { recursive: true });
		await expect(install()).rejects.toThrow(/^Node 24 is missing in node_modules: run "npm install" again,/);
	});

	test('npm', async () => {
		set({ PATH: inProject('bin') });
		await expect(install()).rejects.toThrow(/^npm was not found on the PATH: install Node\.js together with/);
	});

	test('pnpm', async () => {
		set({ npm_config_registry: await refusing(404) });
		rmSync(inProject('node_modules/pnpm'), { recursive: true });
		await expect(install()).rejects.toThrow(/^pnpm is missing in node_modules: run "npm install" again\.$/);
	});

	test('the version of n8n', async () => {
		project.write('harness/n8n/package.json', '{ "dependencies": {} }');
		await expect(install()).rejects.toThrow(/package\.json names no n8n$/);
	});

	test('a folder that it may write', async () => {
		project.write('.e2e', 'a file where a folder has to be');
		await expect(install()).rejects.toThrow(
			/^Failed while installing n8n: not a directory, .*\.e2e.* The whole output is in .*n8n-install\.log$/,
		);
	});
});

describe('a command', () => {
	afterEach(() => {
		jest.useRealTimers();
	});

	test('that says something now and then is not stopped for its silence', async () => {
		const log = inProject('log');
		const pending: ServerResponse[] = [];
		const url = await plain((_request, response) => pending.push(response));
		project.write(
			'talk.js',
			`for (const word of ['one', 'two']) {
			await fetch('${url}');
			console.log(word);
		}`,
		);
		project.write('package.json', '{ "type": "module" }');
		const until = async (condition: () => boolean): Promise<void> => {
			while (!condition()) await sleep(20);
		};
		takeTheClock();
		const options = { cwd: project.root, node, log, silenceMs: 60_000 };
		const talking = runScript(inProject('talk.js'), [], options);
		await until(() => pending.length === 1);
		jest.advanceTimersByTime(59_999);
		pending[0]?.end();
		await until(() => readFileSync(log, 'utf8').includes('one') && pending.length === 2);
		jest.advanceTimersByTime(59_999);
		pending[1]?.end();
		expect(await talking).toMatchObject({ ok: true, timedOut: false });
	});
});

(existsSync('/dev/full') ? test : test.skip)('a log on a full disk does not hide what is wrong', async () => {
	wantN8n();
	set({ npm_config_registry: await refusing(404) });
	const { root, folder } = project;
	const result = await runPnpm(['install', '--no-lockfile'], { root, cwd: folder, node, log: '/dev/full' });
	expect(explained(result)).toContain('registry refused a package');
});
