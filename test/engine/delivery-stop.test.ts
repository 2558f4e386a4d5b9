import type { FaultRule } from '../../dev/sandbox/types.ts';
import { letters, onceEach, textOf, useDeliveryLab } from './delivery-lab.ts';
import type { RunHandle } from './engine.ts';
import { eventually } from './eventually.ts';
import { byId, errorOf } from './lab.ts';
import type { Run } from './run.ts';

const lab = useDeliveryLab({ expressions: 'vm' });

const everyMode = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

describe('On Error: Stop Workflow', () => {
	const items = letters(40);

	test('nothing new starts after the first failure for good, and what is on its way ends', async () => {
		await lab.client.setFaults([
			{ kind: 'status', status: 400, bodyContains: 'text 12.' },
			{ kind: 'hold', path: 'SendMessage', skip: 12 },
		]);
		const { finished } = lab.start(lab.send({ maxConcurrency: 6 }), { items });
		// What is beside the one that fails is answered only after it.
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
		expect(said).toContain('The first to fail was item 12.');
		expect(said).toContain(`Of 40 items, ${went} went out, 1 was refused, ${40 - went - 1} were not sent.`);
		expect(said).toMatch(
			/^The service refused it\. .* To send only the rest, open Executions, .* Don't run the workflow again: it would send duplicates\.$/,
		);
		expect(run.error?.context).toMatchObject({ itemIndex: 12, outcome: 'rejected' });

		await lab.client.clearFaults();
		const retried = await lab.lab.engine.retry(run);
		expect(retried.status).toBe('success');
		expect(await lab.accepted()).toEqual(onceEach(items));
	});

	test("the service's own words are the message, whatever n8n thinks of them", async () => {
		const problem = { title: 'EPERM: Nope', detail: 'Because 503 ECONNREFUSED.', status: 422 };
		await lab.client.setFaults([{ kind: 'status', status: 422, body: problem }]);
		const run = await lab.execute(lab.send(), { items: letters(1) });
		expect(run.error?.message).toBe('EPERM: Nope: Because 503 ECONNREFUSED.');
		expect(run.error?.httpCode).toBe('422');
		expect(run.error?.context?.['data']).toEqual(problem);
		expect(run.error?.context).toMatchObject({ itemIndex: 0, outcome: 'rejected' });
	});

	test('a probe that fails for good lets nobody through', async () => {
		await lab.client.setFaults([
			{ kind: 'latency', ms: 100, path: 'SendMessage' },
			{ kind: 'status', status: 429, headers: { 'retry-after': '1' }, path: 'SendMessage', times: 4 },
			{ kind: 'status', status: 401, path: 'SendMessage' },
		]);

		const run = await lab.execute(lab.send({ maxConcurrency: 4 }), { items });

		expect(run.error?.httpCode).toBe('401');
		expect((await lab.calls()).map(({ status }) => status)).toEqual([429, 429, 429, 429, 401]);
	});

	test('what may have gone out is told apart', async () => {
		await lab.client.setFaults([{ kind: 'lostResponse', bodyContains: 'text 2.' }]);
		const run = await lab.execute(lab.send({ maxConcurrency: 1 }), { items: letters(5) });
		expect(run.error?.description).toContain('The first to fail was item 2.');
		expect(run.error?.description).toContain('Of 5 items, 2 went out, 1 may have gone out, 2 were not sent.');
		expect(run.error?.context).toMatchObject({ itemIndex: 2, outcome: 'unknown' });
	});

	test('a parameter that does not fit stops it as well, and the items before it have gone out', async () => {
		const wrong = letters(5).map((item, n) => ({ ...item, to: n === 3 ? '' : item.to }));
		const run = await lab.execute(lab.send({ maxConcurrency: 1 }), { items: wrong });
		expect(run.error).toMatchObject({ context: { itemIndex: 3, outcome: 'unsent' } });
		expect(run.error?.description).toContain('The first to fail was item 3.');
		expect(run.error?.description).toContain('Of 5 items, 3 went out, 2 were not sent.');
		expect((await lab.messages()).map(({ text }) => text)).toEqual(['text 0.', 'text 1.', 'text 2.']);
	});

	test('what an earlier try has made of items whose turn does not come again is told as it is', async () => {
		await lab.client.setFaults([
			// Slow, so that all four have left before the first is refused.
			{ kind: 'latency', ms: 300, bodyContains: 'text 0.' },
			{ kind: 'status', status: 400, bodyContains: 'text 0.' },
			{ kind: 'lostResponse', bodyContains: 'text 2.' },
		]);
		const failed = await lab.execute(lab.send({ maxConcurrency: 4, keepToPlan: false }), {
			items: letters(4),
		});
		expect(await lab.accepted()).toEqual({ 'text 1.': 1, 'text 2.': 1, 'text 3.': 1 });

		// Its first item stops it before it has looked at the others.
		const retried = await lab.lab.engine.retry(failed, {
			node: { parameters: lab.send({}, { toEmail: "={{ $itemIndex === 0 ? 'nobody' : $json.to }}" }) },
		});
		expect(retried.error?.description).toContain(
			'Of 4 items, 2 went out (2 of them in an earlier try), 1 may have gone out (item 2), 1 was not sent.',
		);
	});

	test('a field that is wrong since does not make unsent what may have gone out', async () => {
		await lab.client.setFaults([{ kind: 'lostResponse', bodyContains: 'text 0.' }]);
		const failed = await lab.execute(lab.send(), { items: letters(1) });
		const retried = await lab.lab.engine.retry(failed, {
			node: { parameters: lab.send({ whenUnknown: 'sendAgain' }, { toEmail: 'nobody' }) },
		});
		expect(retried.error?.message).toContain('"To Email"');
		expect(retried.error?.context).toMatchObject({ outcome: 'unknown' });
		expect(retried.error?.description).toContain('check at the service whether it was processed');
		expect(await lab.messages()).toHaveLength(1);
	});

	test('of one item nothing is counted', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 400 }]);
		const run = await lab.execute(lab.send(), { items: letters(1) });
		expect(run.error?.description).not.toMatch(/Of 1 items|went out|item 0|Executions/i);
	});

	test('in a sub-workflow, nobody is told to retry the workflow that called it', async () => {
		const wrong = letters(3).map((item, n) => ({ ...item, to: n === 2 ? '' : item.to }));
		const run = await lab.execute(lab.send({ maxConcurrency: 1 }), { items: wrong, mode: 'integrated' });
		expect(run.error?.description).toMatch(
			/open Executions of the sub-workflow .* Don't run it again, and don't retry the workflow that called it/,
		);
		expect(run.error?.description).not.toContain('this execution');
	});

	test('where nothing has gone out, or nothing could, nobody is warned of a new run', async () => {
		const wrong = letters(3).map((item) => ({ ...item, to: '' }));
		const unsent = await lab.execute(lab.send(), { items: wrong });
		expect(unsent.error?.description).not.toMatch(/Executions|duplicates/);

		const read = await lab.execute(
			{
				resource: 'channel',
				operation: 'getAll',
				limit: '={{ $json.limit }}',
				options: { maxConcurrency: 1 },
			},
			{ items: [{ limit: 1 }, { limit: 1 }, { limit: -1 }] },
		);
		expect(read.error?.description).toMatch(/Of 3 items/);
		expect(read.error?.description).not.toMatch(/Executions|duplicates/);
	});
});

