import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { answerIn } from '../../../nodes/Messaging/service/answer.ts';
import { adviceOn, apiError } from '../../../nodes/Messaging/service/endings.ts';
import { failureOfReply, failureOfTransport } from '../../../nodes/Messaging/service/failure.ts';
import { normalizeBaseUrl } from '../../../nodes/Messaging/service/connect.ts';
import type { Reply } from '../../../nodes/Messaging/service/reply.ts';
import type { Stage } from '../../../nodes/Messaging/service/transport.ts';
import { sendingNode as node } from '../support/fake-n8n.mts';

const post: ApiCall = { method: 'POST', path: '/api/v1/message/SendMessage', body: {} };
const problem = { title: 'Refused', detail: 'Why' };

describe('a status outside 2xx', () => {
	const failed = (status: number, headers = {}, call = post) =>
		failureOfReply({ status, headers, body: { ...problem, status } }, call);
	const soon = { 'retry-after': '5' };

	test.each<[status: number, headers: object, outcome: string, cause: string, advice: RegExp]>([
		[301, {}, 'rejected', 'refused', /redirects to another address.*Base URL/],
		[303, {}, 'unknown', 'doubtful', /operator/],
		[400, {}, 'rejected', 'refused', /Correct what the service names/],
		[401, {}, 'rejected', 'refused', /API Key in the credential.*Add Custom Header/],
		[403, {}, 'rejected', 'refused', /"acc_" has access to its own account only.*Base URL/],
		[404, {}, 'rejected', 'refused', /Base URL.*IDs/],
		[405, {}, 'rejected', 'refused', /Correct what the service names/],
		[407, {}, 'unsent', 'withheld', /address of the proxy/],
		[413, {}, 'rejected', 'refused', /too large/],
		[429, soon, 'rejected', 'throttled', /Send fewer/],
		[403, soon, 'rejected', 'throttled', /Send fewer/],
		[500, soon, 'unknown', 'doubtful', /operator/],
		[503, {}, 'unknown', 'doubtful', /operator/],
		[503, soon, 'rejected', 'throttled', /operator/],
	])('%i with headers %j is %s, because it is %s', (status, headers, outcome, cause, advice) => {
		const failure = failed(status, headers);
		expect(failure).toMatchObject({
			message: 'Refused: Why',
			statusCode: status,
			outcome,
			problem: { ...problem, status },
			cause,
			// An unchanged item is refused again, unless the key, the address or the time was to blame.
			retryable: outcome !== 'unknown' && (cause !== 'refused' || [301, 401].includes(status)),
		});
		expect(failure.description).toMatch(advice);
		expect(failure.waitMs).toBe(headers === soon ? 5000 : undefined);
	});

	test.each([
		['https://host.example/api/v1/Me', 'https://host.example'],
		['https://host.example/msg/API/v1/message/SendMessage?x=1', 'https://host.example/msg'],
	])('a redirect to %s names the Base URL, which works if it is entered', (location, base) => {
		expect(failed(308, { location }).description).toContain(`(${base})`);
		expect(normalizeBaseUrl(base)).toBe(base);
	});

	test('names the fields that the service names, then what to do', () => {
		const body = { title: 'Invalid', errors: { 'content.to.email': ['is no address'], text: 'is too long' } };
		const { message, description } = failureOfReply({ status: 413, headers: {}, body }, post);
		expect(message).toBe('Invalid');
		expect(description).toMatch(
			/^content\.to\.email: is no address\. text: is too long\. The request is too large/,
		);
	});

	test.each([
		['https://elsewhere.example/in?state=5ecret&next=/', '(https://elsewhere.example/in)'],
		['https://ada:5ecret@elsewhere.example/in', '(https://elsewhere.example/in)'],
		['//ada:p@5ecret@elsewhere.example', '(//elsewhere.example)'],
		['/in?5ecret\n5ecret', '(/in)'],
		['?5ecret', 'address, '],
	])('a redirect to %j shows nothing that lets somebody in', (location, shown) => {
		const { description } = failed(301, { location });
		expect(description).toContain(shown);
		expect(description).not.toContain('5ecret');
	});
});

