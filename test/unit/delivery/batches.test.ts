import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Batches } from '../../../nodes/Messaging/delivery/batches.ts';
import type { Job } from '../../../nodes/Messaging/delivery/jobs.ts';
import { Memory } from '../../../nodes/Messaging/delivery/memory/memory.ts';
import { Results } from '../../../nodes/Messaging/delivery/report/results.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import type { CallEnd, Failure, Outcome } from '../../../nodes/Messaging/service/endings.ts';
import { sourceOf } from '../../cases/source.ts';
import { byId, ids } from '../../cases/values.ts';
import { STANDARD } from './run.ts';

const operation = findOperation('outbox', 'requeue')!;

/** The n-th made-up entry. */
const entry = (n: number): string => `e0e0e0e0-0000-4000-8000-${String(n).padStart(12, '0')}`;
const entries = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, n) => entry(from + n));

interface Item {
	ids: string[];
	channel?: string;
	account?: string;
	organization?: string;
	grouping?: 'perChannel' | 'perItem';
	/** Where it is not as for all. */
	resendUnknown?: boolean;
}

interface Try {
	kept?: IDataObject;
	resendUnknown?: boolean;
	/** How each call ends, in order; calls beyond end well. */
	ends?: Array<Outcome | 'done' | 'never' | 'halt'>;
	/** What the service answers beside the number of entries. */
	reply?: IDataObject;
}

const failure = (outcome: Outcome): Failure => ({
	message: `It was ${outcome}`,
	description: 'Advice.',
	statusCode: null,
	outcome,
	problem: null,
	cause: 'doubtful',
});

/** One run of a requeue, with calls that end as the test says. */
async function requeue(items: Item[], { kept = {}, resendUnknown = false, ends = [], reply = {} }: Try = {}) {
	const context = {
		getContext: () => kept,
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getExecutionId: () => '1',
		getNode: () => ({}),
		getInputData: () => items.map(() => ({ json: {} })),
	};
	const memory = Memory.open(context as unknown as IExecuteFunctions, 'outbox requeue');
	const batches = new Batches(operation.batching!.mostParts, memory);
	for (const [item, { ids: entryIds, channel, account, organization, grouping, ...own }] of items.entries()) {
		const settings = { ...STANDARD, resendUnknown, ...own };
		const prepared = operation.compile(
			sourceOf(operation.fields, {
				channelId: byId(channel ?? ids.channel),
				accountId: byId(account ?? ids.account),
				organizationId: organization ?? ids.organization,
				entryIds,
				options: grouping === undefined ? {} : { grouping },
			}),
		);
		batches.add(item, { prepared, settings });
	}
	const jobs: Job[] = [];
	/** How many of the parts drawn one after the other needed no call. */
	let passes = 0;
	for (const job of batches.jobs()) {
		if (job === null) {
			passes += 1;
			continue;
		}
		const end = ends[jobs.length] ?? 'done';
		jobs.push(job);
		if (end === 'halt') break;
		if (end === 'never') continue;
		const ended: CallEnd =
			end === 'done'
				? { json: [...job.prepared.output({ requeuedCount: 1, ...reply })] }
				: { failure: failure(end) };
		memory.ended(job.keys, end === 'done' || end === 'unknown' ? ended : undefined);
		job.ended(ended);
	}
	const before = items.map((_, item) => batches.endOf(item));
	const results = new Results(items.length);
	let [time, turns] = [0, 0];
	await batches.settle(results, {
		now: () => (time += 0.01),
		idle: () => 0,
		sleep: () => {
			turns += 1;
			return Promise.resolve();
		},
	});
	return {
		kept,
		jobs,
		passes,
		turns,
		before,
		calls: jobs.map(({ prepared }) => (prepared.call.body as { ids: string[] }).ids),
		output: await results.items(),
		tally: results.tally(),
		first: results.first,
	};
}

type Run = Awaited<ReturnType<typeof requeue>>;

