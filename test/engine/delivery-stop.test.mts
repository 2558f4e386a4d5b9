import type { FaultRule } from '../../dev/sandbox/types.mts';
import { letters, onceEach, textOf, useDeliveryLab } from './delivery-lab.mts';
import type { RunHandle } from './engine.mts';
import { everyMode } from './lab.mts';
import type { Run } from './run.mts';
import { eventually, endsSoon } from '../waiting.mts';

const lab = useDeliveryLab();

/** Items for `send`, of which these have no recipient. */
const without = (count: number, ...wrong: number[]) =>
	letters(count).map((item, n) => ({ ...item, to: wrong.includes(n) ? '' : item.to }));

describe('On Error: Stop Workflow', () => {
	test('after the first final failure no call starts, and calls in flight end', async () => {
		const items = letters(40);
		await lab.client.setFaults([
			{ kind: 'status', status: 400, bodyContains: 'text 12.' },
			{ kind: 'hold', path: 'SendMessage', skip: 12 },
		]);
		const { finished } = lab.start(lab.send({ maxConcurrency: 6 }), { items });
		// Requests in flight beside the failing one are answered after it.
		await lab.answered(1, 400);
		await lab.client.clearFaults();
		const run = await finished;

		expect(run.status).toBe('error');
		const calls = await lab.calls();
		expect(calls.every(({ status }) => status !== null)).toBe(true);
		expect(calls.length).toBeLessThanOrEqual(13 + 5);
		const went = Object.keys(await lab.accepted()).length;
		expect(went).toBe(calls.length - 1);
		const said = run.error?.description ?? '';
		expect(said).toMatch(/^Outcome: rejected \(not sent\)\./);
		expect(run.error?.message).toMatch(new RegExp(`^${went} of 40 sent, ${40 - went} not: `));
		expect(run.error?.context).toMatchObject({ itemIndex: 12, outcome: 'rejected' });

		const retried = await lab.engine.retry(run);
		expect(retried.status).toBe('success');
		expect(await lab.accepted()).toEqual(onceEach(items));
	});

	test('of a list with refused items nothing is sent, and executed again, corrected, each goes out once', async () => {
		const run = await lab.execute(lab.send(), { items: without(50, 4, 17, 33) });
		expect(run.error?.message).toBe('3 of 50 items are refused, so nothing was sent');
		expect(run.error).toMatchObject({ context: { itemIndex: 4, outcome: 'unsent' } });
		expect(run.error?.description).toMatch(/items 4, 17, 33\. Item 4: .*To Email.*On Error.*47/);
		expect(await lab.requests()).toEqual([]);
		await lab.execute(lab.send(), { items: letters(50) });
		expect(await lab.accepted()).toEqual(onceEach(letters(50)));
	});
});

test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'%s: a hint says how many failed, and how',
	async (onError) => {
		await lab.client.setFaults([
			{ kind: 'status', status: 400, bodyContains: 'text 1.' },
			{ kind: 'lostResponse', bodyContains: 'text 7.' },
		]);
		const run = await lab.execute(lab.send(), { items: without(12, 9, 11), settings: { onError } });
		expect(run.hints).toMatchObject([{ type: 'warning' }]);
		expect(run.hintTexts[0]).toMatch(/^Of 12 items: 8 sent, 1 maybe sent, 1 refused, 2 not sent\. /);
		expect(run.hintTexts[0]).not.toContain('Retry with');
	},
);

describe.each(everyMode)('an execution that is stopped, On Error %s', (onError) => {
	/** Stops it and returns the run; fails if a request arrives between the stop and the end of the execution. */
	async function stop(handle: RunHandle): Promise<Run> {
		await handle.cancel();
		const received = (await lab.client.requests()).length;
		const run = await endsSoon(handle.finished, 'The execution');
		expect(run.status).toBe('canceled');
		// A request already in flight may arrive just after the cancellation was reported.
		expect((await lab.client.requests()).length - received).toBeLessThanOrEqual(1);
		return run;
	}

	/** What had been saved about the calls when the execution was cancelled. */
	function remembered(run: Run): Array<'done' | 'unknown'> {
		const { items } = run.context?.['unifiedMessaging'] as { items: Record<string, { state: string }> };
		return Object.values(items).map(({ state }) => (state === 'sent' ? 'done' : 'unknown'));
	}

	test('while it sends: no request starts, and those in flight are recorded as unknown', async () => {
		await lab.client.setFaults([{ kind: 'hold', path: 'SendMessage', skip: 10 }]);
		const handle = lab.start(lab.send({ maxConcurrency: 8 }), {
			items: letters(300),
			settings: { onError },
		});
		await lab.received(18);
		const run = await stop(handle);

		expect(remembered(run).filter((end) => end === 'done')).toHaveLength(10);
		expect(remembered(run).filter((end) => end === 'unknown')).toHaveLength(8);
		// The sandbox accepts what has reached it, even if the client no longer waits for the answer.
		await lab.client.clearFaults();
		await eventually(async () => (await lab.messages()).length === 18, '18 messages');
		const sent = (await lab.calls()).map(({ body }) => textOf(body));
		expect(sent).toHaveLength(18);
		expect(new Set(sent).size).toBe(18);
	});

	test('between two tries of Retry On Fail: nothing more is sent', async () => {
		const faults: FaultRule[] = [
			{ kind: 'status', status: 400, bodyContains: 'text 0.' },
			{ kind: 'latency', ms: 100, path: 'SendMessage' },
		];
		await lab.client.setFaults(faults);
		const handle = lab.start(lab.send({ maxConcurrency: 2 }), {
			items: letters(2),
			settings: { onError, retryOnFail: true, maxTries: 5, waitBetweenTries: 300 },
		});
		// Both of the first run, and the one that failed of the second.
		await lab.answered(3);
		await stop(handle);
	});
});
