import type { INodeParameters } from 'n8n-workflow';
import { endsOf, useDeliveryLab } from './delivery-lab.mts';
import { byId, errorOf } from './lab.mts';
import type { Run } from './run.mts';

const lab = useDeliveryLab();

const hook = () => lab.channel('Support Ticket Hook');

/** Creates this many outbox entries in a channel: each message makes one. */
async function entries(count: number): Promise<string[]> {
	const run = await lab.execute(
		{
			resource: 'message',
			operation: 'send',
			inputMode: 'json',
			channelId: byId(hook().channelId),
			package:
				'={{ { content: { type: "TEXT", text: "x" + $json.n, to: { type: "HTTP", id: $json.n + 1 } } } }}',
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

/** How often each entry was requeued. */
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

describe('when one of the calls fails', () => {
	test('only its items fail: no item is split over two shared calls', async () => {
		const ids = await entries(152);
		// One item with two ids, for which the first call has no room.
		const items = [...range(0, 99).map((n) => ids[n]!), `${ids[99]},${ids[100]}`, ...ids.slice(101)];
		await lab.client.setFaults([{ kind: 'status', status: 422, path: 'requeue', skip: 1, times: 1 }]);
		const run = await lab.execute(requeue(), {
			items: items.map((list) => ({ ids: list })),
			settings: { onError: 'continueErrorOutput' },
		});

		expect((await sentIds()).map(({ length }) => length)).toEqual([99, 53]);
		expect(pairs(run)).toEqual([range(0, 99), ...range(99, 151).map((n) => [n])]);
		expect(run.main[1].map((item) => errorOf(item).outcome)).toEqual(Array(52).fill('rejected'));
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
});
