import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { request } from 'undici';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import type { SandboxAddress } from '../../dev/sandbox/types.mts';
import { eventually } from '../waiting.mts';

const main = join(process.cwd(), 'dev', 'sandbox', 'main.mts');

test('it stops although a request hangs', async () => {
	const child = spawn(process.execPath, [main], { stdio: 'pipe', env: { ...process.env, NODE_OPTIONS: '' } });
	const [line] = await once(child.stdout, 'data');
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

test('a sandbox that is not stopped neither keeps its parent alive nor outlives it', async () => {
	const script = `
		const { spawnSandbox } = await import('./dev/sandbox/spawn.mts');
		console.log((await spawnSandbox()).page);`;
	const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'pipe' });
	const [[page], [code]] = await Promise.all([once(parent.stdout, 'data'), once(parent, 'exit')]);
	expect(code).toBe(0);
	const gone = async (): Promise<boolean> => {
		try {
			await (await request(String(page).trim())).body.dump();
			return false;
		} catch {
			return true;
		}
	};
	await eventually(gone, 'the end of the sandbox');
});
