/** What an error says about who wrote an answer. */
import { answerIn } from '../../../nodes/Messaging/service/answer.ts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { isFailure, type Failure } from '../../../nodes/Messaging/service/endings.ts';
import { SAMPLES, type Sample, WAF_CHALLENGE } from '../../cases/answers.mts';
import { ids } from '../../cases/values.mts';

const send: ApiCall = {
	method: 'POST',
	path: '/api/v1/message/SendMessage',
	body: { packageId: ids.call, channelId: ids.channel },
};
const channels: ApiCall = { method: 'GET', path: '/api/v1/Admin/Channel' };
const me: ApiCall = { method: 'GET', path: '/api/v1/Me' };

const failureOf = (status: number, { body, headers = {} }: Sample, call = send): Failure => {
	const answer = answerIn({ status, body, headers }, call, true);
	if (!isFailure(answer)) throw new Error('It is a success');
	return answer;
};

describe('a page of a gateway', () => {
	const page = (title: string): Sample => ({
		body: `<!DOCTYPE html><html><head><title>${title}</title></head><body>Ray ID: 8f1</body></html>`,
		headers: { 'content-type': 'text/html' },
	});

	test.each<[title: string, shown: string]>([
		['Just a moment...', 'Just a moment...'],
		['Attention Required! | Cloudflare', 'Attention Required! | Cloudflare'],
		[
			'\n ERROR: The requested URL\n could not be retrieved ',
			'ERROR: The requested URL could not be retrieved',
		],
	])('tells its title: %j', (title, shown) => {
		const { message } = failureOf(403, page(title));
		expect(message).toBe(`A gateway answered with status 403: ${shown}`);
	});

	test.each<[what: string, body: string, shown: string]>([
		['its first heading', '<html><body><h1 class="x">Blocked</h1><h2>No</h2>', ': Blocked'],
		['neither', '<html><body><p>No', ' and gave no reason'],
		['an empty title', '<html><title> </title><h2>Blocked</h2>', ': Blocked'],
	])('without a title tells %s', (_what, body, shown) => {
		expect(failureOf(403, { body }).message).toBe(`A gateway answered with status 403${shown}`);
	});

	test.each([401, 403, 404, 418, 502, 503, 504])(
		'with %i blames the gateway, neither key nor field',
		(status) => {
			for (const call of [send, me, channels]) {
				const failure = failureOf(status, page('No'), call);
				expect(failure.description).toMatch(/A gateway in front of the service answered, not the service\./);
				expect(failure.description).not.toMatch(/\bkey\b|\bfields?\b|acc_|revoked/i);
				expect(failure).toMatchObject({ problem: null, byGateway: true });
			}
		},
	);

	test('with 500 may be that of the service itself', () => {
		const { message, description } = failureOf(500, page('Error'));
		expect(message).toBe('The service answered with status 500: Error');
		expect(description).not.toMatch(/gateway/i);
	});

	test('is looked through in little time, however long it is', () => {
		const body = `<title${' '.repeat(1e6)}<h1${'<h1 '.repeat(1e6)}`;
		expect(failureOf(403, { body }).message).toBe('A gateway answered with status 403 and gave no reason');
	});
});

describe.each([302, 303, 307, 404, 405, 410])('%i without JSON', (status) => {
	const samples = [...SAMPLES['A page'], ...SAMPLES['No body']] as readonly Sample[];

	test('sends nobody to the Base URL who sent something: it may have arrived', () => {
		for (const sample of samples) {
			const { description } = failureOf(status, sample);
			expect(description).not.toMatch(/Base URL|enter it there|\bkey\b|\bfields?\b/);
		}
	});

	test('names the Base URL to those who read, and that the service may be down', () => {
		for (const sample of samples) {
			expect(failureOf(status, sample, me).description).toMatch(/Base URL.*may be down/);
		}
	});
});

test.each([
	['a challenge of AWS WAF', WAF_CHALLENGE],
	["a 2xx with Cloudflare's JSON", SAMPLES["Cloudflare's JSON"][0]],
])('%s blames the gateway, neither Base URL nor key', (_what, sample) => {
	for (const call of [send, me, channels]) {
		const { message, description, byGateway } = failureOf(202, sample, call);
		expect(message).toBe('A gateway in front of the service answered, not the service');
		expect(description).toMatch(/tell the operator of the service/);
		expect(description).not.toMatch(/Base URL|\bkey\b|\bfields?\b/);
		expect(byGateway).toBe(true);
	}
});
