/** Once keys of several processes that share a store: workers, and n8n after a crash. */
import { mkdtemp, rm } from 'node:fs/promises';
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

describe.each([
	['of the service', undefined],
	['of a channel', 'SendMessage'],
])('ended in the middle of an outage %s', (_, path) => {
	test.each([
		['SIGKILL', 0],
		['SIGTERM', 100],
	] as const)('by %s, after %i messages: what has not left is sent later', async (signal, skip) => {
		const items = orders(600);
		const fast = { fastClock: 10 };
		const doomed = await start(fast);
		await lab.client.setFaults([{ kind: 'status', status: 502, skip, ...(path !== undefined && { path }) }]);
		const lost = runAt(doomed, items, { timeout: 3600 }).catch(() => undefined);
		await lab.answered(1, 502);
		// By then the gate is closed, and the calls that wait have given back their keys.
		await sleep(2000);
		await doomed.kill(signal);
		await lost;
		const failed = (await lab.calls()).filter(({ status }) => status !== 200).length;
		await lab.client.clearFaults();

		const ends = endsOf(await runAt(await start(fast), items, { timeout: 3600 }));

		// The next one that is tried has claimed its key again.
		expect(ends.filter((end) => end === 'unknown').length).toBeLessThanOrEqual(failed + 1);
		expect(Object.values(await lab.accepted()).every((count) => count === 1)).toBe(true);
	});
});
