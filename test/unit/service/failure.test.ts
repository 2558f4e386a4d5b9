import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { apiError, unsent } from '../../../nodes/Messaging/service/endings.ts';
import {
	failureOfForeignReply,
	failureOfReply,
	failureOfTransport,
} from '../../../nodes/Messaging/service/failure.ts';
import type { Reply } from '../../../nodes/Messaging/service/reply.ts';
import type { Stage } from '../../../nodes/Messaging/service/transport.ts';
import { Counted } from '../support/counted.ts';
import { sendingNode as node } from '../support/sending-node.ts';

const post: ApiCall = { method: 'POST', path: '/api/v1/message/SendMessage', body: {} };
const get: ApiCall = { method: 'GET', path: '/api/v1/Me' };
const problem = { title: 'Refused', detail: 'Why' };
const check = 'The service may have processed this call: check there before you repeat it.';
const harmless = 'Nothing was changed by this call.';

test('a failure before anything was sent has neither status nor problem', () => {
	expect(unsent('What', 'How')).toStrictEqual({
		message: 'What',
		description: 'How',
		statusCode: null,
		outcome: 'unsent',
		problem: null,
		cause: 'withheld',
	});
});

describe('a status outside 2xx', () => {
	const failed = (status: number, headers = {}, call = post) =>
		failureOfReply({ status, headers, body: problem }, call);

	test.each([
		[301, {}, 'rejected', 'refused'],
		[303, {}, 'unknown', 'doubtful'],
		[304, {}, 'rejected', 'refused'],
		[307, {}, 'rejected', 'refused'],
		[400, {}, 'rejected', 'refused'],
		[401, {}, 'rejected', 'refused'],
		[403, {}, 'rejected', 'refused'],
		[404, {}, 'rejected', 'refused'],
		[405, {}, 'rejected', 'refused'],
		[407, {}, 'unsent', 'withheld'],
		[408, {}, 'rejected', 'refused'],
		[409, {}, 'rejected', 'refused'],
		[413, {}, 'rejected', 'refused'],
		[415, {}, 'rejected', 'refused'],
		[418, {}, 'rejected', 'refused'],
		[422, {}, 'rejected', 'refused'],
		[429, {}, 'rejected', 'throttled'],
		[429, { 'retry-after': '5' }, 'rejected', 'throttled'],
		[500, {}, 'unknown', 'doubtful'],
		[500, { 'retry-after': '5' }, 'unknown', 'doubtful'],
		[501, {}, 'unknown', 'doubtful'],
		[502, {}, 'unknown', 'doubtful'],
		[503, {}, 'unknown', 'doubtful'],
		[503, { 'retry-after': '5' }, 'rejected', 'throttled'],
		[504, {}, 'unknown', 'doubtful'],
	])('%i with headers %j is %s, because it is %s', (status, headers, outcome, cause) => {
		expect(failed(status, headers)).toMatchObject({
			message: 'Refused: Why',
			statusCode: status,
			outcome,
			problem,
			cause,
		});
		expect(failed(status, headers).description.includes(check)).toBe(outcome === 'unknown');
	});

	test('"see other" to a question is a no: it asks nothing of the service', () => {
		expect(failed(303, {}, get)).toMatchObject({ outcome: 'rejected', cause: 'refused' });
	});

	test.each([
		[300, /redirects to another address/],
		[301, /redirects to another address\. .*Base URL/],
		[400, /Check the fields of this item/],
		[401, /API Key in the credential/],
		[403, /"acc_" has access to its own account only/],
		[404, /Check the IDs/],
		[405, /Base URL/],
		[407, /proxy settings of n8n/],
		[408, /Check the network/],
		[409, /not in a state that allows this/],
		[413, /too large/],
		[415, /Base URL/],
		[418, /refused the request/],
		[422, /Check the fields of this item/],
		[429, /used up its plan/],
		[500, /failed while it worked/],
		[503, /tell its operator/],
	])('%i says how to get unstuck', (status, advice) => {
		expect(failed(status).description).toMatch(advice);
	});

	test.each([
		[429, { 'retry-after': '5' }, 5000],
		[503, { 'retry-after': '5' }, 5000],
		[429, { 'retry-after': 'soon' }, undefined],
		[429, {}, undefined],
		[500, { 'retry-after': '5' }, undefined],
	])('%i with headers %j asks to wait %j ms', (status, headers, waitMs) => {
		const failure = failed(status, headers);
		expect(failure.waitMs).toBe(waitMs);
		expect('waitMs' in failure).toBe(waitMs !== undefined);
	});

	test('400 and 422 name the fields that the service names, as the user knows them', () => {
		const body = { title: 'Invalid', errors: { 'content.to.email': ['is no address'], text: 'is too long' } };
		const names: Record<string, string> = { 'content.to.email': 'To Email' };
		for (const status of [400, 422]) {
			const reply = { status, headers: {}, body };
			const { message, description } = failureOfReply(reply, post, (path) => names[path] ?? path);
			expect(message).toBe('Invalid');
			expect(description).toBe('To Email: is no address. text: is too long. Correct these fields.');
		}
	});

	test('any other status names them too, and says what to do about it as ever', () => {
		const body = { errors: { text: 'is too long' } };
		const { description } = failureOfReply({ status: 413, headers: {}, body }, post);
		expect(description).toMatch(/^text: is too long\. The message is too large/);
	});

	test('404 on the question for the key is about the address, not about IDs', () => {
		const { description } = failed(404, {}, get);
		expect(description).toMatch(/Base URL/);
		expect(description).not.toMatch(/IDs/);
	});

	test.each([
		['https://elsewhere.example/in?state=5ecret&next=/', '(https://elsewhere.example/in)'],
		['https://elsewhere.example/#access_token=5ecret', '(https://elsewhere.example/)'],
		['https://ada:5ecret@elsewhere.example/in', '(https://elsewhere.example/in)'],
		['//ada:p@5ecret@elsewhere.example', '(//elsewhere.example)'],
		['/in?5ecret\n5ecret', '(/in)'],
		['?5ecret', 'address. '],
	])('a redirect to %j shows nothing that lets somebody in', (location, shown) => {
		const { description } = failed(302, { location });
		expect(description).toContain(shown);
		expect(description).not.toContain('5ecret');
	});

	test('a failed reading changed nothing', () => {
		expect(failed(500, {}, get).description).toContain(harmless);
	});
});