describe('no whole answer', () => {
	const failed = (code: string, stage: Stage, tls?: string) =>
		failureOfTransport({ code, stage, ...(tls !== undefined && { tls }) });

	test.each<[code: string, stage: Stage, cause: string, message: RegExp, advice: RegExp]>([
		['ECONNREFUSED', 'connecting', 'neverLeft', /nothing answers at its address/, /Base URL.*HTTPS_PROXY/],
		['ENOTFOUND', 'connecting', 'neverLeft', /host name was not found/, /Base URL.*HTTPS_PROXY/],
		['EAI_AGAIN', 'connecting', 'neverLeft', /host name was not found/, /Base URL.*HTTPS_PROXY/],
		['ETIMEDOUT', 'connecting', 'neverLeft', /no connection was made in time/, /Base URL.*HTTPS_PROXY/],
		['ECONNABORTED', 'securing', 'neverLeft', /no connection was made in time/, /Base URL.*HTTPS_PROXY/],
		['EHOSTUNREACH', 'connecting', 'neverLeft', /no connection could be made/, /Base URL.*HTTPS_PROXY/],
		['BLOCKED', 'connecting', 'withheld', /are not allowed/, /N8N_SSRF_ALLOWED_HOSTNAMES/],
		['ERR_CANCELED', 'connecting', 'withheld', /stopped before a connection was made/, /Nothing was sent/],
		['CERT_HAS_EXPIRED', 'securing', 'neverLeft', /certificate is not trusted/, /NODE_EXTRA_CA_CERTS/],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'securing', 'neverLeft', /is not trusted/, /NODE_EXTRA_CA_CERTS/],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'securing', 'neverLeft', /is not trusted/, /NODE_EXTRA_CA_CERTS/],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'securing', 'neverLeft', /is not trusted/, /NODE_EXTRA_CA_CERTS/],
		['ECONNRESET', 'securing', 'neverLeft', /may speak http only/, /If it has never worked.*http:\/\//],
		['ECONNABORTED', 'underWay', 'doubtful', /did not answer in time/, /network/],
		['ETIMEDOUT', 'underWay', 'doubtful', /did not answer in time/, /network/],
		['ERR_CANCELED', 'underWay', 'cutOff', /run was stopped/, /^$/],
		['ECONNRESET', 'underWay', 'doubtful', /broke before the answer/, /Base URL.*operator/],
		['HPE_INVALID_CONSTANT', 'underWay', 'doubtful', /broke before the answer/, /Base URL.*operator/],
		['CERT_HAS_EXPIRED', 'underWay', 'doubtful', /broke before the answer/, /Base URL.*operator/],
		['', 'underWay', 'doubtful', /broke before the answer/, /Base URL.*operator/],
	])('%s in the stage %s has the cause %s', (code, stage, cause, message, advice) => {
		const failure = failed(code, stage);
		const outcome = stage === 'underWay' ? 'unknown' : 'unsent';
		const retryable = outcome === 'unsent';
		expect(failure).toMatchObject({ statusCode: null, outcome, retryable, problem: null, cause });
		expect(failure.message).toMatch(message);
		expect(failure.description).toMatch(advice);
		// n8n's refusal of an address has no code of its own.
		expect(failure.code ?? '').toBe(code === 'BLOCKED' ? '' : code);
		expect(failure.description).not.toMatch(/again|undefined/);
	});

	const noTls = ['wrong version number', 'packet length too long', 'http request'];

	test.each([
		...noTls,
		...['handshake failure', 'protocol version', 'certificate required', 'unknown ca', 'internal error'],
	])('TLS says "%s": http is proposed only if the other side speaks no TLS', (tls) => {
		for (const stage of ['securing', 'underWay'] as const) {
			const { message, description, outcome } = failed('EPROTO', stage, tls);
			const proposesHttp = noTls.includes(tls);
			expect(/http:\/\//.test(description)).toBe(proposesHttp);
			expect(message.includes(`"${tls}"`)).toBe(!proposesHttp);
			expect(message.includes('may speak http only')).toBe(proposesHttp);
			expect(outcome).toBe(stage === 'securing' ? 'unsent' : 'unknown');
		}
	});

	test('a service that is always slow: what the caller can do about it', () => {
		const slow = { code: 'ECONNABORTED', stage: 'underWay' } as const;
		expect(failureOfTransport(slow, 'Raise Timeout.').description).toBe('Raise Timeout.');
	});
});