/** What can be said of an output in one line. */
const lines = ({ output }: Run) =>
	output.map(({ json, pairedItem }) => {
		const pairs = [pairedItem].flat().map((pair) => (typeof pair === 'object' ? pair.item : pair));
		const error = json['error'] as { outcome?: string } | undefined;
		return `${error?.outcome ?? 'done'} ${pairs.join(',')}`;
	});

test('items of one channel, account and organization share a call, paired with all of them', async () => {
	const run = await requeue([{ ids: [entry(1)] }, { ids: [entry(2)] }, { ids: [entry(3)] }]);
	expect(run.calls).toEqual([[entry(1), entry(2), entry(3)]]);
	expect(lines(run)).toEqual(['done 0,1,2']);
	expect(run.output[0]?.json['ids']).toEqual(run.calls[0]);
});

test('another channel, account or organization is another call', async () => {
	const run = await requeue([
		{ ids: [entry(1)] },
		{ ids: [entry(2)], channel: ids.feedback },
		{ ids: [entry(3)], account: ids.provider },
		{ ids: [entry(4)], organization: ids.key },
		{ ids: [entry(5)], channel: ids.channel.toUpperCase() },
	]);
	expect(run.calls).toEqual([[entry(1), entry(5)], [entry(2)], [entry(3)], [entry(4)]]);
	expect(lines(run)).toEqual(['done 0,4', 'done 1', 'done 2', 'done 3']);
});

test.each([
	[99, [99]],
	[100, [100]],
	[101, [100, 1]],
	[250, [100, 100, 50]],
])('%i ids go out in calls of %j', async (count, sizes) => {
	const run = await requeue(entries(1, count).map((id) => ({ ids: [id] })));
	expect(run.calls.map((call) => call.length)).toEqual(sizes);
	expect(run.calls.flat()).toEqual(entries(1, count));
	expect(run.tally.done).toBe(count);
});

test('an id goes out once, however often and in whichever case it is named', async () => {
	const mixed = 'ABCDEFAB-0000-4000-8000-000000000001';
	const run = await requeue([
		{ ids: [mixed, entry(1), entry(1)] },
		{ ids: [mixed.toLowerCase()] },
		{ ids: [mixed, entry(1)] },
	]);
	expect(run.calls).toEqual([[mixed, entry(1)]]);
	expect(lines(run)).toEqual(['done 0,1,2']);
});

test('per item: a call for each, also when items name the same id', async () => {
	const item: Item = { ids: [entry(1)], grouping: 'perItem' };
	const run = await requeue([item, item, { ids: [entry(2), entry(3)], grouping: 'perItem' }]);
	expect(run.calls).toEqual([[entry(1)], [entry(1)], [entry(2), entry(3)]]);
	expect(lines(run)).toEqual(['done 0', 'done 1', 'done 2']);
});

test('what may be repeated shares no call with what may not, and all items that name an id must agree', async () => {
	const run = await requeue([
		{ ids: entries(1, 3), resendUnknown: true },
		{ ids: [entry(2)] },
		{ ids: entries(3, 4), resendUnknown: true },
	]);
	expect(run.calls).toEqual([[entry(1), entry(3), entry(4)], [entry(2)]]);
	expect(run.jobs.map(({ settings }) => settings.resendUnknown)).toEqual([true, false]);
});

test('an item whose ids went out with two calls is paired with both', async () => {
	const run = await requeue([{ ids: entries(1, 60) }, { ids: entries(61, 120) }, { ids: entries(121, 130) }]);
	expect(run.calls.map((call) => call.length)).toEqual([100, 30]);
	expect(lines(run)).toEqual(['done 0,1', 'done 1,2']);
});

