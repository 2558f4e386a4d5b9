/** A list is looked at before its first message leaves: what that costs where the list is long. */
import { letters, useDeliveryLab } from './delivery-lab.mts';
import { endsSoon } from '../waiting.mts';

const lab = useDeliveryLab();
const MANY = 20_000;
const items = letters(MANY);
// One message at a time, so that a run that is stopped at its first message has sent few.
const send = () => lab.send({ maxConcurrency: 1, keepToPlan: false });

/** For how long a run lasts, in milliseconds. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
	const before = performance.now();
	await run();
	return performance.now() - before;
}

test('the first message leaves as soon as all items have been looked at', async () => {
	const looking = await timeOf(async () => {
		await lab.execute({ ...send(), operation: 'preview' }, { items });
	});
	const handle = lab.start(send(), { items });
	const first = await timeOf(async () => await lab.received(1));
	await handle.cancel();
	await endsSoon(handle.finished, 'The execution');
	// Preview does the same, and puts out a row for each item.
	expect(first).toBeLessThan(1.5 * looking);
}, 120_000);

test('canceled while it looks, it sends nothing', async () => {
	const handle = lab.start(send(), { items });
	await handle.cancel();
	expect((await endsSoon(handle.finished, 'The execution')).status).toBe('canceled');
	expect(await lab.requests()).toEqual([]);
}, 120_000);

test('a refused item at the end of a long list: nothing is sent', async () => {
	const run = await lab.execute(send(), { items: [...items.slice(1), { to: '', text: 'x' }] });
	expect(run.error?.message).toBe('1 of 20,000 items is refused, so nothing was sent');
	expect(await lab.requests()).toEqual([]);
}, 120_000);