const failureOf = (reply: Partial<Reply>) =>
	failureOfReply({ status: 400, headers: {}, body: undefined, ...reply }, post);
const none = 'The service answered with status 400 and gave no reason';

test.each<[what: string, body: object, isNamed: boolean]>([
	['a field', { title: 'Invalid', errors: { 'content.subject': ['Unknown field.'] } }, true],
	['a detail', { title: 'Invalid', detail: 'The member content.subject is unknown.' }, true],
	['another field', { title: 'Invalid', errors: { 'content.to.email': ['Not valid'] } }, false],
	['a word that has the name in it', { title: 'Invalid', detail: 'The subjects differ' }, false],
])(
	'%s that the user entered as JSON is refused: the error says where it comes from',
	(_what, body, isNamed) => {
		const call = { ...post, others: ['subject'] };
		const { description } = failureOfReply({ status: 400, headers: {}, body }, call);
		expect(description.includes('"otherContent"')).toBe(isNamed);
	},
);

test.each<[kind: string, body: unknown, words: string]>([
	['title and detail', { title: 'Bad Request', detail: 'No such ID.' }, 'Bad Request: No such ID.'],
	['a title with a full stop', { title: 'Refused.', detail: 'Why' }, 'Refused: Why'],
	['a detail alone', { detail: 'No such key', title: ' ' }, 'No such key'],
	['a title with a colon', { title: 'Refused: ', detail: 'Why' }, 'Refused: Why'],
	['the same twice', { title: 'Gone', detail: 'Gone' }, 'Gone'],
	['words that are no text', { title: 5, detail: {} }, none],
	['text', ' Try later\n', 'Try later'],
	['too long a text', 'x'.repeat(301), none],
	['a page', ' <!doctype html><p>Oops', 'A gateway answered with status 400 and gave no reason'],
	['a message and an error', { error: 'invalid_token', message: 'It expired' }, 'It expired: invalid_token'],
	['reasons under other names', { reason: 'No', Message: 'No', error: { message: 'No' } }, none],
	['a list', ['no'], none],
	['nothing', undefined, none],
])('the words of an error body with %s', (_kind, body, words) => {
	const { message, problem } = failureOf({ body });
	expect(message).toBe(words);
	const isObject = typeof body === 'object' && !Array.isArray(body);
	expect(problem).toStrictEqual(isObject ? body : null);
});

const date = 'Wed, 21 Oct 2026 07:28:00 GMT';

const ofItsClock = {
	'retry-after': 'Wed, 21 Oct 2020 07:28:05 GMT',
	date: 'Wed, 21 Oct 2020 07:28:00 GMT',
};

const seconds = Date.parse(date) / 1000;

test.each<[string, Record<string, string>, number | undefined]>([
	['zero', { 'retry-after': '0' }, 0],
	['with spaces', { 'retry-after': ' 7 ' }, 7000],
	['with a fraction', { 'retry-after': '0.5' }, 500],
	['as a date by the clock of the service', ofItsClock, 5000],
	['no date and no number', { 'retry-after': 'soon' }, undefined],
	['as a date of RFC 850', { 'retry-after': 'Wednesday, 21-Oct-26 07:28:05 GMT' }, 5000],
	['as a Unix time', { 'retry-after': `${seconds + 20}` }, 20_000],
	['as a Unix time in milliseconds', { 'retry-after': `${seconds + 20}000` }, 20_000],
	['as a date of another form', { 'retry-after': '2026-10-21T07:28:05Z' }, undefined],
	['below zero', { 'retry-after': '-99999' }, undefined],
	['with 22 digits', { 'retry-after': '9'.repeat(22) }, undefined],
	['of a day', { 'retry-after': '86400' }, 86_400_000],
	['missing, with RateLimit-Reset', { 'ratelimit-reset': '3' }, 3000],
	['missing, with X-RateLimit-Reset', { 'x-ratelimit-reset': `${seconds + 3}` }, 3000],
	['missing, with X-Rate-Limit-Reset', { 'x-rate-limit-reset': `${seconds + 3}` }, 3000],
	['later than another', { 'retry-after': '60', 'ratelimit-reset': '5', 'x-ratelimit-reset': '70' }, 5000],
	['beside one that is past', { 'retry-after': '7', 'x-ratelimit-reset': `${seconds - 9}` }, 7000],
])('Retry-After %s', (_what, headers, expected) => {
	jest.spyOn(Date, 'now').mockReturnValue(Date.parse(date));
	expect(failureOf({ status: 429, headers }).waitMs).toBe(expected);
	jest.restoreAllMocks();
});

