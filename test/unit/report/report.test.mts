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
	readonly set?: Partial<Pick<Ledger, 'effect' | 'run' | 'isRepeatSafe' | 'usesKeys'>>;
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
	const failed = { failure, item: fails };
	ledger.fail(fails, failure);
	return { context, ledger, failed };
}

/** The report on a failure that stops such a run. */
function reportOf(play: Play): Report {
	const { failed, ledger } = runOf(play);
	return reportOn(ledger, failed, countsOf(ledger));
}

const descriptionOf = (play: Play): string => textOf(reportOf(play)).description;

const first = (count: number, sentIn?: 'before' | 'earlierTry') => (ledger: Ledger) => {
	for (let item = 0; item < count; item++) ledger.sent(item, [{ onceKey: `order-${item}` }], sentIn);
};

const before = (count: number) => ({ ends: first(count, 'before'), set: { usesKeys: true } });

describe('how the items of a run ended', () => {
	const countOne = (ledger: Ledger) => ledger.countAsSent(0, {}, 'earlierTry');
	const notReached = unsent('No', 'Do it.');

	test.each<[Play, Partial<Counts>]>([
		[
			{ ends: first(2), failure: notReached },
			{ done: 2, unsent: 8 },
		],
		[{ ends: first(2) }, { done: 2, rejected: 1, unsent: 7 }],
		[{ ends: first(5, 'earlierTry') }, { done: 5, earlierTry: 5, rejected: 1, unsent: 4 }],
		[{ ends: countOne }, { done: 1, counted: 1, rejected: 1, unsent: 8 }],
		[
			{ ends: first(2), failure: lost },
			{ done: 2, unknown: 1, unsent: 7 },
		],
	])('is counted, and each number is told: %#', (play, counts) => {
		const none = { rejected: 0, unsent: 0, unknown: 0, earlierTry: 0, before: 0, counted: 0 };
		const report = reportOf(play);
		const { done = 0, ...others } = counts;
		const { earlierTry = 0, before = 0, counted = 0 } = counts;
		const thisTry = done - earlierTry - before - counted;
		expect(report.counts).toEqual({ ...none, thisTry, total: 10, ...counts });
		const told = [10, thisTry, ...Object.values(others)].filter((number) => number > 0);
		const numbers = /Of .*?\./.exec(textOf(report).description)?.[0].match(/\d+/g)?.map(Number) ?? [];
		expect(numbers.sort()).toEqual(told.sort());
	});

	test('nothing new: what was sent before, and what failed', () => {
		expect(descriptionOf(before(4))).toContain('This run sent nothing new: 4 were sent before, 6 failed.');
		expect(descriptionOf({ ...before(4), failure: lost })).not.toContain('nothing new');
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
});

const late = unsent('The item was not sent: the service asked to come back later', 'Do it.');
const changes = { effect: 'changes', isRepeatSafe: true } as const;

test.each<[Play, title: string]>([
	[
		{ items: 60, ends: first(22), failure: late },
		'22 of 60 sent, 38 not: the service asked to come back later',
	],
	[{ items: 30, ends: first(6), failure: lost }, '6 of 30 sent, 1 may have been sent, 23 not: Lost'],
	[{ set: changes, ends: first(9) }, '9 of 10 done, 1 not: No'],
	[{ items: 1, failure: late }, late.message],
	[{ items: 1, failure: lost }, 'May have been sent: Lost'],
	// Earlier rounds of a loop have sent theirs.
	[{ ends: first(2), set: { run: 1 } }, '2 of 10 sent in this round, 8 not: No'],
])('the title of a run that stops says what happened to the list: %#', (play, title) => {
	expect(textOf(reportOf(play)).message).toBe(title);
});

describe('a list with refused items, of which nothing is sent', () => {
	const wrong = failureBy('invalid', { message: 'Text is empty', description: 'Enter it.' });
	const refuse =
		(count: number, begin = first(0)) =>
		(ledger: Ledger): void => {
			begin(ledger);
			ledger.refused = Array.from({ length: count }, (_, n) => n + 3);
		};
	const words = (play: Play) => textOf(reportOf({ items: 50, failure: wrong, fails: 3, ...play }));

	test('all of them are named up to twenty, with the reason of the first and both ways on', () => {
		const { description, message } = words({ ends: refuse(5) });
		expect(message).toBe('5 of 50 items are refused, so nothing was sent');
		expect(description).toContain('Refused: items 3, 4, 5, 6, 7. Item 3: Text is empty. Enter it.');
		expect(description).toMatch(/execute the workflow again: .*On Error.*the other 45/);
		expect(words({ ends: refuse(25) }).description).toContain('21, 22 and 5 more');
	});

	test('nothing is called safe: an earlier node of the workflow may have sent something', () => {
		expect(words({ ends: refuse(5) }).description).toContain('this node has sent nothing. Nodes before it');
		expect(words({ ends: refuse(5) }).description).not.toContain('safe');
	});

	test('in a later round of a loop, its title does not say that nothing was sent', () => {
		const { description, message } = words({ ends: refuse(5), set: { run: 1 } });
		expect(message).toBe('5 of 50 items are refused, so nothing more was sent');
		expect(description).not.toContain('execute the workflow again');
	});

	test('what an earlier try has sent is not sent again by executing it again, so that is not advised', () => {
		const { description, message } = words({ ends: refuse(1, first(2, 'earlierTry')) });
		expect(message).toBe('1 of 50 items is refused, so nothing more was sent');
		expect(description).toMatch(/Retry with.*On Error.*the other 47/);
		expect(description).not.toContain('execute the workflow again');
	});
});

test('an item in doubt is told with recipient and packageId; the details of the error have all of them', () => {
	const ends = (ledger: Ledger): void => {
		for (let item = 0; item < 22; item++) {
			ledger.entry(item).saved.message = { to: `r${item}@example.com`, packageId: `00${item}` };
			ledger.startRequest(item);
			ledger.fail(item, lost);
		}
	};
	const { context, failed, ledger } = runOf({ items: 30, ends, failure: lost, fails: 0 });
	const texts = [...Array(22).keys()].map(
		(item) => `item ${item} (to r${item}@example.com, packageId 00${item})`,
	);
	const { description, messages } = stopError(context, failed, ledger);
	expect(messages).toEqual(texts);
	expect(description).toContain(`In doubt: ${texts.slice(0, 3).join(', ')} and 19 more.`);
	expect(description).toMatch(/\(ECONNRESET\)$/);
});

test('of an item in doubt without recipient and packageId, its number is told', () => {
	expect(descriptionOf({ items: 3, failure: lost })).toContain('In doubt: item 2.');
});

const inPart = { ends: first(2) };
const inDoubt = { ...inPart, failure: lost };
const usesKeys = { set: { usesKeys: true } };

/** What a person may be told to do. */
const STEPS = {
	look: /Look at the service/,
	decide: /When Outcome Is Unknown/,
	correct: /own fields/,
	retry: /Retry with currently saved workflow/,
	dontRunAgain: /Don't run/,
};

test.each<[string, Play, steps: ReadonlyArray<keyof typeof STEPS>]>([
	['nothing has gone out', {}, []],
	['a part has gone out, the next item is refused', inPart, ['correct', 'retry', 'dontRunAgain']],
	[
		'the API key is refused',
		{ ...inPart, failure: { ...refused, statusCode: 401, retryable: true } },
		['retry', 'dontRunAgain'],
	],
	[
		'the address has moved',
		{ ...inPart, failure: { ...refused, statusCode: 301, retryable: true } },
		['retry', 'dontRunAgain'],
	],
	['a gateway refuses', { ...inPart, failure: { ...refused, byGateway: true } }, ['retry', 'dontRunAgain']],
	['an item is in doubt', { items: 1, failure: lost }, ['look', 'decide', 'retry', 'dontRunAgain']],
	['the same with once keys', { ...inDoubt, ...usesKeys }, ['look', 'decide', 'retry']],
	['a batch of a loop has failed', { items: 1, set: { run: 1 } }, ['correct', 'retry', 'dontRunAgain']],
	['the execution was canceled, which the editor can not retry', { ...inDoubt, isCancelled: true }, ['look']],
	['a sub-workflow has failed', { items: 1, mode: 'integrated' }, ['correct', 'retry', 'dontRunAgain']],
	['a repetition does no harm', { ...inPart, set: changes }, ['correct', 'retry']],
	['it is in doubt, and a repetition does no harm', { ...inDoubt, set: changes }, ['retry']],
	['nothing is changed', { ...inPart, set: { effect: 'reads', isRepeatSafe: true } }, []],
])('what to do if %s', (_what, play, steps) => {
	const description = descriptionOf(play);
	const told = Object.entries(STEPS).filter(([, words]) => words.test(description));
	expect(told.map(([step]) => step)).toEqual(steps);
});

test('the error of a sub-workflow also shows in the execution that called it, whose retry would send all of it again', () => {
	expect(descriptionOf({ ...inPart, mode: 'integrated' })).toContain("for the sub-workflow's execution");
	expect(descriptionOf(inPart)).toContain('for this execution');
});

test('a long reason is cut at a sentence, and what to do stays whole', () => {
	const sentences = fc.array(fc.stringMatching(/^[a-z ]{1,40}[a-z]\.$/), {
		minLength: 1,
		maxLength: 60,
		size: 'max',
	});
	fc.assert(
		fc.property(sentences, (all) => {
			const description = all.join(' ');
			const found = descriptionOf({ ...inPart, failure: { ...refused, description } });
			const [, told = '', rest = ''] = /Item 9: (.*) (A retry has.*)$/s.exec(found) ?? [];
			expect(told.length).toBeLessThanOrEqual(500);
			expect([`${description} `.startsWith(`${told} `), told.at(-1)]).toEqual([true, '.']);
			expect(rest).toMatch(/Don't run.*\nMore: https:\S+failures\.md$/s);
		}),
	);
});

test('it is not cut within quotes, whose text may come from anybody', () => {
	const description = `Choose one. There are: ${'"The Dr. of ours", '.repeat(40)}and more.`;
	expect(descriptionOf({ ...inPart, failure: { ...refused, description } })).toContain(
		'Item 9: Choose one. A retry',
	);
});

test('an item of a run that goes on is told without a retry that n8n does not offer', () => {
	const { failed, ledger } = runOf({ items: 3, ends: first(2), failure: lost });
	ledger.entry(2).saved.message = { to: 'ada@example.com', packageId: '17' };
	const { description, outcome, retryable } = itemError(reportOn(ledger, failed));
	expect([outcome, retryable]).toEqual(['unknown', false]);
	expect(description).toMatch(
		/^Outcome: unknown \(maybe sent\)\. In doubt: item 2 \(to ada@example\.com, packageId 17\)\. Who knows\. Look .*\(ECONNRESET\)$/s,
	);
	expect(description).not.toContain('Retry with');
	const later = runOf({ failure: late });
	expect(itemError(reportOn(later.ledger, later.failed))).toMatchObject({ retryable: true });
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
		for (let item = 0; item < 1000; item++) ledger.sent(item, [{}]);
		for (const item of [1000, 1001])
			ledger.fail(item, failureBy('refused', { message: 'No', description: '' }));
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
