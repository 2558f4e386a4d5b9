import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { request } from 'undici';
import { SandboxClient } from '../../dev/sandbox/client.ts';
import { spawnSandbox } from '../../dev/sandbox/spawn.ts';
import type { SandboxAddress } from '../../dev/sandbox/types.ts';

const main = join(process.cwd(), 'dev', 'sandbox', 'main.ts');

function start(...args: string[]): ChildProcess {
	return spawn(process.execPath, [main, ...args], {
		stdio: 'pipe',
		env: { ...process.env, NODE_OPTIONS: '' },
	});
}

async function text(child: ChildProcess, stream: 'stdout' | 'stderr'): Promise<string> {
	let all = '';
	for await (const chunk of child[stream] ?? []) all += String(chunk);
	return all;
}

test('the first line on stdout is the address, on a free port of the loopback', async () => {
	const sandbox = await spawnSandbox({ seed: 7 });
	try {
		expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
		expect(sandbox).toMatchObject({
			control: `${sandbox.url}/_sandbox`,
			page: `${sandbox.url}/_sandbox/`,
			tokens: { org: expect.stringMatching(/^org_/), acc: expect.stringMatching(/^acc_/) },
		});
		const { statusCode, body } = await request(`${sandbox.url}/api/v1/Me`, {
			headers: { 'x-api-key': sandbox.tokens.org },
		});
		await body.dump();
		expect(statusCode).toBe(200);
	} finally {
		await sandbox.stop();
	}
	await expect(request(sandbox.page)).rejects.toThrow();
});

test('it stops although a request hangs', async () => {
	const child = start();
	const [line] = await once(child.stdout ?? child, 'data');
	const { url, control } = JSON.parse(String(line)) as SandboxAddress;
	const sandbox = new SandboxClient(control);
	await sandbox.setFaults([{ kind: 'hang' }]);
	const hanging = request(`${url}/api/v1/Me`).catch((error: unknown) => error);
	while ((await sandbox.requests()).length === 0) continue;
	child.kill('SIGTERM');
	// It ends without being killed.
	expect(await once(child, 'exit')).toEqual([0, null]);
	expect(await hanging).toBeInstanceOf(Error);
});

test('it ends when its parent lets go of its stdin', async () => {
	const child = start('--exit-with-parent');
	await once(child.stdout ?? child, 'data');
	child.stdin?.end();
	const [code] = await once(child, 'exit');
	expect(code).toBe(0);
});

test('a sandbox that nobody stops neither holds its parent nor outlives it', async () => {
	const script = `
		const { spawnSandbox } = await import('./dev/sandbox/spawn.ts');
		console.log((await spawnSandbox()).page);`;
	const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'pipe' });
	const [page, [code]] = await Promise.all([text(parent, 'stdout'), once(parent, 'exit')]);
	expect(code).toBe(0);
	const gone = async (): Promise<boolean> => {
		try {
			await (await request(page.trim())).body.dump();
			return false;
		} catch {
			return true;
		}
	};
	for (let tries = 0; tries < 50 && !(await gone()); tries++) {
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	expect(await gone()).toBe(true);
});