describe('no whole answer', () => {
	const failed = (code: string, stage: Stage, call = post) => failureOfTransport({ code, stage }, call);

	test.each<[code: string, stage: Stage, cause: string, message: RegExp]>([
		['ECONNREFUSED', 'connecting', 'neverLeft', /nothing answers at its address/],
		['ENOTFOUND', 'connecting', 'neverLeft', /host name is unknown/],
		['EAI_AGAIN', 'connecting', 'neverLeft', /could not be looked up/],
		['ETIMEDOUT', 'connecting', 'neverLeft', /no connection was made in time/],
		['EHOSTUNREACH', 'connecting', 'neverLeft', /no connection could be made/],
		['ECONNRESET', 'connecting', 'neverLeft', /no connection could be made/],
		['BLOCKED', 'connecting', 'withheld', /not allowed to connect/],
		['CERT_HAS_EXPIRED', 'securing', 'neverLeft', /No secure connection/],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'securing', 'neverLeft', /certificate of the service is not trusted/],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'securing', 'neverLeft', /certificate of the service is not trusted/],
		['EPROTO', 'securing', 'neverLeft', /No secure connection/],
		['ECONNRESET', 'securing', 'neverLeft', /No secure connection/],
		['ECONNABORTED', 'securing', 'neverLeft', /No secure connection/],
	])('%s while %s is unsent, because it is %s', (code, stage, cause, message) => {
		const failure = failed(code, stage);
		expect(failure).toMatchObject({ statusCode: null, outcome: 'unsent', problem: null, cause });
		expect(failure.message).toMatch(message);
		expect(failure.description).toContain(`(${code})`);
		expect(failure.description).toMatch(/^[A-Z][^.]{5,}\./);
		expect(failure.description).not.toContain(check);
	});

	test.each([
		['ECONNABORTED', 'doubtful', /did not answer in time/],
		['ETIMEDOUT', 'doubtful', /did not answer in time/],
		['ECONNRESET', 'doubtful', /broke before the answer/],
		['EPIPE', 'doubtful', /broke before the answer/],
		['ERR_CANCELED', 'cutOff', /execution was stopped/],
		['200', 'doubtful', /broke before the answer/],
		['500', 'doubtful', /broke before the answer/],
		['ECONNREFUSED', 'doubtful', /broke before the answer/],
		['EHOSTUNREACH', 'doubtful', /broke before the answer/],
		['ENETUNREACH', 'doubtful', /broke before the answer/],
		['EPROTO', 'doubtful', /broke before the answer/],
		['ERR_SSL_BAD_RECORD_TYPE', 'doubtful', /broke before the answer/],
		['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'doubtful', /broke before the answer/],
		['EWHATEVER', 'doubtful', /broke before the answer/],
		['', 'doubtful', /broke before the answer/],
	])('%s once it may have left is unknown, because it is %s', (code, cause, message) => {
		const failure = failed(code, 'underWay');
		expect(failure).toMatchObject({ statusCode: null, outcome: 'unknown', problem: null, cause });
		expect(failure.message).toMatch(message);
		expect(failure.description).toContain(code);
		expect(failure.description.startsWith(check)).toBe(true);
		expect(failure.description).not.toMatch(/again|undefined/);
	});

	test.each(['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_UNTRUSTED'])(
		'a certificate that is not trusted (%s): how n8n is told to trust it',
		(code) => {
			expect(failed(code, 'securing').description).toContain('NODE_EXTRA_CA_CERTS');
			expect(failed('CERT_HAS_EXPIRED', 'securing').description).not.toContain('NODE_EXTRA_CA_CERTS');
		},
	);

	test('of what the network said only its code is told', () => {
		expect(failed('ECONNRESET', 'underWay', get).description).toBe(
			`${harmless} Check the network between the n8n server and the service. (ECONNRESET)`,
		);
	});
});

