import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Run } from '../../../nodes/Messaging/delivery/run.ts';
import { Ledger } from '../../../nodes/Messaging/delivery/ledger.ts';
import type { Reason } from '../../../nodes/Messaging/delivery/pace/queued-call.ts';
import { logProgress } from '../../../nodes/Messaging/report/progress.ts';
import { itemError, stopError } from '../../../nodes/Messaging/report/output.ts';
import { type Counts, countsOf, type Report, reportOn } from '../../../nodes/Messaging/report/report.ts';
import { textOf } from '../../../nodes/Messaging/report/text.ts';
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
	readonly set?: Partial<Pick<Ledger, 'effect' | 'isLaterRun' | 'isRepeatSafe' | 'usesKeys'>>;
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
	const ledger = Object.assign(new Ledger(context), { effect: 'sends', isRepeatSafe: false, ...set });
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

const descriptionOf = (play: Play): string => textOf(reportOf(play)).description;

const first = (count: number, sentIn?: 'before' | 'earlierTry') => (ledger: Ledger) => {
	for (let item = 0; item < count; item++) ledger.sent([item], [{ onceKey: `order-${item}` }], sentIn);
};

describe('how the items of a run ended', () => {
	const unsentOnes = { ends: first(2), failure: unsent('No', 'Do it.') };
	const before = { ends: first(4, 'before'), set: { usesKeys: true } };
	const countOne = (ledger: Ledger) => ledger.countAsSent(0, {}, 'earlierTry');

	test.each<[Play, Partial<Counts>]>([
		[unsentOnes, { done: 2, unsent: 8 }],
		[{ ends: first(2) }, { done: 2, rejected: 1, unsent: 7 }],
		[{ ends: first(5, 'earlierTry') }, { done: 5, earlierTry: 5, rejected: 1, unsent: 4 }],
		[before, { done: 4, before: 4, rejected: 1, unsent: 5 }],
		[{ ends: countOne }, { done: 1, counted: 1, rejected: 1, unsent: 8 }],
		[
			{ ends: first(2), failure: lost },
			{ done: 2, unknown: 1, unsent: 7 },
		],
	])('is counted, and each number is told: %#', (play, counts) => {
		const none = { done: 0, rejected: 0, unsent: 0, unknown: 0, earlierTry: 0, before: 0, counted: 0 };
		const report = reportOf(play);
		expect(report.counts).toEqual({ ...none, total: 10, ...counts });
		const { rejected = 0, unsent: others = 0, ...alone } = counts;
		const told = [10, ...Object.values(alone), rejected + others, rejected].filter((number) => number > 0);
		const numbers = /Of .*?\./.exec(textOf(report).description)?.[0].match(/\d+/g)?.map(Number) ?? [];
		expect(numbers.sort()).toEqual(told.sort());
	});

	test('of a single item, the outcome says it', () => {
		expect(descriptionOf({ items: 1 })).not.toMatch(/Of \d/);
	});

	test.each([
		['sends', 'Outcome: rejected (not sent).', 'Outcome: unknown (maybe sent).'],
		['changes', 'Outcome: rejected (not done).', 'Outcome: unknown (maybe done).'],
	] as const)('the outcome comes first: %s', (effect, whenRefused, whenLost) => {
		expect(descriptionOf({ set: { effect } }).startsWith(whenRefused)).toBe(true);
		expect(descriptionOf({ set: { effect }, failure: lost }).startsWith(whenLost)).toBe(true);
	});

	test.each<[string, Play, words: RegExp]>([
		['in a loop, this batch', { set: { isLaterRun: true } }, /of this batch, .*Earlier batches/],
		['in a sub-workflow, this call', { mode: 'integrated' }, /Other calls/],
	])('it counts only, %s, and says so', (_what, play, words) => {
		expect(descriptionOf({ ends: first(8), ...play })).toMatch(words);
	});
});

test('an item in doubt is told with recipient and packageId; the details of the error have all of them', () => {
	const ends = (ledger: Ledger): void => {
		for (let item = 0; item < 22; item++) {
			ledger.entry(item).saved.message = { to: `r${item}@example.com`, packageId: `00${item}` };
			ledger.startRequest([item]);
			ledger.fail([item], lost);
		}
	};
	const play = { items: 30, ends, failure: lost, fails: 0 };
	const report = reportOf(play);
	const all = [...Array(22).keys()];
	expect(report.inDoubt).toEqual(
		all.map((item) => ({ item, to: `r${item}@example.com`, packageId: `00${item}` })),
	);
	const texts = all.map((item) => `item ${item} (to r${item}@example.com, packageId 00${item})`);
	const { context, failed, ledger } = runOf(play);
	const { description, messages } = stopError(context, failed, ledger);
	expect(messages).toEqual(texts);
	expect(description).toContain(`In doubt: ${texts[0]}`);
	const named = texts.filter((text) => description?.includes(text) === true).length;
	expect(description).toContain(` and ${22 - named} more`);
	expect(description).toMatch(/\(ECONNRESET\)$/);
});

test('of an item in doubt without recipient and packageId, its number is told', () => {
	expect(descriptionOf({ items: 3, failure: lost })).toContain('In doubt: item 2.');
});

