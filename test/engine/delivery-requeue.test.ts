import type { INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../dev/sandbox/types.ts';
import { endsOf, useDeliveryLab } from './delivery-lab.ts';
import { byId, errorOf } from './lab.ts';
import type { Run } from './run.ts';

const lab = useDeliveryLab();

const hook = () => lab.channel('Support Ticket Hook');

/** This many entries in the outbox of a channel: each message on it makes one. */
async function entries(count: number): Promise<string[]> {
	const run = await lab.execute(
		{
			resource: 'message',
			operation: 'send',
			inputMode: 'json',
			channelId: byId(hook().channelId),
			package: '={{ { content: { type: "TEXT", text: "x" + $json.n, to: { type: "HTTP", id: $json.n } } } }}',
		},
		{ items: Array.from({ length: count }, (_, n) => ({ n })) },
	);
	expect(run.status).toBe('success');
	const { outbox } = await lab.client.state();
	await lab.client.clearRequests();
	return outbox
		.filter(({ channelId }) => channelId === hook().channelId)
		.slice(-count)
		.map(({ httpSenderOutboxEntryId }) => httpSenderOutboxEntryId);
}

function requeue(options: INodeParameters = {}, change: INodeParameters = {}): INodeParameters {
	return {
		resource: 'outbox',
		operation: 'requeue',
		channelId: byId(hook().channelId),
		entryIds: '={{ $json.ids }}',
		organizationId: hook().organizationId,
		accountId: byId(hook().accountId),
		options,
		...change,
	};
}

const sentIds = async () => (await lab.calls()).map(({ body }) => (body as { ids: string[] }).ids);

/** The input items that each output item is paired with. */
const pairs = (run: Run) =>
	run.main
		.flat()
		.map(({ pairedItem }) =>
			[pairedItem].flat().map((pair) => (typeof pair === 'object' ? pair.item : pair)),
		);

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

/** How often each entry was put back. */
async function retries(ids: string[]): Promise<Set<number>> {
	const { outbox } = await lab.client.state();
	const counts = new Map(
		outbox.map(({ httpSenderOutboxEntryId, retryCount }) => [httpSenderOutboxEntryId, retryCount]),
	);
	return new Set(ids.map((id) => counts.get(id) ?? -1));
}

test('230 items of one channel go out in three calls of at most 100 ids, each paired with its items', async () => {
	const ids = await entries(230);

	const run = await lab.execute(requeue(), { items: ids.map((id) => ({ ids: id })) });

	expect(run.status).toBe('success');
	expect((await sentIds()).map(({ length }) => length)).toEqual([100, 100, 30]);
	expect((await sentIds()).flat()).toEqual(ids);
	expect(pairs(run)).toEqual([range(0, 100), range(100, 200), range(200, 230)]);
	expect(run.json.map((json) => json['success'])).toEqual([true, true, true]);
	expect(await retries(ids)).toEqual(new Set([1]));
});

test('an id that is named twice is put back once, in capital letters too', async () => {
	const [one = '', two = ''] = await entries(2);

	const run = await lab.execute(requeue(), {
		items: [{ ids: `${one}, ${two}` }, { ids: one.toUpperCase() }, { ids: [two, two] }],
	});

	expect(await sentIds()).toEqual([[one, two]]);
	expect(pairs(run)).toEqual([[0, 1, 2]]);
	expect(await retries([one, two])).toEqual(new Set([1]));
});

test('per item, each makes a call of its own', async () => {
	const ids = await entries(3);
	const run = await lab.execute(requeue({ grouping: 'perItem' }), { items: ids.map((id) => ({ ids: id })) });
	expect(await sentIds()).toEqual(ids.map((id) => [id]));
	expect(pairs(run)).toEqual([[0], [1], [2]]);
});

test('channels and accounts do not share calls, and items keep their place', async () => {
	const other = lab.channel('Shop Orders Hook');
	const theirs = lab.state.outbox
		.filter(({ channelId }) => channelId === other.channelId)
		.map(({ httpSenderOutboxEntryId }) => httpSenderOutboxEntryId);
	const ours = await entries(2);
	const items = [
		{ ids: ours[0]!, channel: hook() },
		{ ids: theirs[0]!, channel: other },
		{ ids: ours[1]!, channel: hook() },
	].map(({ ids, channel }) => ({ ids, channelId: channel.channelId, accountId: channel.accountId }));

	const run = await lab.execute(
		requeue({}, { channelId: byId('={{ $json.channelId }}'), accountId: byId('={{ $json.accountId }}') }),
		{ items },
	);

	expect(run.status).toBe('success');
	expect(await sentIds()).toHaveLength(2);
	expect(pairs(run)).toEqual([[0, 2], [1]]);
});

test.each([
	['left empty', { accountId: byId(''), organizationId: byId(' ') }],
	[
		'as a new node has them',
		{ accountId: { mode: 'list', value: '' }, organizationId: { mode: 'list', value: '' } },
	],
	['not in the workflow at all', { accountId: undefined, organizationId: undefined }],
])('account and organization, %s, are taken from the channel, with one list for the run', async (_, left) => {
	const ids = await entries(3);
	const { accountId: _a, organizationId: _o, ...parameters } = requeue({ grouping: 'perItem' });
	const given = Object.fromEntries(Object.entries(left).filter(([, value]) => value !== undefined));
	const run = await lab.execute({ ...parameters, ...given } as INodeParameters, {
		items: ids.map((id) => ({ ids: id })),
	});

	expect(run.status).toBe('success');
	const calls = await lab.calls();
	expect(calls.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST', 'POST']);
	const { organizationId, accountId } = hook();
	for (const { body } of calls.slice(1)) expect(body).toMatchObject({ organizationId, accountId });
	expect(await retries(ids)).toEqual(new Set([1]));
});

test('nothing is put back when the list of channels can not be read', async () => {
	const ids = await entries(2);
	await lab.client.setFaults([{ kind: 'status', status: 403, path: 'Admin/Channel', body: { title: 'No' } }]);
	const run = await lab.execute(requeue({}, { accountId: byId('') }), {
		items: ids.map((id) => ({ ids: id })),
		settings: { onError: 'continueRegularOutput' },
	});

	expect(run.main[0].map((item) => errorOf(item).outcome)).toEqual(['unsent', 'unsent']);
	expect((await lab.calls()).map(({ method }) => method)).toEqual(['GET']);
});

describe('when one of the calls fails', () => {
	/** 150 items of one id, and one item of two that the first call has no room for. */
	async function split(onError: 'continueRegularOutput' | 'continueErrorOutput', status: number) {
		const ids = await entries(152);
		const items = [...range(0, 99).map((n) => ids[n]!), `${ids[99]},${ids[100]}`, ...ids.slice(101)];
		await lab.client.setFaults([{ kind: 'status', status, path: 'requeue', skip: 1, times: 1 }]);
		const run = await lab.execute(requeue(), {
			items: items.map((list) => ({ ids: list })),
			settings: { onError },
		});
		return { run };
	}

	test('its items fail, and nobody else: an item is never spread over two calls that others share', async () => {
		const { run } = await split('continueRegularOutput', 422);

		expect((await sentIds()).map(({ length }) => length)).toEqual([99, 53]);
		expect(run.main[0]).toHaveLength(1 + 52);
		for (const item of run.main[0].slice(1)) expect(errorOf(item).outcome).toBe('rejected');
		expect(pairs(run)[0]).toEqual(range(0, 99));
	});

	test('a retry puts back only what has not been put back', async () => {
		const ids = await entries(150);
		await lab.client.setFaults([{ kind: 'status', status: 422, path: 'requeue', skip: 1, times: 1 }]);
		const failed = await lab.execute(requeue(), { items: ids.map((id) => ({ ids: id })) });
		expect(failed.status).toBe('error');
		expect(failed.error?.description).toMatch(/This is about items 100, 101, .* 119 and 30 more\./);
		expect(failed.error?.description).toContain('Of 150 items, 100 went out, 50 were refused.');

		const retried = await lab.lab.engine.retry(failed);

		expect(retried.status).toBe('success');
		expect((await sentIds()).map(({ length }) => length)).toEqual([100, 50, 50]);
		expect(await retries(ids)).toEqual(new Set([1]));
		expect(pairs(retried)).toEqual([range(0, 100), range(100, 150)]);
		expect(retried.hints.map(({ message }) => message)).toEqual([
			'Of 150 items, 150 went out (100 of them in an earlier try). What had gone out before was not sent again.',
		]);
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'Retry On Fail with %s puts nothing back twice',
		async (onError) => {
			const ids = await entries(150);
			await lab.client.setFaults([{ kind: 'status', status: 422, path: 'requeue', times: 1 }]);
			const run = await lab.execute(requeue(), {
				items: ids.map((id) => ({ ids: id })),
				settings: { onError, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
			});
			expect((await sentIds()).map(({ length }) => length)).toEqual([100, 50, 100]);
			expect(await retries(ids)).toEqual(new Set([1]));
			expect(pairs(run).flat()).toEqual(range(0, 150));
		},
	);

	test('without an answer it is not made again, unless that is allowed', async () => {
		const ids = await entries(3);
		await lab.client.setFaults([{ kind: 'lostResponse', path: 'requeue', times: 1 }]);
		const failed = await lab.execute(requeue(), { items: ids.map((id) => ({ ids: id })) });
		expect(failed.error?.context?.['outcome']).toBe('unknown');

		const careful = await lab.lab.engine.retry(failed);
		expect(careful.status).toBe('error');
		// This one has sent nothing, and what the one before has sent is there all the same.
		expect(careful.error?.description).toMatch(/To send only the rest, .* Don't run the workflow again/);
		expect(await retries(ids)).toEqual(new Set([1]));

		const bold = await lab.lab.engine.retry(careful, {
			node: { parameters: requeue({ whenUnknown: 'sendAgain' }) },
		});
		expect(bold.status).toBe('success');
		expect(await retries(ids)).toEqual(new Set([2]));
	});

	test('an item is put back again only where its own settings allow it, and shares no call that is repeated', async () => {
		const ids = await entries(3);
		await lab.client.setFaults([{ kind: 'lostResponse', path: 'requeue', times: 3 }]);
		const run = await lab.execute(
			requeue({ whenUnknown: "={{ $itemIndex !== 1 ? 'sendAgain' : 'hold' }}", maxTries: 2 }),
			{
				items: ids.map((id) => ({ ids: id })),
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(endsOf(run)).toEqual(['unknown', 'unknown', 'unknown']);
		expect(await retries([ids[1]!])).toEqual(new Set([1]));
		expect(await retries([ids[0]!, ids[2]!])).toEqual(new Set([2]));
	});

	test('a retry that can not be set up, or completed, does not call unsent what was put back', async () => {
		const ids = await entries(150);
		const parameters = requeue({}, { accountId: byId('') });
		await lab.client.setFaults([{ kind: 'status', status: 422, path: 'requeue', skip: 1, times: 1 }]);
		const failed = await lab.execute(parameters, { items: ids.map((id) => ({ ids: id })) });
		expect(failed.status).toBe('error');

		const going = { node: { parameters, onError: 'continueRegularOutput' as const } };
		const noKey = await lab.lab.engine.retry(failed, {
			...going,
			credential: { ...lab.credential, apiKey: '' },
		});
		expect(pairs(noKey)).toEqual([range(0, 100), ...range(100, 150).map((n) => [n])]);
		expect(noKey.main[0].slice(1).map((item) => errorOf(item).outcome)).toEqual(Array(50).fill('unsent'));

		await lab.client.setFaults([{ kind: 'status', status: 403, path: 'Admin/Channel' }]);
		const noList = await lab.lab.engine.retry(failed, going);
		// What was refused, and only that, is known not to be back.
		expect(pairs(noList)).toEqual(pairs(noKey));
		expect(noList.main[0].slice(1).map((item) => errorOf(item).outcome)).toEqual(Array(50).fill('unsent'));

		await lab.client.clearFaults();
		expect((await lab.lab.engine.retry(failed)).status).toBe('success');
		expect(await retries(ids)).toEqual(new Set([1]));
	});

	test('an item that was put back in part: nobody is left to think that none of it was', async () => {
		const ids = await entries(150);
		await lab.client.setFaults([{ kind: 'status', status: 422, path: 'requeue', skip: 1, times: 1 }]);
		const one = await lab.execute(requeue(), { items: [{ ids: ids.join(',') }] });
		expect(one.error?.message).toMatch(/^100 of 150 entries went through, then a call failed: /);
		expect(one.error?.context).toMatchObject({ outcome: 'unknown' });
		expect(one.error?.description).toMatch(/Do not send this item again: .* done twice/);
		expect(one.error?.description).not.toMatch(/Send Again/);

		expect((await lab.lab.engine.retry(one)).status).toBe('error');
		expect(await retries(ids.slice(0, 100))).toEqual(new Set([1]));
		expect(await retries(ids.slice(100))).toEqual(new Set([0]));
	});

	test('what an earlier try left in doubt stays so when the list of channels can not be read any more', async () => {
		const [id = ''] = await entries(1);
		await lab.client.setFaults([
			{ kind: 'lostResponse', path: 'requeue', times: 1 },
			{ kind: 'status', status: 403, path: 'Admin/Channel', skip: 1 },
		]);
		const run = await lab.execute(requeue({}, { accountId: byId('') }), {
			items: [{ ids: id }],
			settings: { onError: 'continueRegularOutput', retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		});
		expect(endsOf(run)).toEqual(['unknown']);
		expect(await retries([id])).toEqual(new Set([1]));
	});

	test.each<[what: string, fault: object]>([
		['can not be read any more', { kind: 'status', status: 403 }],
		['does not show the channel any more', { kind: 'reply', body: [] }],
	])('of a retry whose list of channels %s, only what may be back is unclear', async (_what, fault) => {
		const [done = '', lost = '', refused = '', other = ''] = await entries(4);
		await lab.client.setFaults([
			{ kind: 'lostResponse', path: 'requeue', bodyContains: lost, times: 1 },
			{ kind: 'status', status: 422, path: 'requeue', bodyContains: refused, times: 1 },
			{ ...fault, path: 'Admin/Channel', skip: 1 } as FaultRule,
		]);
		const run = await lab.execute(requeue({ grouping: 'perItem' }, { accountId: byId('') }), {
			items: [{ ids: lost }, { ids: refused }, { ids: done.toUpperCase() }, { ids: `${other},${done}` }],
			settings: { onError: 'continueRegularOutput', retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		});
		expect((await lab.calls()).filter(({ method }) => method === 'GET')).toHaveLength(2);
		expect(endsOf(run)).toEqual(['unknown', 'unsent', 'done', 'done']);
		expect(errorOf(run.main[0][1]).description).not.toMatch(/earlier try/);
	});

	test('of a retry whose list of channels fails, each item has the end that it has', async () => {
		const [other = '', done = '', lost = '', late = ''] = await entries(4);
		await lab.client.setFaults([
			{ kind: 'lostResponse', path: 'requeue', bodyContains: lost, times: 1 },
			{ kind: 'status', status: 500, path: 'Admin/Channel', skip: 1 },
		]);
		const items = [other, done, lost, late].map((ids, n) => ({
			ids,
			account: n === 0 ? '' : hook().accountId,
		}));
		const parameters = requeue(
			{ grouping: 'perItem', maxTries: 1 },
			{ accountId: byId('={{ $json.account }}') },
		);
		const failed = await lab.execute(parameters, {
			items,
			settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		});
		const { message = '', description } = failed.error ?? {};
		expect(description).toContain(
			'Of 4 items, 3 went out (2 of them in an earlier try), 1 may have gone out.',
		);
		expect(message).toMatch(/^Not sent again, because an earlier try may have been processed: /);
		expect(description).toMatch(/To send only the rest, .* Don't run the workflow again/);
		expect(description).not.toMatch(/can be repeated/);
	});

	test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'of a retry in which an expression has been broken, nothing counts as not sent that may be back: %s',
		async (onError) => {
			const ids = await entries(3);
			await lab.client.setFaults([{ kind: 'status', status: 422, path: 'requeue', skip: 2, times: 1 }]);
			const failed = await lab.execute(requeue({ grouping: 'perItem' }), {
				items: ids.map((id) => ({ ids: id })),
			});
			expect(failed.error?.description).toContain('Of 3 items, 2 went out, 1 was refused.');

			const broken = requeue({ grouping: 'perItem', maxTries: '={{ $itemIndex > 0 ? "x" : 1 }}' });
			const retried = await lab.lab.engine.retry(failed, { node: { parameters: broken, onError } });

			if (onError === 'stopWorkflow') {
				expect(retried.error?.description).toContain(
					'Of 3 items, 2 went out (2 of them in an earlier try), 1 was not sent.',
				);
			} else expect(endsOf(retried)).toEqual(['done', 'done', 'unsent']);

			const mended = await lab.lab.engine.retry(failed, {
				node: { parameters: requeue({ grouping: 'perItem' }) },
			});
			expect(mended.status).toBe('success');
			expect(await retries(ids)).toEqual(new Set([1]));
		},
	);

	test('an item with a wrong id fails, and the others go out', async () => {
		const ids = await entries(2);
		const run = await lab.execute(requeue(), {
			items: [{ ids: ids[0]! }, { ids: 'no id' }, { ids: ids[1]! }],
			settings: { onError: 'continueErrorOutput' },
		});
		expect(await sentIds()).toEqual([ids]);
		expect(run.main[1].map((item) => errorOf(item).outcome)).toEqual(['unsent']);
	});
});

test('each item has exactly one end, with error output', async () => {
	const ids = await entries(120);
	await lab.client.setFaults([{ kind: 'status', status: 500, path: 'requeue' }]);
	const run = await lab.execute(requeue(), {
		items: ids.map((id) => ({ ids: id })),
		settings: { onError: 'continueErrorOutput' },
	});
	expect(endsOf(run)).toEqual(Array(120).fill('unknown'));
});