describe('a 2xx that is no answer of a messaging service', () => {
	const foreign = (contentType: string, call = post, body = '') =>
		failureOfForeignReply({ status: 200, headers: { 'content-type': contentType }, body }, call);

	test('may have been processed, and leads to the Base URL', () => {
		const failure = foreign('text/html; charset=utf-8');
		expect(failure).toMatchObject({ outcome: 'unknown', statusCode: 200, problem: null, cause: 'doubtful' });
		expect(failure.message).toMatch(/web page/);
		expect(failure.description).toMatch(/^The service may have processed this call.*Base URL/);
	});

	test('is called a page wherever it is one', () => {
		const page = foreign('text/plain', post, '<html></html>');
		expect(page.message).toMatch(/web page/);
		expect(page.description).toContain('text/plain');
		const undeclared = failureOfForeignReply({ status: 200, headers: {}, body: '<html>' }, post);
		expect(undeclared.description).toContain('(Status 200, no content type)');
	});

	test('on reading is only refused', () => {
		const failure = foreign('image/png', get);
		expect(failure).toMatchObject({ outcome: 'rejected', cause: 'refused' });
		expect(failure.message).not.toMatch(/page/);
		expect(failure.description).toMatch(/^Check the Base URL/);
	});
});

const failureOf = (reply: Partial<Reply>) =>
	failureOfReply({ status: 400, headers: {}, body: undefined, ...reply }, post);
const none = 'The service answered with status 400 and gave no reason';