describe('what the user is told of a run that ended', () => {
	const hints = (run: Run) => run.hints.map(({ message }) => message);

	test('nothing, when all went well', async () => {
		expect(hints(await lab.execute(lab.send(), { items: letters(30) }))).toEqual([]);
	});

	test.each([
		['continueRegularOutput', 'See the error field of the items that failed.'],
		['continueErrorOutput', 'See the error output.'],
	] as const)('how many failed, and how: %s', async (onError, where) => {
		await lab.client.setFaults([
			{ kind: 'status', status: 400, bodyContains: 'text 1.' },
			{ kind: 'status', status: 409, bodyContains: 'text 5.' },
			{ kind: 'lostResponse', bodyContains: 'text 7.' },
		]);
		const items = letters(12).map((item, n) => ({ ...item, to: n === 9 ? 'nobody' : item.to }));
		items[11] = { to: '', text: 'text 11.' };
		const run = await lab.execute(lab.send(), { items, settings: { onError } });
		expect(run.hints).toEqual([
			expect.objectContaining({
				type: 'warning',
				message: `Of 12 items, 7 went out, 1 may have gone out, 2 were refused, 2 were not sent. ${where} Don't run the workflow again: it would send duplicates.`,
			}),
		]);
	});

	test('that it was paced by the plan, when that took a while', async () => {
		await lab.client.setPlan({ limit: 5, seconds: 2 });
		const run = await lab.execute(lab.send(), { items: letters(6) });
		expect(hints(run)).toEqual(['The run kept to the plan of the API key: 5 requests in 2 seconds.']);
	});

	test('that the service asked to come back later', async () => {
		const headers = { 'retry-after': '1' };
		await lab.client.setFaults([{ kind: 'status', status: 429, headers, times: 1, path: 'SendMessage' }]);
		const run = await lab.execute(lab.send(), { items: letters(3) });
		expect(hints(run)).toEqual([expect.stringMatching(/asked to come back later/)]);
	});
});