describe('when a call fails', () => {
	test('there is one error item for each of its items', async () => {
		const run = await requeue(
			entries(1, 3).map((id) => ({ ids: [id] })),
			{ ends: ['rejected'] },
		);
		expect(lines(run)).toEqual(['rejected 0', 'rejected 1', 'rejected 2']);
		expect(run.tally).toMatchObject({ rejected: 3, done: 0 });
	});

	test('an item whose ids fell into a failed and a successful call fails, naming the ids of each', async () => {
		const items = [{ ids: entries(1, 99) }, { ids: [entry(100), entry(101)] }, { ids: [entry(102)] }];
		const run = await requeue(items, { ends: ['done', 'rejected'] });
		expect(lines(run)).toEqual(['done 0', 'rejected 1', 'rejected 2']);
		const error = run.output[1]?.json['error'] as { description: string };
		expect(error.description).toBe(`Advice. Done: ${entry(100)}. Not done: ${entry(101)}.`);
		expect((run.output[2]?.json['error'] as { description: string }).description).toBe('Advice.');
	});

	test('what may have been processed is not told to be undone', async () => {
		const items = [{ ids: entries(1, 99) }, { ids: [entry(100), entry(101)] }];
		const run = await requeue(items, { ends: ['done', 'unknown'] });
		expect(lines(run)).toEqual(['done 0', 'unknown 1']);
		const { description } = run.output[1]?.json['error'] as { description: string };
		expect(description).toMatch(new RegExp(` Done: ${entry(100)}\\. Perhaps done: ${entry(101)}\\.$`));
	});

	test('what may have been processed weighs more than what was refused', async () => {
		const run = await requeue([{ ids: entries(1, 200) }], { ends: ['rejected', 'unknown'] });
		expect(lines(run)).toEqual(['unknown 0']);
	});

	test('items whose call never left have no result of their own', async () => {
		const run = await requeue(
			entries(1, 101).map((id) => ({ ids: [id] })),
			{ ends: ['done', 'never'] },
		);
		expect(run.tally).toMatchObject({ done: 100, unsent: 1 });
		expect(lines(run)).toHaveLength(1);
	});

	test('an item of which only a part was attempted is not called done', async () => {
		const run = await requeue([{ ids: entries(1, 150) }], { ends: ['done', 'never'] });
		expect(run.tally).toMatchObject({ done: 0, unsent: 1, partly: 1 });
		expect(run.output).toEqual([]);
	});
});

