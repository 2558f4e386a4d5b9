/**
 * n8n's real engine for the tests. It runs in a separate process, since jest can't load some of its modules, and loads
 * the built package from `dist/` as n8n does.
 */
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { WorkerMessage, WorkerSettings } from './protocol.mts';
import { errorOf, type EngineOptions } from './engine-options.mts';
import { n8nUnderTest } from './n8n-under-test.mts';
import { Engine } from './running-engine.mts';

export type * from './engine-options.mts';
export type { Engine } from './running-engine.mts';

/** Modules preloaded into an engine's process. */
const fastClockModule = pathToFileURL(join(process.cwd(), 'test', 'engine', 'fast-clock.mjs')).href;

/**
 * Starts an engine with the built package loaded; the caller must stop it. It remembers the plans and pauses of keys, so
 * every test needs its own key.
 */
export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
	const n8n = n8nUnderTest();
	const userFolder = await mkdtemp(join(tmpdir(), 'messaging-engine-'));
	const settings: WorkerSettings = {
		packageUnderTest: n8n.packageUnderTest,
		expressions: n8n.lacks.includes('isolates') ? 'legacy' : (options.expressions ?? 'legacy'),
		processedData: options.processedData ?? join(userFolder, 'processed-data'),
		change: options.change,
	};
	const child = fork(n8n.worker, [JSON.stringify(settings)], {
		cwd: process.cwd(),
		execPath: n8n.node,
		serialization: 'advanced',
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
		env: {
			...process.env,
			// Not jest's "test", with which n8n-core behaves differently than on a server.
			NODE_ENV: 'production',
			N8N_USER_FOLDER: userFolder,
			N8N_ENCRYPTION_KEY: 'the key of a throwaway n8n',
			N8N_LOG_LEVEL: options.logLevel ?? 'error',
			...((options.fastClock ?? 1) === 1
				? {}
				: { NODE_OPTIONS: `--import=${fastClockModule}`, FAST_CLOCK: String(options.fastClock) }),
			...options.env,
		},
	});
	// A killed process does not clean up.
	child.once('exit', () => void rm(userFolder, { recursive: true, force: true }).catch(() => {}));
	const engine = new Engine(child);
	try {
		await new Promise<void>((resolve, reject) => {
			child.once('message', (message: WorkerMessage) => {
				if (message.kind !== 'broken') return resolve();
				const { stack } = errorOf(message.error);
				reject(new Error(`The engine did not start\n${stack}`));
			});
			child.once('error', reject);
			child.once('exit', () => reject(new Error(`The engine did not start\n${engine.log}`)));
		});
	} catch (error) {
		await engine.stop();
		throw error;
	}
	return engine;
}
