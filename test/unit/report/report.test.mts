import type { IExecuteFunctions } from 'n8n-workflow';

import type { Run } from '../../../nodes/Messaging/delivery/items.ts';
import { Ledger } from '../../../nodes/Messaging/delivery/ledger.ts';
import type { Reason } from '../../../nodes/Messaging/delivery/pace/queued-call.ts';
import { logProgress } from '../../../nodes/Messaging/report/progress.ts';
import { itemError, stopError } from '../../../nodes/Messaging/report/output.ts';
import { type Counts, countsOf, type Report, reportOn } from '../../../nodes/Messaging/report/report.ts';
import { linesOf } from '../../../nodes/Messaging/report/report-text.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import type { Operation } from '../../../nodes/Messaging/operations/operation.ts';
import { type Failure, failureBy, unsent } from '../../../nodes/Messaging/service/endings.ts';
import { FakeClock, rest } from '../delivery/fake-clock.mts';
import { Counted } from '../support/counted.mts';
import { fakeN8n, jsonResponse, sendingNode } from '../support/fake-n8n.mts';

const refused = failureBy('refused', { message: 'No', description: 'Do it.' }, { statusCode: 400 });
const lost: Failure = {
	...failureBy('doubtful', { message: 'Lost', description: 'Who knows.' }),
	code: 'ECONNRESET',
};

/** How a run goes: what kind of run it is, and how its items end. */
interface Play {
	readonly items?: number;
	readonly set?: Partial<Pick<Ledger, 'effect' | 'isLaterRun' | 'isOnceOnly' | 'usesKeys'>>;
	readonly mode?: ReturnType<IExecuteFunctions['getMode']>;
	readonly isCancelled?: boolean;
	readonly ends?: (ledger: Ledger) => void;
	readonly failure?: Failure;
	/** The number of the item that fails; by default, the last one. */
	readonly fails?: number;
}

function runOf({ items = 10, set = {}, mode = 'trigger', isCancelled = false, ...play }: Play) {
	const { ends = () => {}, failure = refused, fails = items - 1 } = play;
	const cancel = new AbortController();
	if (isCancelled) cancel.abort();
	const context = Object.assign(fakeN8n(jsonResponse('{}'), { items }).context, {
		getMode: () => mode,
		getNode: () => sendingNode,
		getExecutionId: () => '231',
		getExecutionCancelSignal: () => cancel.signal,
	});
	const ledger = Object.assign(new Ledger(context), { effect: 'sends', isOnceOnly: true, ...set });
	ends(ledger);
	const failed = { failure, items: [fails] };
	ledger.fail(failed.items, failure);
	return { context, ledger, failed };
}

/** The report on a failure that stops such a run. */
function reportOf(play: Play): Report {
	const { context, failed, ledger } = runOf(play);
	return reportOn(context, ledger, failed, countsOf(ledger));
}

const textOf = (play: Play): string => linesOf(reportOf(play)).join('\n');

const first = (count: number, sentIn?: 'before' | 'earlierTry') => (ledger: Ledger) => {
	for (let item = 0; item < count; item++) ledger.sent([item], [{ onceKey: `order-${item}` }], sentIn);
};

test('a wrong value is to be corrected, unless a gateway refused the item', () => {
	const descriptionOf = (failure: Failure): string => {
		const { context, failed, ledger } = runOf({ ends: first(2), failure });
		return String(stopError(context, failed, ledger).description);
	};
	expect(descriptionOf(refused)).toContain('Correct a wrong value');
	expect(descriptionOf({ ...refused, byGateway: true })).not.toContain('Correct');
});

