/** Who wrote an answer, and what that means. */
import { answerIn } from '../../../nodes/Messaging/service/answer.ts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { AUTHORS, authorOf } from '../../../nodes/Messaging/service/author.ts';
import { isFailure, type Failure } from '../../../nodes/Messaging/service/endings.ts';
import type { Reply } from '../../../nodes/Messaging/service/reply.ts';
import { nginxPage, SAMPLES, varnishHeaders, varnishPage, type Sample } from '../../cases/answers.mts';
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

const replyOf = (status: number, { body, headers = {} }: Sample, more = {}): Reply => ({
	...{ status, body },
	headers: { ...headers, ...more },
});
const failureOf = (status: number, sample: Sample, call = send, more = {}): Failure => {
	const answer = answerIn(replyOf(status, sample, more), call);
	if (!isFailure(answer)) throw new Error('It is a success');
	return answer;
};

/** The status at which a row is met. */
const statusOf = (who: string): number => (who.includes('2xx') ? 202 : /\b400\b/.test(who) ? 400 : 503);

const samples = AUTHORS.flatMap((author) =>
	(SAMPLES[author.who] ?? []).map((sample, n) => [author.who, n, author, sample] as const),
);

test('each row has a sample', () => {
	expect(Object.keys(SAMPLES)).toEqual(AUTHORS.map(({ who }) => who));
});

test.each(samples)('%s (%i) is known by it', (who, _n, author, sample) => {
	expect(authorOf(replyOf(statusOf(who), sample), send)).toBe(author);
});

const at503 = samples.filter(([who]) => statusOf(who) === 503);

describe.each(at503)('503: %s (%i)', (_mark, _n, { writer }, sample) => {
	const isBarrier = writer === 'barrier';
	const own = { ...sample, headers: { ...sample.headers, 'retry-after': '5' } };
	const { 'retry-after': _, ...others } = sample.headers ?? {};
	const silent = { ...sample, headers: others };

	test.each([send, requeue, edit, channels])('with Retry-After, to $method $path', (call) => {
		const failure = failureOf(503, own, call);
		const isTurnedAway = isBarrier || writer === 'service';
		expect(failure).toMatchObject({
			...{ statusCode: 503, cause: isTurnedAway ? 'throttled' : 'doubtful' },
			outcome: isTurnedAway ? 'rejected' : 'unknown',
			// The wait that it asks for is kept to in either case.
			waitMs: 5000,
		});
	});

	test('without it', () => {
		const failure = failureOf(503, silent);
		expect(failure.cause).toBe(isBarrier ? 'throttled' : 'doubtful');
		expect(failure).not.toHaveProperty('waitMs');
	});
});

describe('a cache repeats calls by itself, so its own page never shows that nothing was done', () => {
	test.each([401, 403, 404, 409, 421, 425, 429])('with %i', (status) => {
		const page = { body: varnishPage(status, 'No'), headers: varnishHeaders };
		for (const call of [send, requeue, edit]) expect(failureOf(status, page, call).outcome).toBe('unknown');
		expect(failureOf(status, page, channels).outcome).toBe('rejected');
	});

	test('the JSON that it passes on is that of the service', () => {
		const headers = { via: '1.1 varnish', 'x-varnish': '3' };
		expect(failureOf(429, { body: { title: 'Too many' }, headers }).cause).toBe('throttled');
		expect(failureOf(403, { body: { title: 'No' }, headers }).cause).toBe('refused');
	});
});

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

	test.each([401, 403, 404, 405, 413, 418, 429])(
		'with %i blames the gateway, neither key nor field',
		(status) => {
			for (const call of [send, me, channels]) {
				const failure = failureOf(status, page('No'), call);
				expect(failure.description).toMatch(/A gateway in front of the service answered, not the service\./);
				expect(failure.description).not.toMatch(/\bkey\b|\bfields?\b|acc_|revoked/i);
				expect(failure).toMatchObject({ problem: null, byGateway: true });
				if (failure.cause === 'refused') expect(failure.isForPerson).toBe(true);
			}
		},
	);

	test.each([502, 503, 504])('with %i leaves the call in doubt', (status) => {
		const failure = failureOf(status, page('Bad gateway'));
		const { description, outcome } = failure;
		expect(outcome).toBe('unknown');
		// A model must read that it must not call again, as after every doubt.
		expect(failure).not.toHaveProperty('isForPerson');
		expect(description).toMatch(
			/^The service may have processed this call\. A gateway in front of the service/,
		);
	});

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

test.each(samples.filter(([who]) => statusOf(who) === 400))(
	'%s (%i): try https',
	(_mark, _n, _author, sample) => {
		const { cause, description } = failureOf(400, sample, me);
		expect(cause).toBe('refused');
		expect(description).toMatch(/https:\/\/ in place of http:\/\/ in the Base URL/);
		expect(description).not.toMatch(/fields of this item/);
	},
);

test('a page that another server has put its words into is not one of the gateways that pass nothing on', () => {
	const body = nginxPage(502, 'Bad Gateway');
	expect(failureOf(502, { body }).outcome).toBe('unknown');
	expect(failureOf(503, { body: 'HTTP/1.1 says: no available server here' }).outcome).toBe('unknown');
	for (const footer of ['nginx-proxy of Acme', 'openresty', 'cloudflare-nginx']) {
		expect(failureOf(503, { body: nginxPage(503, 'No', footer) }).outcome).toBe('unknown');
	}
	expect(failureOf(503, { body: nginxPage(503, 'No', 'nginx/1.18.0 (Ubuntu)') }).cause).toBe('throttled');
});
