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

test('killed in the middle of a run and run again: nothing twice, and what is unclear is at most a group', async () => {
	const items = orders(400);
	// A process that finds a key in flight watches it for ten seconds, which pass quickly in such an engine.
	const fast = { fastClock: 10 };
	const doomed = await start(fast);
	await lab.client.setFaults([{ kind: 'latency', ms: 30 }]);
	const lost = runAt(doomed, items, { timeout: 86_400 }).catch(() => undefined);
	await lab.received(150);
	await doomed.kill();
	await lost;
	await lab.client.clearFaults();
	await lab.quiet();

	const ends = endsOf(await runAt(await start(fast), items, { timeout: 86_400 }));

	const accepted = await lab.accepted();
	expect(Object.values(accepted).every((count) => count === 1)).toBe(true);
	const unknown = ends.filter((end) => end === 'unknown').length;
	expect(unknown).toBeLessThanOrEqual(128);
	// Anything missing must have been reported.
	expect(400 - Object.keys(accepted).length).toBeLessThanOrEqual(unknown);
	expect(ends.filter((end) => end === 'done')).toHaveLength(400 - unknown);
});

test('the same messages at two workers at once: none goes out twice, and what does not go out is unknown', async () => {
	const items = orders(120);
	const [one, other] = await Promise.all([start(), start()]);
	const runs = await Promise.all([runAt(one, items), runAt(other, [...items].reverse())]);
	const [ends = [], reversed = []] = runs.map(endsOf);
	const accepted = await lab.accepted();
	expect(Object.values(accepted).every((count) => count === 1)).toBe(true);
	// On a machine too busy to tell, neither worker sends, and both report the key as in doubt.
	const missing = items.flatMap(({ text }, n) =>
		accepted[text] === undefined ? [[ends[n], reversed[119 - n]]] : [],
	);
	expect(missing).toEqual(missing.map(() => ['unknown', 'unknown']));
	expect(missing.length).toBeLessThan(120);
});

test.each([
	['of the service', undefined],
	['of a channel', 'SendMessage'],
])('killed in the middle of an outage %s: of what had not left, little is in doubt', async (_, path) => {
	const items = orders(400);
	const fast = { fastClock: 10 };
	const doomed = await start(fast);
	await lab.client.setFaults([{ kind: 'status', status: 502, ...(path !== undefined && { path }) }]);
	const lost = runAt(doomed, items, { timeout: 86_400 }).catch(() => undefined);
	await lab.received(1);
	// Time enough to claim all keys that it may.
	await sleep(2000);
	await doomed.kill();
	await lost;
	const left = (await lab.calls()).length;
	await lab.client.clearFaults();

	const ends = endsOf(await runAt(await start(fast), items, { timeout: 86_400 }));

	// Without an outage, up to 128 would be.
	expect(ends.filter((end) => end === 'unknown').length).toBeLessThanOrEqual(left + 32);
	expect(Object.values(await lab.accepted()).every((count) => count === 1)).toBe(true);
});
