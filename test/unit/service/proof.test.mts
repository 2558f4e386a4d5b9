/** What an answer proves about a call that changes something. */
import { answerIn } from '../../../nodes/Messaging/service/answer.ts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { isFailure, type Failure } from '../../../nodes/Messaging/service/endings.ts';
import type { Reply } from '../../../nodes/Messaging/service/reply.ts';
import { FOREIGN, SAMPLES, type Sample } from '../../cases/answers.mts';
import { ids } from '../../cases/values.mts';

const send: ApiCall = {
	method: 'POST',
	path: '/api/v1/message/SendMessage',
	body: { packageId: ids.call, channelId: ids.channel },
};
const requeue: ApiCall = {
	method: 'POST',
	path: `/api/v1/admin/channel/${ids.channel}/outbox/requeue`,
	body: {},
};
const edit: ApiCall = { method: 'PUT', path: '/api/v1/message/EditMessage', body: {} };
const channels: ApiCall = { method: 'GET', path: '/api/v1/Admin/Channel' };
const me: ApiCall = { method: 'GET', path: '/api/v1/Me' };
const calls = [send, requeue, edit, channels, me];

const answered = (status: number, { body, headers }: Sample, call = send, more = {}, isProven = true) =>
	answerIn({ status, body, headers: { ...headers, ...more } } satisfies Reply, call, isProven);
const failureOf = (...of: Parameters<typeof answered>): Failure => {
	const answer = answered(...of);
	if (!isFailure(answer)) throw new Error('It is a success');
	return answer;
};

/** The kinds of bodies, in the order of the columns below. */
const KINDS = [
	'JSON of the service',
	'Problem details',
	"Cloudflare's JSON",
	'A page',
	'Other text',
	'No body',
] as const;

const soon = { 'retry-after': '5' };

/** refused, later, in doubt (?), or held by a proxy (-). */
const LETTERS = { r: 'refused', l: 'throttled', '?': 'doubtful', '-': 'withheld' } as const;

test('all kinds of bodies are tried', () => {
	expect(KINDS).toEqual(Object.keys(SAMPLES));
});

test.each<[status: number, headers: Record<string, string>, each: string]>([
	[300, {}, '? ? ? ? ? ?'],
	[301, {}, 'r r r r r r'],
	[302, {}, '? ? ? ? ? ?'],
	[303, {}, '? ? ? ? ? ?'],
	[304, {}, '? ? ? ? ? ?'],
	[307, {}, '? ? ? ? ? ?'],
	[308, {}, 'r r r r r r'],
	[400, {}, 'r r r r r r'],
	[401, {}, 'r r r r r r'],
	[403, {}, 'r r r r r r'],
	[403, soon, 'l l l l l l'],
	[404, {}, 'r r ? ? ? ?'],
	[404, soon, 'r r ? ? ? ?'],
	[405, {}, 'r r ? ? ? ?'],
	[406, {}, 'r r r r r r'],
	[407, {}, '- - - - - -'],
	[409, {}, 'r r r r r r'],
	[410, {}, 'r r ? ? ? ?'],
	[413, {}, 'r r r r r r'],
	[422, {}, 'r r r r r r'],
	[429, {}, 'l l l l l l'],
	[429, soon, 'l l l l l l'],
	[499, {}, 'r r r r r r'],
	[500, {}, '? ? ? ? ? ?'],
	[500, soon, '? ? ? ? ? ?'],
	[502, soon, '? ? ? ? ? ?'],
	[503, {}, '? ? ? ? ? ?'],
	[503, soon, '? l ? ? ? ?'],
	[504, soon, '? ? ? ? ? ?'],
	[520, {}, '? ? ? ? ? ?'],
	[599, soon, '? ? ? ? ? ?'],
])('%i with %j: each kind of body proves %s', (status, headers, each) => {
	for (const [n, letter] of each.split(' ').entries()) {
		const cause = LETTERS[letter as keyof typeof LETTERS];
		const isKept = headers === soon && (cause === 'doubtful' || cause === 'throttled');
		for (const sample of SAMPLES[KINDS[n]!] as readonly Sample[]) {
			for (const call of calls) {
				for (const isProven of [true, false]) {
					const failure = failureOf(status, sample, call, headers, isProven);
					expect([KINDS[n], failure.cause]).toEqual([KINDS[n], cause]);
					expect(failure.statusCode).toBe(status);
					expect(failure.waitMs).toBe(isKept ? 5000 : undefined);
				}
			}
		}
	}
});

test('an answer that is cut off in the middle of its JSON is a text, and proves as little', () => {
	expect(failureOf(404, { body: '{"title":"Not fou' }).cause).toBe('doubtful');
});

describe('an address that is not that of the service', () => {
	test.each([
		...[302, 303, 307, 301, 308, 404, 405, 410].map((status) => [status, true] as const),
		...[400, 401, 403, 429, 500, 502, 503, 504].map((status) => [status, false] as const),
	])('%i without JSON: %s', (status, isElsewhere) => {
		for (const kind of ['A page', 'Other text', 'No body'] as const) {
			for (const sample of SAMPLES[kind] as readonly Sample[]) {
				expect(failureOf(status, sample, me).isElsewhere).toBe(isElsewhere || undefined);
			}
		}
	});

	test.each([302, 404, 405, 410, 500])('%i with JSON is the service, whatever it says', (status) => {
		expect(failureOf(status, { body: { title: 'No' } }, me)).not.toHaveProperty('isElsewhere');
	});
});

describe('a 2xx', () => {
	const empty: Sample = { body: undefined };

	test('of another program leaves what changes something in doubt, and is no answer when reading', () => {
		for (const sample of FOREIGN) {
			expect(failureOf(200, sample, send).cause).toBe('doubtful');
			expect(failureOf(200, sample, edit).cause).toBe('doubtful');
			expect(failureOf(200, sample, channels).cause).toBe('refused');
		}
	});

	test('without a body is a success where JSON has come from this address', () => {
		for (const call of [send, requeue, edit, channels]) {
			expect(isFailure(answered(204, empty, call))).toBe(false);
		}
	});

	test('without a body proves nothing where none has come', () => {
		for (const call of [send, requeue, edit]) {
			const failure = failureOf(200, empty, call, {}, false);
			expect(failure).toMatchObject({ outcome: 'unknown', isElsewhere: true, statusCode: 200 });
			expect(failure.description).toMatch(/Base URL/);
			expect(isFailure(answered(200, { body: {} }, call, {}, false))).toBe(false);
			expect(isFailure(answered(200, { body: 'Accepted' }, call, {}, false))).toBe(false);
		}
		expect(isFailure(answered(200, empty, channels, {}, false))).toBe(false);
	});
});
