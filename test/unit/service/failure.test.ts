import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { failureOfReply, failureOfTransport, unsent } from '../../../nodes/Messaging/service/failure.ts';

const post: ApiCall = { method: 'POST', path: '/api/v1/message/SendMessage', body: {} };
const get: ApiCall = { method: 'GET', path: '/api/v1/Me' };
const problem = { title: 'Refused', detail: 'Why' };
const check = 'The service may have processed this call: check there before you repeat it.';
const harmless = 'Nothing was changed by this call, so it can be repeated.';

test('a failure before anything was sent has neither status nor problem', () => {
	expect(unsent('What', 'How')).toStrictEqual({
		message: 'What',
		description: 'How',
		statusCode: null,
		outcome: 'unsent',
		problem: null,
		again: 'pointless',
	});
});

describe('a status outside 2xx', () => {
	const failed = (status: number, headers = {}, call = post) =>
		failureOfReply({ status, headers, body: problem }, call);

	test.each([
		[301, {}, 'rejected', 'pointless'],
		[304, {}, 'rejected', 'pointless'],
		[307, {}, 'rejected', 'pointless'],
		[400, {}, 'rejected', 'pointless'],
		[401, {}, 'rejected', 'pointless'],
		[403, {}, 'rejected', 'pointless'],
		[404, {}, 'rejected', 'pointless'],
		[405, {}, 'rejected', 'pointless'],
		[408, {}, 'rejected', 'pointless'],
		[409, {}, 'rejected', 'pointless'],
		[413, {}, 'rejected', 'pointless'],
		[415, {}, 'rejected', 'pointless'],
		[418, {}, 'rejected', 'pointless'],
		[422, {}, 'rejected', 'pointless'],
		[429, {}, 'rejected', 'later'],
		[429, { 'retry-after': '5' }, 'rejected', 'later'],
		[500, {}, 'unknown', 'doubtful'],
		[500, { 'retry-after': '5' }, 'unknown', 'doubtful'],
		[501, {}, 'unknown', 'pointless'],
		[502, {}, 'unknown', 'doubtful'],
		[503, {}, 'unknown', 'doubtful'],
		[503, { 'retry-after': '5' }, 'rejected', 'later'],
		[504, {}, 'unknown', 'doubtful'],
	])('%i with headers %j is %s, to be repeated: %s', (status, headers, outcome, again) => {
		expect(failed(status, headers)).toMatchObject({
			message: 'Refused: Why',
			statusCode: status,
			outcome,
			problem,
			again,
		});
		expect(failed(status, headers).description.includes(check)).toBe(outcome === 'unknown');
	});

	test.each([
		[300, /redirects to another address/],
		[301, /redirects to another address\. .*Base URL/],
		[400, /fields that the message names/],
		[401, /API Key in the credential/],
		[403, /"acc_" reaches only its own account/],
		[404, /Check the IDs/],
		[405, /Base URL/],
		[409, /not in a state that allows this/],
		[413, /too large/],
		[415, /Base URL/],
		[418, /refused the request/],
		[422, /fields that the message names/],
		[429, /used up its plan/],
		[500, /failed while it worked/],
		[503, /Try again later/],
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

	test('a redirect says where to', () => {
		expect(failed(308, { location: 'https://elsewhere.example' }).description).toContain(
			'(https://elsewhere.example)',
		);
	});

	test('a failed reading changed nothing', () => {
		expect(failed(500, {}, get).description).toContain(harmless);
	});

	test('without problem details, the status speaks', () => {
		expect(failureOfReply({ status: 502, headers: {}, body: undefined }, post)).toMatchObject({
			message: 'The service answered with status 502 and gave no reason',
			statusCode: 502,
			problem: null,
		});
	});
});

describe('no whole answer', () => {
	test.each([
		['ECONNREFUSED', 'unsent', 'harmless', /nothing answers at its address/],
		['ENOTFOUND', 'unsent', 'harmless', /host name is unknown/],
		['EAI_AGAIN', 'unsent', 'harmless', /could not be looked up/],
		['EHOSTUNREACH', 'unsent', 'harmless', /no route to its host/],
		['ENETUNREACH', 'unsent', 'harmless', /no route to its network/],
		['EADDRNOTAVAIL', 'unsent', 'harmless', /address is not available/],
		['BLOCKED', 'unsent', 'pointless', /n8n is set up not to reach/],
		['ERR_INVALID_URL', 'unsent', 'pointless', /address is not valid/],
		['CERT_HAS_EXPIRED', 'unsent', 'harmless', /No secure connection/],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'unsent', 'harmless', /No secure connection/],
		['SELF_SIGNED_CERT_IN_CHAIN', 'unsent', 'harmless', /No secure connection/],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unsent', 'harmless', /No secure connection/],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'unsent', 'harmless', /No secure connection/],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'unsent', 'harmless', /No secure connection/],
		['EPROTO', 'unsent', 'harmless', /No secure connection/],
		['ECONNABORTED', 'unknown', 'doubtful', /did not answer in time/],
		['ETIMEDOUT', 'unknown', 'doubtful', /did not answer in time/],
		['ECONNRESET', 'unknown', 'doubtful', /broke before the answer/],
		['EPIPE', 'unknown', 'doubtful', /broke while the request was sent/],
		['ERR_CANCELED', 'unknown', 'pointless', /execution was stopped/],
		['200', 'unknown', 'doubtful', /broke off half-way/],
		['500', 'unknown', 'doubtful', /broke off half-way/],
		['EWHATEVER', 'unknown', 'doubtful', /connection to the service failed/],
		['', 'unknown', 'doubtful', /connection to the service failed/],
	])('%s is %s, to be repeated: %s', (code, outcome, again, message) => {
		const failure = failureOfTransport(code, 'the words of the network', post);
		expect(failure).toMatchObject({ statusCode: null, outcome, problem: null, again });
		expect(failure.message).toMatch(message);
		expect(failure.description).toContain(code);
		expect(failure.description).toMatch(/^[A-Z][^.]{5,}\./);
		expect(failure.description.includes(check)).toBe(outcome === 'unknown');
	});

	test('tells the words of the network where the code alone does not help', () => {
		expect(failureOfTransport('ECONNRESET', 'socket hang up', get).description).toBe(
			`Try again later. ${harmless} (ECONNRESET: socket hang up)`,
		);
		expect(failureOfTransport('', 'odd', post).description).toContain('(odd)');
	});
});
