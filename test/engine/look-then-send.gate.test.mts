/** A list is looked at before its first message leaves: what that costs where the list is long. */
import type { IDataObject } from 'n8n-workflow';
import { measuresBetween } from '../bench/samples.mts';
import { endsSoon } from '../waiting.mts';
import { letters, useDeliveryLab } from './delivery-lab.mts';
import type { Run } from './run.mts';
import { node, nodeName, startName, startNode, workflow } from './workflow.mts';

// What a list of 50,000 has to do with: n8n's own default is two to four times as much.
const lab = useDeliveryLab({ env: { NODE_OPTIONS: '--max-old-space-size=1024' } });
const MANY = 20_000;
/** What an item takes from when it was looked at until it is sent, with its copies in n8n. */
const BYTES_OF_ITEM = 5800;
const items = letters(MANY);
// One message at a time, so that a run that is stopped at its first message has sent few.
const send = () => lab.send({ maxConcurrency: 1, keepToPlan: false });
/** The same list with a last row that is refused: it is looked at, and nothing is sent. */
const endingWith = (count: number): IDataObject[] => [...letters(count - 1), { to: '', text: 'x' }];

/** For how long a run lasts, in milliseconds. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
	const before = performance.now();
	await run();
	return performance.now() - before;
}

test('the first message leaves as soon as all items have been looked at, which take no more memory than stated', async () => {
	const looking = await timeOf(async () => {
		await lab.execute({ ...send(), operation: 'preview' }, { items });
	});
	const before = await lab.engine.holdings();
	await lab.client.setFaults([{ kind: 'hold', path: 'SendMessage' }]);
	const handle = lab.start(send(), { items });
	const first = await timeOf(async () => await lab.received(1));
	const { heapBytes } = await lab.engine.holdings();
	await handle.cancel();
	await endsSoon(handle.finished, 'The execution');
	// Preview does the same, and puts out a row for each item.
	expect(first).toBeLessThan(1.5 * looking);
	expect((heapBytes - before.heapBytes) / MANY).toBeLessThan(1.2 * BYTES_OF_ITEM);
}, 120_000);

test('while it looks, n8n goes on: it is held for a fraction of the time for which an Edit Fields node holds it', async () => {
	/** The samples of a node's run, and its time in milliseconds. */
	const ofNode = (run: Run, name: string) => {
		const { startTime = 0, executionTime = 0 } = run.runsOf(name).at(-1) ?? {};
		return { samples: run.report.samples, from: startTime, ms: executionTime };
	};
	const given = endingWith(MANY);
	const look = ofNode(await lab.execute(send(), { items: given, isSampled: true }), nodeName);
	// Evaluates one expression for each item, in one go: a piece of work of fixed size.
	const set = node('Set', 'harness.set', { json: '={{ { to: $json.to, text: $json.text } }}' });
	const edited = await lab.engine.run({
		workflow: workflow([startNode(), set], [[startName, 'Set']]),
		items: given.map((json) => ({ json })),
	});
	const { longestStallMs } = measuresBetween(look.samples!, look.from, look.from + look.ms);
	expect(longestStallMs).toBeLessThan(ofNode(edited, 'Set').ms / 4);
}, 120_000);

test('canceled while it looks, it sends nothing', async () => {
	// The list in which it finds the name is read just before.
	const channelId = { __rl: true, mode: 'name', value: 'Support E-mail' };
	const handle = lab.start({ ...send(), channelId }, { items });
	await lab.answered(1);
	await handle.cancel();
	expect((await endsSoon(handle.finished, 'The execution')).status).toBe('canceled');
	expect((await lab.requests()).map(({ operationId }) => operationId)).toEqual(['channel.getAll']);
}, 120_000);

test('a refused item at the end of 50,000: the run ends, and nothing is sent', async () => {
	const run = await lab.execute(send(), { items: endingWith(50_000) });
	expect(run.error?.message).toBe('1 of 50,000 items is refused, so nothing was sent');
	expect(await lab.requests()).toEqual([]);
}, 120_000);