const inPart = { ends: first(2) };
const inDoubt = { ...inPart, failure: lost };
const cancelled = { ...inDoubt, isCancelled: true };
const changes = { effect: 'changes', isRepeatSafe: true } as const;
const usesKeys = { set: { usesKeys: true } };
const called = { items: 1, mode: 'integrated' } as const;

/** Cases, with what a person has to do, and the heading of the guide. */
const CASES: ReadonlyArray<[string, Play, steps: string[], heading: string]> = [
	['nothing has gone out', {}, [], 'what-you-see'],
	['a part has gone out, the next item is refused', inPart, ['correct', 'retry', 'dontRunAgain'], 'retry'],
	[
		'the API key is refused',
		{ ...inPart, failure: { ...refused, statusCode: 401 } },
		['retry', 'dontRunAgain'],
		'retry',
	],
	[
		'a gateway refuses',
		{ ...inPart, failure: { ...refused, byGateway: true } },
		['retry', 'dontRunAgain'],
		'retry',
	],
	[
		'an item is in doubt',
		{ items: 1, failure: lost },
		['look', 'decide', 'retry', 'dontRunAgain'],
		'unknown-look-at-the-service-first',
	],
	[
		'the same with once keys',
		{ ...inDoubt, ...usesKeys },
		['look', 'decide', 'retry', 'runAgain'],
		'unknown-look-at-the-service-first',
	],
	[
		'a batch of a loop has failed',
		{ items: 1, set: { isLaterRun: true } },
		['correct', 'retry', 'dontRunAgain'],
		'retry',
	],
	['a retry has failed again', { ...inPart, mode: 'retry' }, ['correct', 'retry', 'dontRunAgain'], 'retry'],
	[
		'the execution was cancelled',
		cancelled,
		['look', 'decide', 'retry', 'dontRunAgain'],
		'unknown-look-at-the-service-first',
	],
	['a sub-workflow, called for each item', called, ['correct', 'retry', 'dontRunAgain'], 'sub-workflows'],
	['the same with once keys', { ...called, ...usesKeys }, ['correct', 'retry', 'runAgain'], 'sub-workflows'],
	['a repetition does no harm', { ...inPart, set: changes }, ['correct', 'retry'], 'retry'],
	['nothing is changed', { ...inPart, set: { effect: 'reads', isRepeatSafe: true } }, [], 'what-you-see'],
];

test.each(CASES)('what to do if %s: %#', (_what, play, _steps, heading) => {
	const report = reportOf(play);
	expect(textOf(report).description).toContain(`docs/failures.md#${heading}`);
});

test('each heading that an error links to is in the guide', () => {
	const guide = readFileSync('docs/failures.md', 'utf8');
	const headings = [...guide.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
		text
			.toLowerCase()
			.replace(/[^a-z0-9 -]/g, '')
			.replaceAll(' ', '-'),
	);
	expect(headings).toEqual(expect.arrayContaining([...new Set(CASES.map(([, , , heading]) => heading))]));
});

test('only a canceled execution is retried by the API, and of a retry the newest one', () => {
	expect(descriptionOf(cancelled)).toContain('/api/v1/executions/231/retry');
	expect(descriptionOf(inDoubt)).not.toContain('/api/');
	expect(descriptionOf({ ...inPart, mode: 'retry' })).toContain('newest');
	expect(descriptionOf(inPart)).not.toContain('newest');
});

test('a description has 600 characters at most, and what to do stays whole', () => {
	const text = fc.string({ maxLength: 700 }).map((found) => `${found}.`);
	const play = fc.tuple(fc.constantFrom(...CASES), text, fc.option(text), fc.nat({ max: 25 }));
	fc.assert(
		fc.property(play, ([[, given, steps], description, requestId, doubts]) => {
			const { context, failed, ledger } = runOf({ ...given, items: 30 });
			for (let item = 2; item < doubts; item++) {
				ledger.entry(item).saved.message = { to: `${description}@`.slice(-60), packageId: `${item}` };
				ledger.fail([item], lost);
			}
			const failure = { ...failed.failure, description, requestId: requestId?.slice(0, 60) ?? null };
			const report = reportOn(context, ledger, { ...failed, failure }, countsOf(ledger));
			const found = textOf(report).description;
			expect(Array.from(found).length).toBeLessThanOrEqual(600);
			expect(found).toMatch(/^Outcome: \w+ \(.*More: https:.*failures\.md#[a-z-]+/s);
			if (steps.includes('dontRunAgain')) expect(found).toContain("Don't run");
		}),
	);
});

test('an item of a run that goes on is told without a retry that n8n does not offer', () => {
	const { context, failed, ledger } = runOf({ items: 3, ends: first(2), failure: lost });
	ledger.entry(2).saved.message = { to: 'ada@example.com', packageId: '17' };
	const report = reportOn(context, ledger, failed);
	const { description, outcome } = itemError(report);
	expect(outcome).toBe('unknown');
	expect(description).toMatch(
		/^Outcome: unknown \(maybe sent\)\. In doubt: item 2 \(to ada@example\.com, packageId 17\)\. Who knows\. .* \(ECONNRESET\)$/,
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
		const end = logProgress({ calls: { clock, queue }, context, ledger, operation } as unknown as Run);
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