describe('how the items of a run ended', () => {
	const unsentOnes = { ends: first(2), failure: unsent('No', 'Do it.') };
	const before = { ends: first(4, 'before'), set: { usesKeys: true } };
	const countOne = (ledger: Ledger) => ledger.countAsSent(0, {}, 'earlierTry');

	test.each<[words: string, Play, Partial<Counts>]>([
		['Of 10 items, 2 were sent, 8 were not.', unsentOnes, { done: 2, unsent: 8 }],
		[
			'Of 10 items, 2 were sent, 8 were not (1 refused).',
			{ ends: first(2) },
			{ done: 2, rejected: 1, unsent: 7 },
		],
		[
			'Of 10 items, 5 were sent (5 in an earlier try), 5 were not (1 refused).',
			{ ends: first(5, 'earlierTry') },
			{ done: 5, earlierTry: 5, rejected: 1, unsent: 4 },
		],
		[
			'Of 10 items, 4 were sent (4 before, as order-0, order-1, order-2 and 1 more), 6 were not in this run (1 refused).',
			before,
			{ done: 4, before: 4, rejected: 1, unsent: 5 },
		],
		[
			'Of 10 items, 1 was sent (1 only counted as sent), 9 were not (1 refused).',
			{ ends: countOne },
			{ done: 1, counted: 1, rejected: 1, unsent: 8 },
		],
		[
			'Of 10 items, 2 were sent, 1 may have been sent, 7 were not.',
			{ ends: first(2), failure: lost },
			{ done: 2, unknown: 1, unsent: 7 },
		],
	])('%s', (words, play, counts) => {
		const none = { done: 0, rejected: 0, unsent: 0, unknown: 0, earlierTry: 0, before: 0, counted: 0 };
		expect(reportOf(play).counts).toEqual({ ...none, total: 10, ...counts });
		expect(textOf(play)).toContain(words);
	});

	test('of a single item, the outcome says it', () => {
		expect(textOf({ items: 1 })).not.toMatch(/Of \d/);
	});

	test.each([
		['sends', 'Outcome: rejected (not sent).', 'Outcome: unknown (maybe sent).'],
		['changes', 'Outcome: rejected (not done).', 'Outcome: unknown (maybe done).'],
	] as const)('the outcome comes first: %s', (effect, whenRefused, whenLost) => {
		expect(linesOf(reportOf({ set: { effect } }))[0]).toBe(whenRefused);
		expect(linesOf(reportOf({ set: { effect }, failure: lost }))[0]).toBe(whenLost);
	});

	test.each<[string, Play, words: RegExp]>([
		[
			'in a loop, this batch',
			{ set: { isLaterRun: true } },
			/Of the 10 items of this batch, .*Earlier batches/,
		],
		[
			'in a sub-workflow, this call',
			{ mode: 'integrated' },
			/Other calls of this sub-workflow are not counted/,
		],
	])('it counts only, %s, and says so', (_what, play, words) => {
		const { context, failed, ledger } = runOf({ ends: first(8), ...play });
		expect(stopError(context, failed, ledger).description).toMatch(words);
	});
});

test('the first twenty items in doubt are told with recipient and packageId, the others counted, the code at the end', () => {
	const ends = (ledger: Ledger): void => {
		for (let item = 0; item < 22; item++) {
			ledger.entry(item).saved.message = { to: `r${item}@example.com`, packageId: `00${item}` };
			ledger.left([item]);
			ledger.fail([item], lost);
		}
	};
	const report = reportOf({ items: 30, ends, failure: lost, fails: 0 });
	const all = [...Array(22).keys()];
	expect(report.inDoubt).toEqual(
		all.map((item) => ({ item, to: `r${item}@example.com`, packageId: `00${item}` })),
	);
	const told = all.slice(0, 20).map((item) => `item ${item} (to r${item}@example.com, packageId 00${item})`);
	const lines = linesOf(report);
	expect(lines).toContain(`In doubt: ${told.join(', ')} and 2 more.`);
	expect(lines.at(-1)).toBe('(ECONNRESET)');
});

test('of an item in doubt without recipient and packageId, its number is told', () => {
	expect(linesOf(reportOf({ items: 3, failure: lost }))).toContain('In doubt: item 2.');
});

/** What each step says, in part. */
const STEPS = {
	look: 'Look at the service',
	decide: 'Set the option When Outcome Is Unknown',
	correct: 'Correct a wrong value',
	retry: 'pick this one, ',
	retryNewest: 'pick this newest one, not the first',
	retrySubWorkflow: 'In Executions of the sub-workflow',
	retryByApi: 'POST /api/v1/executions/231/retry',
	runAgain: 'workflow again: what was sent under its key',
	dontRunCaller: "Don't run or retry all of it",
	dontRunAgain: "Don't run the workflow again",
} as const;
type Step = keyof typeof STEPS;

const inPart = { ends: first(2) };
const inDoubt = { ...inPart, failure: lost };
const cancelled = { ...inDoubt, isCancelled: true };
const changes = { effect: 'changes', isOnceOnly: false } as const;
const usesKeys = { set: { usesKeys: true } };
const called = { items: 1, mode: 'integrated' } as const;