describe.each(everyMode)('an execution that is stopped, On Error %s', (onError) => {
	/** Stops it, and gives the run; fails when a request arrives between that and the end of the execution. */
	async function stop(handle: RunHandle): Promise<Run> {
		await handle.cancel();
		const received = (await lab.client.requests()).length;
		const run = await handle.finished;
		expect(run.status).toBe('canceled');
		// One that had left already may arrive just after the cancellation was reported.
		expect((await lab.client.requests()).length - received).toBeLessThanOrEqual(1);
		return run;
	}

	/** What was saved of the calls at the moment of the cancellation. */
	function remembered(run: Run): Array<'done' | 'unknown'> {
		const { items } = run.context?.['unifiedMessaging'] as { items: Record<string, { state: string }> };
		return Object.values(items).map(({ state }) => (state === 'sent' ? 'done' : 'unknown'));
	}

	test('busy: no request starts, and what was on its way is remembered as unknown', async () => {
		await lab.client.setFaults([{ kind: 'hold', path: 'SendMessage', skip: 10 }]);
		const items = letters(300);
		const handle = lab.start(lab.send({ maxConcurrency: 8 }), { items, settings: { onError } });
		await lab.received(18);
		const run = await stop(handle);

		expect(remembered(run).filter((end) => end === 'done')).toHaveLength(10);
		expect(remembered(run).filter((end) => end === 'unknown')).toHaveLength(8);
		// The sandbox takes what had reached it, whether or not anybody waits for the answer.
		await lab.client.clearFaults();
		await eventually(async () => (await lab.messages()).length === 18, '18 messages');
		const sent = (await lab.calls()).map(({ body }) => textOf(body));
		expect(sent).toHaveLength(18);
		expect(new Set(sent).size).toBe(18);
	});

	test('waiting for a service that fails', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 500 }]);
		const handle = lab.start(
			{
				resource: 'message',
				operation: 'edit',
				channelId: byId(lab.channel().channelId),
				chatId: '={{ $json.text }}',
				messageId: 'm',
				newText: 'New',
				options: { maxTries: 20, maxConcurrency: 4 },
			},
			{ items: letters(30), settings: { onError } },
		);
		await lab.answered(1, 500);
		await lab.quiet();
		await stop(handle);
	});

	test('asleep because the service asked for it', async () => {
		await lab.client.setFaults([
			{ kind: 'status', status: 429, headers: { 'retry-after': '3600' }, path: 'SendMessage', skip: 5 },
		]);
		const handle = lab.start(lab.send({ maxConcurrency: 3 }), { items: letters(30), settings: { onError } });
		await lab.answered(1, 429);
		await lab.quiet();
		const run = await stop(handle);

		// What was refused has not gone out for sure.
		const accepted = Object.keys(await lab.accepted()).length;
		expect(remembered(run)).toEqual(Array(accepted).fill('done'));
	});

	test('asleep because of the plan', async () => {
		await lab.client.setPlan({ limit: 6, seconds: 60 });
		const handle = lab.start(lab.send(), { items: letters(30), settings: { onError } });
		await lab.answered(5);
		const run = await stop(handle);
		expect(Object.values(await lab.accepted())).toEqual(Array(5).fill(1));
		expect(remembered(run)).toEqual(Array(5).fill('done'));
	});

	test('while it would be repeated by Retry On Fail: nothing is sent any more', async () => {
		const faults: FaultRule[] = [
			{ kind: 'status', status: 400, bodyContains: 'text 0.' },
			{ kind: 'latency', ms: 100, path: 'SendMessage' },
		];
		await lab.client.setFaults(faults);
		const handle = lab.start(lab.send({ maxConcurrency: 2 }), {
			items: letters(2),
			settings: { onError, retryOnFail: true, maxTries: 5, waitBetweenTries: 300 },
		});
		// Both of the first time, and the one that failed of the second.
		await lab.answered(3);
		await stop(handle);
	});
});

test('an execution that is stopped before anything left sends nothing', async () => {
	const handle = lab.start(lab.send(), {
		items: letters(50),
		settings: { onError: 'continueRegularOutput' },
	});
	await handle.cancel();
	const run = await handle.finished;
	expect(run.status).toBe('canceled');
	expect((await lab.calls()).length).toBeLessThanOrEqual(16);
	for (const item of run.main[0]) {
		if (item.json['error'] !== undefined) expect(['unsent', 'unknown']).toContain(errorOf(item).outcome);
	}
});