describe('in a re-run', () => {
	/** What n8n has after it saved and loaded the execution. */
	const loaded = ({ kept }: { kept: IDataObject }) => JSON.parse(JSON.stringify(kept)) as IDataObject;

	test('only what has not gone out goes out, and the results are as if all had gone out at once', async () => {
		const items = entries(1, 250).map((id) => ({ ids: [id] }));
		const first = await requeue(items, { ends: ['done', 'rejected', 'done'] });
		const second = await requeue(items, { kept: loaded(first) });
		expect(second.calls).toEqual([entries(101, 200)]);
		const numbers = (from: number, to: number) =>
			entries(from + 1, to + 1)
				.map((_, n) => from + n)
				.join(',');
		expect(lines(second)).toEqual([
			`done ${numbers(0, 99)}`,
			`done ${numbers(100, 199)}`,
			`done ${numbers(200, 249)}`,
		]);
		expect(second.tally).toMatchObject({ done: 250, before: 150 });
	});

	test('ids are remembered, not calls: items may be cut otherwise', async () => {
		const first = await requeue([{ ids: entries(1, 50) }]);
		const second = await requeue([{ ids: entries(41, 60) }], { kept: loaded(first) });
		expect(second.calls).toEqual([entries(51, 60)]);
	});

	test('an id in capital letters is the same id', async () => {
		const id = 'abcdefab-0000-4000-8000-000000000001';
		const first = await requeue([{ ids: [id] }]);
		expect((await requeue([{ ids: [id.toUpperCase()] }], { kept: loaded(first) })).calls).toEqual([]);
	});

	test('what may have gone out does not go out again, unless that is allowed', async () => {
		const items = [{ ids: [entry(1)] }, { ids: [entry(2)] }];
		const first = await requeue(items, { ends: ['unknown'] });
		const careful = await requeue(items, { kept: loaded(first) });
		expect(careful.calls).toEqual([]);
		expect(lines(careful)).toEqual(['unknown 0', 'unknown 1']);
		const error = careful.output[0]?.json['error'] as { message: string; description: string };
		expect(error.message).toMatch(/^Not sent again/);
		expect(error.description).toMatch(/Resend Unknown/);

		const bold = await requeue(items, { kept: loaded(first), resendUnknown: true });
		expect(bold.calls).toEqual([[entry(1), entry(2)]]);
		expect(lines(bold)).toEqual(['done 0,1']);
	});

	test('what is in doubt takes nothing else along: what is new has a call of its own', async () => {
		const [old, ...others] = entries(1, 3);
		const first = await requeue([{ ids: [old!] }], { ends: ['unknown'] });
		const items = [old!, ...others].map((id) => ({ ids: [id] }));
		const bold = await requeue(items, {
			kept: loaded(first),
			resendUnknown: true,
			ends: ['done', 'rejected'],
		});
		expect(bold.calls).toEqual([[old], others]);
		expect(bold.jobs.map(({ unclear }) => unclear?.outcome)).toEqual(['unknown', undefined]);
		expect(lines(bold)).toEqual(['done 0', 'rejected 1', 'rejected 2']);
	});

	test('what is in doubt stays so where its turn does not come', async () => {
		const items = entries(1, 2).map((id) => ({ ids: [id] }));
		const first = await requeue([items[1]!], { ends: ['unknown'] });
		const halted = await requeue(items, { kept: loaded(first), resendUnknown: true, ends: ['halt'] });
		expect(halted.tally).toMatchObject({ unknown: 1, unsent: 1 });
		expect(lines(halted)).toEqual(['unknown 1']);
	});

	test('what is in doubt from before is not what stops the run, where something new has failed', async () => {
		const first = await requeue([{ ids: [entry(1)] }], { ends: ['unknown'] });
		const items = entries(1, 2).map((id) => ({ ids: [id] }));
		const second = await requeue(items, { kept: loaded(first), ends: ['rejected'] });
		expect(lines(second)).toEqual(['unknown 0', 'rejected 1']);
		expect(second.first).toMatchObject({ items: [1], failure: { outcome: 'rejected' } });
	});

	test('what goes out again in spite of that carries along that it is unclear', async () => {
		const first = await requeue([{ ids: [entry(1)] }], { ends: ['unknown'] });
		const bold = await requeue([{ ids: [entry(1)] }], { kept: loaded(first), resendUnknown: true });
		expect(bold.jobs[0]?.unclear).toMatchObject({ outcome: 'unknown' });
		expect((await requeue([{ ids: [entry(1)] }])).jobs[0]?.unclear).toBeUndefined();
	});

	test('what goes out again in spite of that shares no call with what goes out for the first time', async () => {
		const items = [{ ids: [entry(1)] }, { ids: [entry(2)] }, { ids: [entry(3)] }];
		const first = await requeue([items[1]!], { ends: ['unknown'] });
		const bold = await requeue(items, {
			kept: loaded(first),
			resendUnknown: true,
			ends: ['rejected', 'unknown'],
		});
		expect(bold.calls).toEqual([[entry(1), entry(3)], [entry(2)]]);
		expect(bold.jobs.map(({ unclear }) => unclear?.outcome)).toEqual([undefined, 'unknown']);
		expect(lines(bold)).toEqual(['rejected 0', 'unknown 1', 'rejected 2']);
	});

	test('per item: what may have gone out for one stays so, although the same id is refused for another', async () => {
		const item: Item = { ids: [entry(1)], grouping: 'perItem' };
		const first = await requeue([item, item], { ends: ['unknown', 'rejected'] });
		const second = await requeue([item, item], { kept: loaded(first) });
		expect(second.calls).toEqual([]);
		expect(lines(second)).toEqual(['unknown 0', 'unknown 1']);
	});

	test('per item: each result stays with its item', async () => {
		const item: Item = { ids: [entry(1)], grouping: 'perItem' };
		const second = await requeue([item, item], { kept: loaded(await requeue([item, item])) });
		expect(second.calls).toEqual([]);
		expect(lines(second)).toEqual(['done 0', 'done 1']);
	});

	test('what an earlier try has sent counts as sent, also when the run halts before its turn', async () => {
		const items = entries(1, 300).map((id) => ({ ids: [id] }));
		const first = await requeue(items, { ends: ['rejected', 'done', 'done'] });
		const second = await requeue(items, { kept: loaded(first), ends: ['halt'] });
		expect(second.tally).toMatchObject({ done: 200, before: 200, unsent: 100 });
	});

	test('what may have gone out stays so when it is allowed to go out again, and the run halts before its turn', async () => {
		const items = [{ ids: [entry(1)] }, { ids: [entry(2)] }];
		const first = await requeue([items[0]!], { ends: ['unknown'] });
		const second = await requeue(items, { kept: loaded(first), resendUnknown: true, ends: ['halt'] });
		expect(second.tally).toMatchObject({ unknown: 1, unsent: 1 });
		expect(lines(second)).toEqual(['unknown 0']);
	});

	test('what is nothing new is not what the run failed for', async () => {
		const items = [{ ids: [entry(1)] }, { ids: [entry(2)] }];
		const first = await requeue([items[0]!], { ends: ['unknown'] });
		const second = await requeue(items, { kept: loaded(first), ends: ['rejected'] });
		expect(lines(second)).toEqual(['unknown 0', 'rejected 1']);
		expect(second.first).toMatchObject({ failure: { outcome: 'rejected' }, items: [1] });
	});

	test('many that need no call are passed over in portions', async () => {
		const items = entries(1, 1_000).map((id) => ({ ids: [id] }));
		const second = await requeue(items, { kept: loaded(await requeue(items)) });
		expect(second.calls).toEqual([]);
		expect(second.passes).toBe(5);
	});
});