test.each<[string, Play, steps: Step[]]>([
	['nothing has gone out', {}, []],
	['a part has gone out, the next item is refused', inPart, ['correct', 'retry', 'dontRunAgain']],
	[
		'the API key is refused',
		{ ...inPart, failure: { ...refused, statusCode: 401 } },
		['retry', 'dontRunAgain'],
	],
	['an item is in doubt', { items: 1, failure: lost }, ['look', 'decide', 'retry', 'dontRunAgain']],
	['the same with once keys', { ...inDoubt, ...usesKeys }, ['look', 'decide', 'retry', 'runAgain']],
	[
		'a batch of a loop has failed',
		{ items: 1, set: { isLaterRun: true } },
		['correct', 'retry', 'dontRunAgain'],
	],
	['a retry has failed again', { ...inPart, mode: 'retry' }, ['correct', 'retryNewest', 'dontRunAgain']],
	['the execution was cancelled', cancelled, ['look', 'decide', 'retryByApi', 'dontRunAgain']],
	['the same with once keys', { ...cancelled, ...usesKeys }, ['look', 'decide', 'retryByApi', 'runAgain']],
	['a sub-workflow, called for each item', called, ['correct', 'retrySubWorkflow', 'dontRunCaller']],
	['the same with once keys', { ...called, ...usesKeys }, ['correct', 'retrySubWorkflow', 'runAgain']],
	['a repetition does no harm', { ...inPart, set: changes }, ['correct', 'retry']],
	['nothing is changed', { ...inPart, set: { effect: 'reads', isOnceOnly: false } }, []],
])('what to do if %s: %#', (_what, play, steps) => {
	const lines = linesOf(reportOf(play));
	expect(lines.filter((line) => /^\d\. /.test(line))).toEqual(
		steps.map((step) => expect.stringContaining(STEPS[step]) as string),
	);
	const others = Object.values(STEPS).filter((words) => !steps.some((step) => STEPS[step] === words));
	expect(others.filter((words) => lines.join('\n').includes(words))).toEqual([]);
});

test('an item of a run that goes on is told on one line, without a retry that n8n does not offer', () => {
	const { context, failed, ledger } = runOf({ items: 3, ends: first(2), failure: lost });
	ledger.entry(2).saved.message = { to: 'ada@example.com', packageId: '17' };
	const { description, outcome } = itemError(reportOn(context, ledger, failed));
	expect(outcome).toBe('unknown');
	expect(description).not.toContain('\n');
	expect(description).toMatch(
		/^Outcome: unknown \(maybe sent\)\. In doubt: item 2 \(to ada@example\.com, packageId 17\)\. Who knows\. .*1\. Look at the service .*2\. If it is not there, send this item through the node again.* \(ECONNRESET\)$/,
	);
	expect(description).not.toContain('Retry with');
});

test('n8n is told what to show, and does not search the problem for it: that takes seconds where one is long', () => {
	const counted = new Counted(0);
	const problem = counted.watch({ errors: [{ message: 'another' }], error: { message: 'one more' } });
	const failure = { ...refused, message: 'connect ECONNREFUSED', statusCode: 404, problem };
	const { context, failed, ledger } = runOf({ items: 1, failure });

	const error = stopError(context, failed, ledger);

	expect(error).toMatchObject({
		name: 'NodeApiError',
		message: 'connect ECONNREFUSED',
		description: expect.stringMatching(/Do it\./) as string,
		httpCode: '404',
	});
	expect(error.context).toMatchObject({ itemIndex: 0, outcome: 'rejected' });
	expect(error.context.data).toBe(problem);
});

describe('the log of a run that takes long', () => {
	/** A run of 1,200 items, and what it logs in n8n. */
	function run(why?: Reason) {
		const clock = new FakeClock();
		const lines: string[] = [];
		const { context } = fakeN8n(jsonResponse('{}'), { items: 1200 });
		Object.assign(context, { logger: { info: (line: string) => void lines.push(line) } });
		const ledger = new Ledger(context);
		const queue = { waiting: why && { waitsFor: { why } } };
		const operation = findOperation('message', 'send') as Operation;
		const end = logProgress({ clock, context, ledger, operation, queue } as unknown as Run);
		return { clock, end, ledger, lines };
	}

	test('says every thirty seconds how far it is, and leaves no timer behind', async () => {
		const { clock, end, ledger, lines } = run();
		for (let item = 0; item < 1000; item++) ledger.sent([item], [{}]);
		ledger.fail([1000, 1001], failureBy('refused', { message: 'No', description: '' }));
		await clock.pass(29_999);
		expect(lines).toEqual([]);
		await clock.pass(45_000);
		end();
		await rest();
		expect(clock.asleep).toBe(0);
		const line = 'Unified Messaging, message send, execution 1: 1,000 of 1,200 items done, 2 failed';
		expect(lines).toEqual([line, line]);
	});

	test.each<[Reason, said: RegExp]>([
		['plan', /0 failed; waiting: the plan of the API key was used up$/],
		['outage', /0 failed; waiting: the service was failing$/],
		['own', /0 failed$/],
	])('and what it is waiting for: %s', async (why, said) => {
		const { clock, end, lines } = run(why);
		await clock.pass(30_000);
		end();
		expect(lines[0]).toMatch(said);
	});
});
