/** Once keys of several processes that share a store: workers, and n8n after a crash. */
import { glob, mkdtemp, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { endsOf, orders, useDeliveryLab, type Order } from './delivery-lab.mts';
import { startEngine, type Engine, type EngineOptions } from './engine.mts';

const lab = useDeliveryLab();

const engines: Engine[] = [];
let folder = '';

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'messaging-once-'));
});
afterEach(async () => {
	await Promise.all(engines.splice(0).map(async (engine) => await engine.stop()));
	await rm(folder, { recursive: true });
});

const start = async (options: EngineOptions = {}): Promise<Engine> => {
	const processedData = join(folder, 'processed-data');
	const engine = await startEngine({ processedData, ...options });
	engines.push(engine);
	return engine;
};
const runAt = (engine: Engine, items: Order[], options: INodeParameters = {}) =>
	engine.start({
		items: items.map((json) => ({ json })),
		credential: lab.credential,
		node: { parameters: lab.once(options), onError: 'continueRegularOutput' },
	}).finished;

/** Waits until no key has been claimed or given back for two seconds. */
async function quiet(): Promise<void> {
	for (let changedAt = Date.now(); Date.now() - changedAt < 2000; await sleep(100)) {
		for await (const row of glob('*/row', { cwd: join(folder, 'processed-data') })) {
			const { mtimeMs } = await stat(join(folder, 'processed-data', row)).catch(() => ({ mtimeMs: 0 }));
			changedAt = Math.max(changedAt, mtimeMs);
		}
	}
}

describe.each([
	['an outage of the service', '', 502],
	['an outage of a channel', 'SendMessage', 502],
	['refusals', 'SendMessage', 429],
])('ended in the middle of %s', (_, path, status) => {
	test.each([
		['SIGKILL', 0],
		['SIGTERM', 100],
	] as const)(
		'by %s, after %i messages: what has not left is sent later',
		async (signal, skip) => {
			const items = orders(600);
			const doomed = await start();
			const headers = { 'retry-after': '10' };
			const refused = status === 429 && { headers };
			await lab.client.setFaults([{ kind: 'status', status, skip, path, ...refused }]);
			const lost = runAt(doomed, items, { timeout: 3600 }).catch(() => undefined);
			await lab.answered(1, status);
			// Calls that wait have given back their keys.
			await quiet();
			await doomed.kill(signal);
			await lost;
			const inDoubt = (await lab.calls()).filter((call) => call.status === 502).length;
			await lab.client.clearFaults();

			const ends = endsOf(await runAt(await start({ fastClock: 3 }), items, { timeout: 3600 }));

			// The next one that is tried has claimed its key again.
			expect(ends.filter((end) => end === 'unknown').length).toBeLessThanOrEqual(inDoubt + 1);
			expect(Object.values(await lab.accepted()).every((count) => count === 1)).toBe(true);
		},
		180_000,
	);
});