test.each<[kind: string, body: unknown, words: string]>([
	[
		'title and detail',
		{ title: 'Bad Request', detail: 'channelId is unknown.' },
		'Bad Request: channelId is unknown.',
	],
	['a title with a full stop', { title: 'Refused.', detail: 'Why' }, 'Refused: Why'],
	['a title with a colon', { title: 'Refused: ', detail: 'Why' }, 'Refused: Why'],
	['a title alone', { title: 'Not Found', detail: null }, 'Not Found'],
	['a detail alone', { detail: 'No such key', title: ' ' }, 'No such key'],
	['the same twice', { title: 'Gone', detail: 'Gone' }, 'Gone'],
	['words that are no text', { title: 5, detail: {} }, none],
	['text', ' Try later\n', 'Try later'],
	['too long a text', 'x'.repeat(301), none],
	['a page', ' <!doctype html><p>Oops', none],
	['a list', ['no'], none],
	['nothing', undefined, none],
	['blanks', ' \n', none],
])('the words of an error body with %s', (_kind, body, words) => {
	const { message, problem } = failureOf({ body });
	expect(message).toBe(words);
	const isObject = typeof body === 'object' && !Array.isArray(body);
	expect(problem).toStrictEqual(isObject ? body : null);
});

describe('Retry-After', () => {
	const date = 'Wed, 21 Oct 2026 07:28:00 GMT';

	test.each<[string, Record<string, string>, number | undefined]>([
		['is missing', {}, undefined],
		['in seconds', { 'retry-after': '7' }, 7000],
		['zero', { 'retry-after': '0' }, 0],
		['with spaces', { 'retry-after': ' 7 ' }, 7000],
		['with a fraction', { 'retry-after': '0.5' }, 500],
		['as a date', { 'retry-after': 'Wed, 21 Oct 2026 07:28:05 GMT' }, 5000],
		[
			'as a date by the clock of the service',
			{ 'retry-after': 'Wed, 21 Oct 2020 07:28:05 GMT', date: 'Wed, 21 Oct 2020 07:28:00 GMT' },
			5000,
		],
		['in the past', { 'retry-after': 'Wed, 21 Oct 2026 07:27:00 GMT' }, 0],
		['no date and no number', { 'retry-after': 'soon' }, undefined],
	])('%s', (_what, headers, expected) => {
		jest.spyOn(Date, 'now').mockReturnValue(Date.parse(date));
		expect(failureOf({ status: 429, headers }).waitMs).toBe(expected);
		jest.restoreAllMocks();
	});
});

describe('the error that n8n shows', () => {
	const words = { message: 'No such channel', description: 'Pick one that is there.', statusCode: 404 };

	test('n8n shows the words, the way out, the status and the problem', () => {
		const problem = { title: 'Not Found', detail: 'No such channel' };
		const error = apiError(node, { ...words, problem });
		expect(error).toMatchObject({
			message: words.message,
			description: words.description,
			httpCode: '404',
			context: { data: problem },
		});
		expect(apiError(node, { ...words, statusCode: null, problem: null })).toMatchObject({
			message: words.message,
			description: words.description,
			httpCode: null,
			context: {},
		});
	});

	test.each([
		'connect ECONNREFUSED 127.0.0.1',
		'EPERM: ask your administrator',
		'getaddrinfo ENOTFOUND',
		'429',
	])('the words stay as they are, also where n8n has some of its own for them: %s', (message) => {
		for (const statusCode of [null, 401, 429, 500]) {
			expect(apiError(node, { ...words, message, statusCode, problem: null }).message).toBe(message);
		}
	});

	test('n8n does not search the problem for what it is told: that takes seconds where one is long', () => {
		const counted = new Counted(0);
		const problem = counted.watch({ errors: [{ message: 'another' }], error: { message: 'one more' } });
		const error = apiError(node, { ...words, problem });
		expect(error.message).toBe(words.message);
		expect(error.description).toBe(words.description);
		expect(error.context.data).toBe(problem);
	});
});
