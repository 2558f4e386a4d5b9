import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { IExecuteFunctions } from 'n8n-workflow';

import { Items } from '../../../nodes/Messaging/delivery/items.ts';
import { Ledger } from '../../../nodes/Messaging/delivery/ledger.ts';
import { optionsField, sendOnce, sendOptions } from '../../../nodes/Messaging/fields/options.ts';
import type { ParameterSource } from '../../../nodes/Messaging/input/parameter-source.ts';
import { InvalidParameter } from '../../../nodes/Messaging/input/invalid-parameter.ts';
import type { Operation } from '../../../nodes/Messaging/operations/operation.ts';
import { failureBy } from '../../../nodes/Messaging/service/endings.ts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.mts';

type ForItems = ConstructorParameters<typeof Items>[0];

/** What a run has no need of here. */
const others = () => ({
	calls: { clock: systemClock } as ForItems['calls'],
	lookUps: { named: {}, readNamed: () => Promise.resolve(undefined) } as unknown as ForItems['lookUps'],
	asked: undefined,
	halt: new AbortController(),
	hints: new Map(),
	uuidOfKey: () => undefined,
});

/** The jobs of a run, after it has looked at all items. */
async function jobsOf(items: Items) {
	const failure = await items.look();
	return failure ?? (await items.jobs());
}

/** A run whose items have these once keys and messages. */
function runOf(
	keys: readonly string[],
	messageOf: (item: number) => string,
	given: { packageIds?: readonly string[]; stops?: boolean } = {},
): ForItems {
	const { context } = fakeN8n(jsonResponse('{}'), { items: keys.length });
	const input = keys.map((key, n) => ({ json: { key, n } }));
	const saved: Readonly<Record<string, unknown>> = {
		options: { onceKey: '={{ $json.key }}' },
		n: '={{ $json.n }}',
	};
	const ofItem = {
		...context,
		continueOnFail: () => given.stops !== true,
		getInputData: () => input,
		getNode: () => ({ ...context.getNode(), parameters: saved }),
		getWorkflowDataProxy: (n: number) => ({ $json: input[n]?.json, $runIndex: 0 }),
		getNodeParameter: (name: string) => saved[name],
	} as unknown as IExecuteFunctions;
	const operation = {
		resource: 'message',
		name: 'send',
		fields: [optionsField([...sendOnce])],
		compile: (source: ParameterSource) => {
			const message = messageOf(Number(source.read('n')));
			if (message === '') throw new InvalidParameter('Text', 'is empty', 'Enter it.');
			const packageId = given.packageIds?.[Number(source.read('n'))];
			return {
				call: { method: 'POST', path: '/x', body: { packageId } },
				output: () => [],
				fingerprint: () => message,
			};
		},
	} as unknown as Operation;
	const ledger = Object.assign(new Ledger(ofItem), { usesKeys: true });
	return { ...others(), context: ofItem, operation, ledger };
}

test('the second message with a key is a job if it is the same message', async () => {
	const messages = ['Größe', 'Größe', 'Größen', 'Größe'];
	const run = runOf(['a', 'a', 'a', 'b'], (item) => messages[item] ?? '');
	expect(await jobsOf(new Items(run))).toMatchObject([{ item: 0 }, { item: 1 }, { item: 3 }]);
});

test('a Package ID that an earlier item has is refused, unless they have the same once key', async () => {
	const id = '3f6c1c1e-0d0a-4c1b-9a55-1f1b0c8f6a01';
	const packageIds = [id, id, id.toUpperCase(), ''];
	const run = runOf(['a', 'a', 'b', 'c'], () => 'Hello', { packageIds });
	expect(await jobsOf(new Items(run))).toMatchObject([{ item: 0 }, { item: 1 }, { item: 3 }]);
	expect(run.ledger.entry(2).failure).toMatchObject({
		cause: 'invalid',
		message: expect.stringContaining('item 0') as string,
	});
});

describe('a list with refused items', () => {
	const messages = ['', 'Hello', ''];

	test('stops as a whole where the workflow does, and names all of them', async () => {
		const run = runOf(['a', 'b', 'c'], (item) => messages[item] ?? '', { stops: true });
		expect(await jobsOf(new Items(run))).toEqual([]);
		expect(run.ledger.refused).toEqual([0, 2]);
		expect(run.ledger.first).toMatchObject({ item: 0 });
	});

	test('goes out without them elsewhere', async () => {
		const run = runOf(['a', 'b', 'c'], (item) => messages[item] ?? '');
		expect(await jobsOf(new Items(run))).toMatchObject([{ item: 1 }]);
		expect(run.ledger.refused).toEqual([]);
	});

	test('does not count what an earlier try has sent', async () => {
		const run = runOf(['a', 'b'], (item) => messages[item] ?? '', { stops: true });
		run.ledger.sent(0, [{}], 'earlierTry');
		expect(await jobsOf(new Items(run))).toMatchObject([{ item: 1 }]);
	});
});