test('a service may send when its window ends with every answer: only Retry-After is about one in doubt', () => {
	const page = { status: 503, body: 'Service Unavailable' };
	expect(failureOf({ ...page, headers: { 'x-ratelimit-reset': '900' } })).not.toHaveProperty('waitMs');
	expect(failureOf({ ...page, headers: { 'retry-after': '9', 'x-ratelimit-reset': '1' } }).waitMs).toBe(9000);
	expect(failureOf({ status: 400, headers: { 'retry-after': '9' } })).not.toHaveProperty('waitMs');
});

describe('403', () => {
	test.each<[what: string, reply: Partial<Reply>]>([
		['nothing of the kind', { body: { title: 'Forbidden', detail: 'This key may not send' } }],
		['words of a quota', { body: { detail: "The recipient's mailbox has exceeded its quota" } }],
		['when the window ends', { headers: { 'x-ratelimit-reset': '30' } }],
	])('with %s is a refusal', (_what, reply) => {
		expect(failureOf({ status: 403, ...reply }).cause).toBe('refused');
	});
});

describe('the ID that the operator asks for', () => {
	const idOf = (headers: Record<string, string>, status = 500) => failureOf({ status, headers }).requestId;

	test.each([
		'x-request-id',
		'request-id',
		'x-correlation-id',
		'x-kong-request-id',
		'cf-ray',
		'x-amzn-requestid',
		'x-ms-request-id',
		'x-azure-ref',
	])('is in %s', (name) => {
		for (const status of [400, 401, 429, 500, 503]) expect(idOf({ [name]: '4f1c-9' }, status)).toBe('4f1c-9');
	});

	test('is the first of them, without what is not visible and without its end', () => {
		expect(idOf({ 'cf-ray': 'later', 'x-request-id': 'first' })).toBe('first');
		expect(idOf({ 'x-request-id': ' ', 'cf-ray': 'ray' })).toBe('ray');
		expect(idOf({ 'x-request-id': 'a\u0000b\u202ec d' })).toBe('abcd');
		expect(idOf({ 'x-request-id': 'x'.repeat(300) })).toHaveLength(200);
		expect(idOf({})).toBeNull();
	});

	test('is also in what is no answer of such a service, and null without an answer', () => {
		const headers = { 'content-type': 'text/html', 'x-request-id': '4f1c' };
		const page = { status: 200, headers, body: '<html>' };
		expect(answerIn(page, post, true)).toMatchObject({ requestId: '4f1c' });
		expect(failureOfTransport({ code: 'ECONNRESET', stage: 'underWay' }).requestId).toBeNull();
	});

	test('stands at the end of what an error says', () => {
		const failure = { ...failureOf({ status: 500, headers: { 'x-request-id': '4f1c' } }) };
		expect(apiError(node, failure).description).toMatch(/ \(request 4f1c\)$/);
		expect(adviceOn({ ...failure, code: 'ECONNRESET' })).toMatch(/ \(ECONNRESET\) \(request 4f1c\)$/);
	});
});

const words = { message: 'No such channel', description: 'Pick one that is there.', statusCode: 404 };

test.each(['connect ECONNREFUSED ::1', 'EPERM: ask your administrator', 'getaddrinfo ENOTFOUND', '429'])(
	'the words of an error stay as they are, also where n8n has some of its own for them: %s',
	(message) => {
		for (const statusCode of [null, 401, 429, 500]) {
			expect(apiError(node, { ...words, message, statusCode, problem: null }).message).toBe(message);
		}
	},
);
