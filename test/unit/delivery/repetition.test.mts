import {
	type Attempt,
	decide,
	type Decision,
	type KeyState,
	repetition,
} from '../../../nodes/Messaging/delivery/repetition.ts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { type Cause, type Failure, failureBy } from '../../../nodes/Messaging/service/endings.ts';

const METHODS: ReadonlyArray<ApiCall['method']> = ['GET', 'PUT', 'PATCH', 'DELETE', 'POST'];
const SEND = '/api/v1/message/SendMessage';

const failed = (cause: Cause, statusCode: number | null = null): Failure =>
	failureBy(cause, { message: 'What', description: 'How' }, { statusCode });

const settings = { maxTries: 4, maxWaitMs: 300_000, whenUnknown: 'hold' } as const;
const bold = { ...settings, whenUnknown: 'sendAgain' } as const;

function attempt(failure: Failure, given: Partial<Attempt> & { method?: ApiCall['method'] } = {}): Attempt {
	const { method = 'POST', ...rest } = given;
	const call: ApiCall = { method, path: SEND };
	return {
		call,
		failure,
		triesBefore: 0,
		isOutage: false,
		settings,
		random: () => 1,
		...rest,
	};
}

/** Of all HTTP methods, those that may be repeated after a failure. */
const repeated = (failure: Failure, given: Partial<Attempt> = {}) =>
	METHODS.filter((method) => repetition(attempt(failure, { ...given, method })) !== 'stop');

const HARMLESS = METHODS.filter((method) => method !== 'POST');

describe('in the same run', () => {
	test.each<[Cause, readonly string[], readonly string[]]>([
		['throttled', METHODS, METHODS],
		['neverLeft', METHODS, METHODS],
		['doubtful', HARMLESS, METHODS],
		['refused', [], []],
		['withheld', [], []],
		['noTurn', [], []],
		['invalid', [], []],
		['cutOff', [], []],
	])('what is %s is repeated: %j, and where the user allows it: %j', (cause, careful, allowed) => {
		expect(repeated(failed(cause))).toEqual(careful);
		expect(repeated(failed(cause), { settings: bold })).toEqual(allowed);
	});

	test.each([null, 302, 404, 500, 503, 520, 529, 598])('another try may help against status %s', (status) => {
		expect(repeated(failed('doubtful', status), { settings: bold })).toEqual(METHODS);
	});

	test.each([200, 303, 501, 505])('another try would get status %s again', (status) => {
		expect(repeated(failed('doubtful', status), { settings: bold })).toEqual([]);
	});

	/** What follows after each of so many tries. */
	const after = (tries: number, failure: Failure, given: Partial<Attempt>) =>
		Array.from({ length: tries }, (_, triesBefore) =>
			repetition(attempt(failure, { triesBefore, ...given })),
		);

	test('each try waits for up to twice as long as the one before, and for 20 seconds at most', () => {
		const failure = failed('doubtful', 500);
		const most = [500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000];
		const waits = after(8, failure, { settings: { ...bold, maxTries: 99 } });
		expect(waits).toEqual(most.map((afterMs) => ({ afterMs })));
		const half = after(1, failure, { random: () => 0.5, settings: bold });
		expect(half).toEqual([{ afterMs: 250 }]);
	});

	test.each([2, 4, 11])('%i tries to reach a service that may not be there take five seconds', (maxTries) => {
		const given = { settings: { ...settings, maxTries }, random: () => 0 };
		const waits = after(maxTries, failed('neverLeft'), given);
		expect(waits.pop()).toBe('stop');
		const sum = waits.reduce((total, wait) => total + (typeof wait === 'string' ? NaN : wait.afterMs), 0);
		expect(sum).toBeCloseTo(5000);
	});

	test.each<[string, Partial<Attempt>]>([
		['a service that says "later"', { failure: failed('throttled', 429) }],
		['a service that is down', { failure: failed('neverLeft'), isOutage: true }],
	])('%s is waited for in the queue, which uses up no try', (_, given) => {
		expect(repetition({ ...attempt(failed('refused')), ...given, triesBefore: 10 })).toBe('inQueue');
	});
});

/** The values of the option; where there is a doubt, they decide. */
const held = ['hold', 'countAsSent', 'sendAgain'] as const;

test.each<[KeyState, first: readonly Decision[], tried: readonly Decision[]]>([
	['none', ['send', 'send', 'send'], held],
	['free', ['send', 'send', 'send'], held],
	['inDoubt', held, held],
	['sent', ['alreadySent', 'alreadySent', 'alreadySent'], ['alreadySent', 'alreadySent', 'alreadySent']],
	['busy', ['hold', 'hold', 'hold'], ['hold', 'hold', 'hold']],
])('after an earlier try, an item whose once key is %s', (key, first, tried) => {
	expect(held.map((option) => decide(false, key, option))).toEqual(first);
	expect(held.map((option) => decide(true, key, option))).toEqual(tried);
});