describe('two questions to one person', () => {
	/** A run with two such questions. An earlier try has asked the first, in this execution or in another. */
	function asking(isAsked: boolean, isLive = isAsked): ForItems {
		const { context } = fakeN8n(jsonResponse('{}'), { items: 2 });
		const compile = () => ({ call: { method: 'POST', path: '/x' }, lane: 'ada', output: () => [] });
		const operation = {
			resource: 'message',
			name: 'sendAndWait',
			fields: [],
			compile,
		} as unknown as Operation;
		const ledger = new Ledger(context);
		if (isAsked) ledger.sent(0, [{}], 'earlierTry');
		const has = (key: string) => isLive && key === '0';
		const asked = { has, linkTo: () => '' } as unknown as ForItems['asked'];
		return { ...others(), context, operation, ledger, asked };
	}

	test.each([
		['nobody is asked', asking(false)],
		['nor if an earlier try has asked the first', asking(true)],
	])('%s', async (_what, run) => {
		expect(await jobsOf(new Items(run))).toMatchObject({
			outcome: 'unsent',
			message: expect.stringContaining('items 0 and 1') as string,
		});
	});

	test('a question of another execution has a dead link: the second one is asked', async () => {
		expect(await jobsOf(new Items(asking(true, false)))).toMatchObject([{ item: 1 }]);
	});
});

describe('the same message in a later run of the node in the execution', () => {
	/** Two runs of one item with the same message, of which the first ends so. */
	async function twoRuns(end: (ledger: Ledger) => void, whenUnknown = 'hold') {
		const { context } = fakeN8n(jsonResponse('{}'), { parameters: { options: { whenUnknown } } });
		const compile = () => ({
			...{ call: { method: 'POST', path: '/x' }, output: () => [], fingerprint: () => 'Hello' },
		});
		const operation = {
			...{ resource: 'message', name: 'send', fields: [optionsField([...sendOptions])], compile },
		} as unknown as Operation;
		const runOfNumber = (run: number): ForItems => {
			const ledger = Object.assign(new Ledger(context), { run, isRepeatSafe: false });
			return { ...others(), context, operation, ledger };
		};
		const first = runOfNumber(0);
		const items = new Items(first);
		await jobsOf(items);
		end(first.ledger);
		items.endRun();
		const second = runOfNumber(1);
		const later = new Items(second);
		return { jobs: await jobsOf(later), later, ledger: second.ledger };
	}
	const lost = failureBy('doubtful', { message: 'Lost', description: '' });

	test('is held if it is in doubt, and no new failure; sent with Send Again', async () => {
		const { jobs, ledger } = await twoRuns((first) => first.fail(0, lost));
		expect(jobs).toEqual([]);
		expect(ledger.entry(0).failure?.outcome).toBe('unknown');
		expect((await twoRuns((first) => first.fail(0, lost), 'sendAgain')).jobs).toHaveLength(1);
	});

	test('is sent, and told, if it has gone out; not told if it has not', async () => {
		const { jobs, later } = await twoRuns((first) => first.sent(0, [{}]));
		expect([jobs, later.repeated]).toMatchObject([[{ item: 0 }], [0]]);
		expect((await twoRuns(() => {})).later.repeated).toEqual([]);
		expect((await twoRuns((first) => first.sent(0, [{}], 'before'))).later.repeated).toEqual([]);
	});
});

test('a run that is stopped while it looks has nothing to send', async () => {
	const run = runOf(['a', 'b', 'c'], (item) => {
		if (item === 1) run.halt.abort();
		return 'Hello';
	});
	const items = new Items(run);
	await items.look();
	expect(items.looked).toHaveLength(2);
});

test('a message is not kept in memory longer than its job', async () => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	const keys = Array.from({ length: 400 }, (_, n) => `key ${n}`);
	const items = new Items(runOf(keys, (item) => String(item).padStart(100_000, '0')));
	collect();
	const before = process.memoryUsage().heapUsed;
	const made = async () => ((await jobsOf(items)) as unknown[]).length;
	expect(await made()).toBe(400);
	collect();
	const kept = process.memoryUsage().heapUsed - before;
	// The messages have 40 MB.
	expect(kept).toBeLessThan(8 * 1024 * 1024);
	// The run has not ended: what it keeps is still there.
	expect(items).toBeInstanceOf(Items);
});
