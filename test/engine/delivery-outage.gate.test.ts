/** An outage of the service, in real seconds: what it costs a run that is in the middle of it. */
import { createServer, connect, type AddressInfo, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultRule } from '../../dev/sandbox/types.ts';
import { endsOf, letters } from './delivery-lab.ts';
import { eventually } from './eventually.ts';
import { errorOf } from './lab.ts';
import { orders, useOnceLab } from './once-lab.ts';
import type { Run } from './run.ts';

const lab = useOnceLab();

const onward = { onError: 'continueRegularOutput' } as const;
const mostInFlight = 128;

/** How many items ended how. */
function tally(run: Run): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const end of endsOf(run)) counts[end] = (counts[end] ?? 0) + 1;
	return counts;
}

/** From the 200th request on, everything ends like this for some seconds. */
async function outage(rule: FaultRule, seconds: number): Promise<void> {
	await lab.client.setFaults([
		{ kind: 'latency', ms: 20 },
		{ ...rule, skip: 200 },
	]);
	await eventually(async () => (await lab.client.faults())[1]?.applied !== 0, 'an outage');
	await sleep(seconds * 1000);
	await lab.client.clearFaults();
}

/** Runs the sends through an outage, and holds what n8n says against what the service has taken. */
async function through(
	rule: FaultRule,
	seconds: number,
	count: number,
	{ options = {}, keyed = false }: { options?: Record<string, number>; keyed?: boolean } = {},
) {
	const items = keyed ? orders(count) : letters(count);
	const parameters = keyed ? lab.once(options) : lab.send(options);
	const over = outage(rule, seconds);
	const run = await lab.execute(parameters, { items, settings: onward });
	await over;
	const accepted = await lab.accepted();
	expect(Math.max(...Object.values(accepted))).toBe(1);
	const ends = endsOf(run);
	for (const [item, { text }] of items.entries()) {
		if (ends[item] === 'done') expect(accepted[text]).toBe(1);
		if (ends[item] === 'unsent' || ends[item] === 'rejected') expect(accepted[text]).toBeUndefined();
	}
	return { run, items, accepted, counts: tally(run) };
}

const failing: FaultRule = { kind: 'status', status: 502 };

test('502 for two seconds: of 2,000 messages, all arrive but those in flight', async () => {
	const { counts, accepted, run } = await through(failing, 2, 2000);
	expect(counts['unknown']).toBeLessThanOrEqual(mostInFlight);
	expect(counts['done']).toBe(2000 - (counts['unknown'] ?? 0));
	expect(Object.keys(accepted)).toHaveLength(counts['done'] ?? NaN);
	expect(run.hints.map(({ message }) => message)).toContainEqual(
		expect.stringMatching(/^The service was failing for a while/),
	);
});

test('with once keys, no more of them are blocked than were in flight', async () => {
	const { counts, items } = await through(failing, 2, 600, { keyed: true });
	expect(counts['unknown']).toBeLessThanOrEqual(mostInFlight);
	expect(counts['done']).toBe(600 - (counts['unknown'] ?? 0));

	const again = await lab.execute(lab.once(), { items, settings: onward });
	expect(tally(again)).toEqual(counts);
	expect(Object.values(await lab.accepted())).toEqual(Array(counts['done']).fill(1));
});

test('a key that is not accepted any more: nothing more is sent, and the rest is unsent', async () => {
	await lab.client.setFaults([{ kind: 'status', status: 401, path: 'SendMessage', skip: 50 }]);
	const run = await lab.execute(lab.send(), { items: letters(500), settings: onward });
	const counts = tally(run);
	expect(counts['done']).toBe(50);
	expect(counts['rejected']).toBeLessThanOrEqual(mostInFlight);
	expect(counts['unsent']).toBe(450 - (counts['rejected'] ?? 0));
	expect(await lab.calls()).toHaveLength(50 + (counts['rejected'] ?? 0));
	expect(errorOf(run.main[0].at(-1)).message).toMatch(/no longer accepts the key/);
});

describe('at an address where nothing listens for a while', () => {
	let server: Server | undefined;

	/** Passes all on to the sandbox. */
	async function open(port = 0): Promise<number> {
		const { hostname, port: target } = new URL(lab.lab.sandbox.url);
		const made = createServer((socket) => {
			const onwards = connect(Number(target), hostname);
			socket.pipe(onwards).pipe(socket);
			socket.on('error', () => onwards.destroy());
			onwards.on('error', () => socket.destroy());
		});

		server = made;
		await new Promise<void>((resolve) => made.listen(port, '127.0.0.1', resolve));
		return (made.address() as AddressInfo).port;
	}

	afterEach(() => server?.close());

	test('all messages wait and arrive, but those in flight', async () => {
		const port = await open();
		await lab.client.setFaults([{ kind: 'latency', ms: 20 }]);
		const items = letters(600);
		const { finished } = lab.start(lab.send({ maxTries: 1 }), {
			items,
			settings: onward,
			credential: { ...lab.credential, baseUrl: `http://127.0.0.1:${port}` },
		});
		await lab.received(200);
		// What is under way keeps its connection.
		server?.close();
		await sleep(2500);
		await open(port);
		const run = await finished;

		// Connections that nobody had accepted yet when the address was closed have no known end.
		const { done = 0, unknown = 0 } = tally(run);
		expect(unknown).toBeLessThanOrEqual(mostInFlight);
		expect(done).toBe(600 - unknown);
		expect(Object.values(await lab.accepted())).toEqual(Array(done).fill(1));
	});
});
