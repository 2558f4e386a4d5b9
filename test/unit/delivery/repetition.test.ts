import {
	type Attempt,
	isOnceOnly,
	isToRemember,
	mayGoOutAgain,
	repetition,
	type Rule,
	RULES,
} from '../../../nodes/Messaging/delivery/repetition.ts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { type Cause, type Failure, failureBy } from '../../../nodes/Messaging/service/endings.ts';

const METHODS: ReadonlyArray<ApiCall['method']> = ['GET', 'PUT', 'PATCH', 'DELETE', 'POST'];
const CAUSES: readonly Cause[] = ['throttled', 'refused', 'neverLeft', 'withheld', 'doubtful', 'cutOff'];
const SEND = '/api/v1/message/SendMessage';

const failed = (cause: Cause, statusCode: number | null = null): Failure =>
	failureBy(cause, { message: 'What', description: 'How' }, { statusCode });

const settings = { maxTries: 4, maxWaitMs: 300_000, resendUnknown: false };
const bold = { ...settings, resendUnknown: true };

function attempt(failure: Failure, given: Partial<Attempt> & { method?: ApiCall['method'] } = {}): Attempt {
	const { method = 'POST', ...rest } = given;
	const call: ApiCall = { method, path: SEND };
	return {
		when: 'sameRun',
		call,
		failure,
		before: [],
		throttledForMs: 0,
		settings,
		random: () => 1,
		...rest,
	};
}

/** Which methods may be repeated after a failure, of all that there are. */
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
		['cutOff', [], []],
	])('what is %s is repeated: %j, and where the user allows it: %j', (cause, careful, allowed) => {
		expect(repeated(failed(cause))).toEqual(careful);
		expect(repeated(failed(cause), { settings: bold })).toEqual(allowed);
	});

	test.each([
		[null, METHODS],
		[500, METHODS],
		[502, METHODS],
		[503, METHODS],
		[504, METHODS],
		[200, []],
		[501, []],
		[505, []],
		[599, []],
	])('what may have been processed, with status %s: %j', (status, methods) => {
		expect(repeated(failed('doubtful', status), { settings: bold })).toEqual(methods);
	});

	test('each try waits for up to twice as long as the one before, and for 20 seconds at most', () => {
		const failure = failed('neverLeft');
		const waits = Array.from({ length: 8 }, (_, tries) =>
			repetition(
				attempt(failure, {
					before: Array<Failure>(tries).fill(failure),
					settings: { ...settings, maxTries: 99 },
				}),
			),
		);
		const most = [500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000];
		expect(waits).toEqual(most.map((afterMs) => ({ afterMs, usesTry: true })));
		expect(repetition(attempt(failure, { random: () => 0.5 }))).toEqual({ afterMs: 250, usesTry: true });
	});

	test('tries end, whatever the call failed by', () => {
		const before = [failed('neverLeft'), failed('doubtful', 500), failed('neverLeft')];
		expect(repetition(attempt(failed('neverLeft'), { before }))).toBe('stop');
		expect(repetition(attempt(failed('neverLeft'), { before: before.slice(1) }))).not.toBe('stop');
	});

	test('"later" uses up no try, and ends with the time that the call may wait', () => {
		const before = Array<Failure>(10).fill(failed('neverLeft'));
		const at = (throttledForMs: number) =>
			repetition(attempt(failed('throttled', 429), { before, throttledForMs }));
		expect(at(299_999)).toEqual({ afterMs: 0, usesTry: false });
		expect(at(300_000)).toBe('stop');
	});
});

describe('in a later try of the execution', () => {
	const send: ApiCall = { method: 'POST', path: SEND };

	test.each(CAUSES)(
		'what was %s goes out again only if its end is unknown and the user allows it',
		(cause) => {
			const failure = failed(cause);
			expect(mayGoOutAgain(failure, send, settings)).toBe(false);
			expect(mayGoOutAgain(failure, send, bold)).toBe(failure.outcome === 'unknown');
			expect(mayGoOutAgain(failure, send, { ...bold, maxTries: 1 })).toBe(failure.outcome === 'unknown');
		},
	);

	test.each(METHODS)('%s: what has to be remembered for it', (method) => {
		const call: ApiCall = { method, path: '/x' };
		const once = method === 'POST';
		expect(isOnceOnly(call)).toBe(once);
		expect(isToRemember(call, { json: [] })).toBe(method !== 'GET');
		expect(isToRemember(call, { failure: failed('doubtful', 500) })).toBe(once);
		for (const cause of ['refused', 'neverLeft', 'withheld', 'throttled'] as const) {
			expect(isToRemember(call, { failure: failed(cause) })).toBe(false);
		}
	});
});

describe('a rule of its own is one row', () => {
	const conflict: Rule = {
		when: 'sameRun',
		cause: 'refused',
		statuses: [409],
		methods: ['POST'],
		paths: [SEND],
		limit: 1,
	};
	const rules = [...RULES, conflict];

	test('409 on send is repeated, once', () => {
		const refused = failed('refused', 409);
		expect(repetition(attempt(refused), rules)).toEqual({ afterMs: 500, usesTry: true });
		expect(repetition(attempt(refused, { before: [refused] }), rules)).toBe('stop');
		const others = [failed('neverLeft'), failed('neverLeft')];
		expect(repetition(attempt(refused, { before: others }), rules)).not.toBe('stop');
		expect(repetition(attempt(refused, { settings: { ...settings, maxTries: 1 } }), rules)).toBe('stop');
	});

	test('and nothing else is', () => {
		expect(repetition(attempt(failed('refused', 409)))).toBe('stop');
		expect(repetition(attempt(failed('refused', 400)), rules)).toBe('stop');
		expect(repetition(attempt(failed('refused', 409), { method: 'PUT' }), rules)).toBe('stop');
		const elsewhere: ApiCall = { method: 'POST', path: '/api/v1/Admin/Account' };
		expect(repetition(attempt(failed('refused', 409), { call: elsewhere }), rules)).toBe('stop');
	});
});
