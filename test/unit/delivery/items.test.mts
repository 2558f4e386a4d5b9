import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { IExecuteFunctions } from 'n8n-workflow';

import { Items, type Job } from '../../../nodes/Messaging/delivery/items.ts';
import { Ledger } from '../../../nodes/Messaging/delivery/ledger.ts';
import { optionsField, sendOnce, whenUnknown } from '../../../nodes/Messaging/fields/options.ts';
import type { ParameterSource } from '../../../nodes/Messaging/input/parameter-source.ts';
import type { Operation } from '../../../nodes/Messaging/operations/operation.ts';
import { unsent } from '../../../nodes/Messaging/service/endings.ts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.mts';

type ForItems = ConstructorParameters<typeof Items>[0];

/** What a run has no need of here. */
const others = () => ({
	clock: systemClock,
	lookUps: { named: {} },
	asked: undefined,
	hints: new Map(),
	uuidOfKey: () => undefined,
});

/** A run whose items have these once keys and messages. */
function runOf(keys: readonly string[], messageOf: (item: number) => string): ForItems {
	const { context } = fakeN8n(jsonResponse('{}'), { items: keys.length });
	const input = keys.map((key, n) => ({ json: { key, n } }));
	const saved: Readonly<Record<string, unknown>> = {
		options: { onceKey: '={{ $json.key }}' },
		n: '={{ $json.n }}',
	};
	const ofItem = {
		...context,
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
			return { call: { method: 'POST', path: '/x' }, output: () => [], fingerprint: () => message };
		},
	} as unknown as Operation;
	const ledger = Object.assign(new Ledger(ofItem), { usesKeys: true });
	return { ...others(), context: ofItem, operation, ledger };
}

const keysOf = (jobs: Iterable<Job | null>) => Array.from(jobs, (job) => job?.settings.onceKey);

test('the second message with a key is a job if it is the same message, in composed or decomposed letters', () => {
	const messages = ['Größe', 'Größe'.normalize('NFD'), 'Größen', 'Größe'];
	const keys = ['a', 'a', 'a', 'b'];
	expect(keysOf(new Items(runOf(keys, (item) => messages[item] ?? '')).jobs())).toEqual([
		'a',
		'a',
		undefined,
		'b',
	]);
});

describe('of two questions to one person', () => {
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
		if (isAsked) ledger.sent([0], [{}], 'earlierTry');
		const asked = { has: (key: string) => isLive && key === '0', linkTo: () => '' };
		return { ...others(), context, operation, ledger, asked };
	}

	test.each([
		['the second one fails on its own', asking(false), [[0]], [undefined, 'unsent']],
		['so it does if an earlier try has asked the first', asking(true), [], [undefined, 'unsent']],
		['a question of another execution has a dead link', asking(true, false), [[1]], [undefined, undefined]],
	])('%s', (_what, run, items, outcomes) => {
		const jobs = Array.from(new Items(run).jobs()).filter((job) => job !== null);
		expect(jobs.map((job) => job.items)).toEqual(items);
		expect(run.ledger.entries.map(({ failure }) => failure?.outcome)).toEqual(outcomes);
	});
});

describe('items that may share a call', () => {
	/** A run whose items have so many entries each, of which one call takes 100. */
	function sharing(entries: readonly number[]): ForItems {
		const parameters = { options: { whenUnknown: 'sendAgain' } };
		const { context } = fakeN8n(jsonResponse('{}'), { items: entries.length, parameters });
		const made = [...entries];
		const callFor = (ids: readonly string[]) =>
			({ call: { method: 'POST', path: '/x', body: { ids } }, output: () => [] }) as const;
		const operation = {
			resource: 'outbox',
			name: 'requeue',
			fields: [optionsField([whenUnknown])],
			compile: () => {
				const own = Array.from({ length: made.shift() ?? 0 }, () => 'entry');
				return { ...callFor(own), sharing: { key: 'channel', entries: own, most: 100, callFor } };
			},
		} as unknown as Operation;
		return { ...others(), context, operation, ledger: new Ledger(context) };
	}

	/** The items of each job, and how many entries its call has. */
	const jobsOf = (run: ForItems) =>
		Array.from(new Items(run).jobs()).flatMap((job) =>
			job === null ? [] : [[job.items, (job.compiled.call.body as { ids: string[] }).ids.length]],
		);

	test('one that may have been processed shares none: if the service refuses that, the others are not in doubt', () => {
		const run = sharing([1, 1, 1, 1]);
		run.ledger.entry(1).saved.tried = unsent('Lost', 'Look at the service.');
		expect(jobsOf(run)).toEqual([
			[[0, 2, 3], 3],
			[[1], 1],
		]);
	});

	test('a call that is full goes out, and one with more entries has a call of its own', () => {
		expect(jobsOf(sharing([99, 150, 1, 1]))).toEqual([
			[[1], 150],
			[[0, 2], 100],
			[[3], 1],
		]);
	});
});

test('messages with once keys are not kept in memory until the run ends', () => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	const keys = Array.from({ length: 400 }, (_, n) => `key ${n}`);
	const items = new Items(runOf(keys, (item) => String(item).padStart(100_000, '0')));
	collect();
	const before = process.memoryUsage().heapUsed;
	for (const job of items.jobs()) expect(job).not.toBeNull();
	collect();
	const kept = process.memoryUsage().heapUsed - before;
	// The messages have 40 MB.
	expect(kept).toBeLessThan(8 * 1024 * 1024);
	// The run has not ended: what it keeps is still there.
	expect(items).toBeInstanceOf(Items);
});
