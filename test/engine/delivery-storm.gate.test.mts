import type { FaultRule } from '../../dev/sandbox/types.mts';
import { endsOf, letters, textOf, useDeliveryLab } from './delivery-lab.mts';
import type { Run } from './run.mts';

/** How many messages are sent. The sandbox remembers at most 20,000. */
const count = Number(process.env['STORM'] ?? 2000);

const lab = useDeliveryLab();

/** All faults at once, drawn from the sandbox's seeded generator. */
const weather: FaultRule[] = [
	{ kind: 'latency', ms: 0, jitterMs: 15, path: 'SendMessage' },
	// The first item fails once; with Retry On Fail the whole node runs again.
	{ kind: 'status', status: 400, bodyContains: 'text 0.', times: 1 },
	// One in a hundred is refused permanently.
	{ kind: 'status', status: 422, bodyContains: '77.' },
	{ kind: 'status', status: 429, headers: { 'retry-after': '0' }, path: 'SendMessage', probability: 0.003 },
	{ kind: 'status', status: 503, headers: { 'retry-after': '0' }, path: 'SendMessage', probability: 0.003 },
	{ kind: 'status', status: 503, path: 'SendMessage', probability: 0.02 },
	{ kind: 'status', status: 500, path: 'SendMessage', probability: 0.03 },
	{ kind: 'reset', path: 'SendMessage', probability: 0.03 },
	{ kind: 'lostResponse', path: 'SendMessage', probability: 0.03 },
	{ kind: 'truncate', path: 'SendMessage', probability: 0.02 },
];

const settings = {
	onError: 'continueErrorOutput',
	retryOnFail: true,
	maxTries: 3,
	waitBetweenTries: 1,
} as const;

/** Each item's outcome next to how often its message was accepted. */
async function reckon(run: Run, items: Array<{ text: string }>) {
	const accepted = await lab.accepted();
	const ends = endsOf(run);
	expect(ends).toHaveLength(items.length);
	return items.map(({ text }, item) => ({ end: ends[item], accepted: accepted[text] ?? 0, text }));
}

test(`${count} sends in a storm: none accepted twice, each answered once, every outcome true`, async () => {
	await lab.client.setFaults(weather);
	const items = letters(count, Math.ceil(count / 3));

	const run = await lab.execute(lab.send(), { items, settings });

	expect(run.status).toBe('success');
	const reckoning = await reckon(run, items);
	expect(reckoning.filter(({ accepted }) => accepted > 1)).toEqual([]);
	const lies = reckoning.filter(
		({ end, accepted }) =>
			(end === 'done' && accepted !== 1) || ((end === 'rejected' || end === 'unsent') && accepted !== 0),
	);
	expect(lies).toEqual([]);
	const of = (wanted: string) => reckoning.filter(({ end }) => end === wanted);
	// Checks that faults really happened; otherwise the test would prove nothing.
	expect(of('unknown').filter(({ accepted }) => accepted === 1).length).toBeGreaterThan(count * 0.02);
	expect(of('unknown').filter(({ accepted }) => accepted === 0).length).toBeGreaterThan(count * 0.02);
	expect(of('rejected').map(({ text }) => text)).toEqual(
		items.map(({ text }) => text).filter((text) => text.endsWith('77.')),
	);
	expect(of('done').length).toBeGreaterThan(count * 0.7);
	expect(of('unsent')).toEqual([]);

	const calls = await lab.calls();
	expect(calls.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
	const ids = new Map<string, Set<unknown>>();
	for (const { body } of calls) {
		const text = textOf(body) ?? '';
		ids.set(text, (ids.get(text) ?? new Set()).add((body as { packageId: string }).packageId));
	}
	expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
}, 600_000);