describe('many entries', () => {
	/** How many members of lists are walked over while something runs. */
	async function walked(run: () => Promise<unknown>): Promise<number> {
		const original = Array.prototype[Symbol.iterator];
		let count = 0;
		Array.prototype[Symbol.iterator] = function (this: unknown[]) {
			count += this.length;
			return original.call(this);
		};
		try {
			await run();
		} finally {
			Array.prototype[Symbol.iterator] = original;
		}
		return count;
	}

	test('of one item: twice as many are twice the work', async () => {
		const once = await walked(() => requeue([{ ids: entries(1, 2_000) }]));
		const twice = await walked(() => requeue([{ ids: entries(1, 4_000) }]));
		expect(twice).toBeLessThan(once * 2.2);
	});

	test('that fail together, of many items: twice as many are twice the work', async () => {
		const failing = (count: number) => () =>
			requeue(
				entries(1, count).map(() => ({ ids: [entry(1)] })),
				{ ends: ['rejected'] },
			);
		expect(await walked(failing(2_000))).toBeLessThan((await walked(failing(1_000))) * 2.2);
	});

	test('in replies that name them: each reply is written out once', async () => {
		const written = jest.spyOn(JSON, 'stringify');
		const reply = { requeued: entries(1, 100).map((id) => ({ id })) };
		const run = await requeue(
			entries(1, 1_000).map((id) => ({ ids: [id] })),
			{ reply },
		);
		const replies = written.mock.calls.filter(([value]) => Array.isArray(value));
		written.mockRestore();
		expect(run.calls).toHaveLength(10);
		expect(replies).toHaveLength(10);
	});

	test('leave turns of the event loop to others', async () => {
		const run = await requeue([{ ids: entries(1, 3_000) }]);
		expect(run.turns).toBeGreaterThan(10);
	});
});

test('how far each item has got is known before its result: an item ends with the last of its parts', async () => {
	const items = [{ ids: entries(1, 2) }, { ids: entries(3, 150) }, { ids: [entry(1), entry(250)] }];
	const after = async (...ends: NonNullable<Try['ends']>) => (await requeue(items, { ends })).before;
	expect(await after('done', 'never')).toEqual(['done', undefined, undefined]);
	expect(await after('rejected', 'never')).toEqual(['failed', undefined, undefined]);
	expect(await after('done', 'unknown')).toEqual(['done', 'failed', 'failed']);
	expect(await after('done', 'done')).toEqual(['done', 'done', 'done']);
});
