/** Everything that can go wrong with one request, and its real outcome at the service. */
import { gzipSync } from 'node:zlib';
import { nginxPage, SAMPLES, varnishHeaders, varnishPage } from '../cases/answers.mts';
import type { Exchange, Place } from './stage.mts';

/** The real outcome of a request, known only to the service. */
export type Truth =
	/** It did not arrive. */
	| 'unseen'
	/** The service has not done it, and said so. */
	| 'refused'
	/** The service has done it. */
	| 'taken'
	/** A service with this fault may or may not have done it. */
	| 'unclear';

/** How a call with a fault ends. */
export type Ending =
	| 'done'
	/** Told to come back later, and accepted then. */
	| 'done later'
	/** Nothing was sent, so it is tried again. */
	| 'unsent'
	| 'rejected'
	/** Told to come back later than Max Wait allows. */
	| 'unsent: later'
	/** Told to come back later on every try. */
	| 'rejected: always later'
	/** In doubt: tried again only if a repetition does no harm. */
	| 'unknown'
	/** In doubt, and another try would not help. */
	| 'unknown, one try'
	/** Something other than the service answers: for reading, a refusal. */
	| 'foreign'
	/** What is read can't be used; what was changed is done all the same. */
	| 'unreadable';

/** One thing that goes wrong. */
export interface Fault {
	readonly group: string;
	readonly title: string;
	readonly truth: Truth;
	readonly ends: Ending;
	readonly place: Place;
	/** Whether it lasts until Timeout. */
	readonly lasts: boolean;
	/** How many requests it affects. */
	readonly times: number;
	readonly spoil: (exchange: Exchange) => void;
}

type Given = Partial<Pick<Fault, 'place' | 'lasts' | 'times'>>;

type Row = readonly [title: string, truth: Truth, ends: Ending, spoil: Fault['spoil'], given?: Given];

const json = { 'content-type': 'application/json; v=1.0' };

/** A complete answer in time. */
const answer =
	(status: number, body: string | Buffer = '', headers: Record<string, string> = json) =>
	({ response }: Exchange): void =>
		void response.writeHead(status, headers).end(body);

/** Writes raw bytes to the connection and leaves it open. */
const says =
	(bytes: string) =>
	({ socket }: Exchange): void =>
		void socket.write(bytes);

/** Writes raw bytes to the connection and ends it. */
const saysAndEnds =
	(bytes: string) =>
	({ socket }: Exchange): void =>
		void socket.end(bytes);

/** Writes the same bytes repeatedly until the client hangs up. */
const drips =
	(first: string, again: string) =>
	({ socket }: Exchange): void => {
		socket.write(first);
		const drip = setInterval(() => socket.write(again), 50);
		socket.on('close', () => clearInterval(drip));
	};

/** Writes the body in two parts, with a pause between. */
const inParts = ({ response }: Exchange): void => {
	response.writeHead(200, json).write('{');
	setTimeout(() => response.end('}'), 200);
};

const bigPage = `<p>${'x'.repeat(10 * 2 ** 20)}`;
const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json; v=1.0\r\n';
const problem = (status: number): string =>
	JSON.stringify({ title: 'No', status, detail: `Because of ${status}.` });
const later = (status: number, headers: Record<string, string>): Fault['spoil'] =>
	answer(status, problem(status), { ...json, ...headers });

const inOneSecond = (from: number): string => new Date(from + 1000).toUTCString();
const year = 365 * 86_400_000;
/** A service whose clock is off by this much, with a Retry-After date one second ahead by that clock. */
const skewed =
	(ms: number) =>
	(exchange: Exchange): void => {
		const there = Date.now() + ms;
		const date = new Date(there).toUTCString();
		later(429, { date, 'retry-after': inOneSecond(there) })(exchange);
	};

/** The client runs into it before the service can do anything. */
const nothing = (): void => {};
const gzip = { ...json, 'content-encoding': 'gzip' };
const html = { 'content-type': 'text/html' };
const lasts = { lasts: true };
const tls = { place: 'tls' } as const;
const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
const half = `${head}Content-Length: 100\r\n\r\n{"a":`;
const fine = `${head}Content-Length: 2\r\n\r\n{}`;
const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
/** No 409: it can mean that the service has the message already, see "Changing what an answer means" in CONTRIBUTING.md. */
const refusals = [400, 401, 403, 404, 408, 413, 422, 425, 451];
const reset = ({ raw }: Exchange): void => void raw.resetAndDestroy();

/** Nothing is sent. */
const unsent = (title: string, place: Place, given: Given = {}): Row => {
	return [title, 'unseen', 'unsent', nothing, { place, ...given }];
};

const statuses = (codes: readonly number[], truth: Truth, ends: Ending): Row[] =>
	codes.map((code) => [`${code}`, truth, ends, answer(code, problem(code))]);

/** Refused inside a 2xx. */
const refused = (title: string, body: string, headers = json): Row => {
	return [title, 'refused', 'rejected', answer(200, body, headers)];
};

const redirects = (codes: readonly number[], truth: Truth, ends: Ending): Row[] =>
	codes.map((code) => {
		const spoil = (exchange: Exchange): void => answer(code, '', { location: exchange.trap })(exchange);
		return [`${code} to another address`, truth, ends, spoil];
	});

/** Told once to come back later. */
const throttled = (title: string, headers: Record<string, string>, ends: Ending, given: Given = {}): Row => {
	const spoil = later(title.startsWith('503') ? 503 : 429, headers);
	return [title, 'refused', ends, spoil, { times: 1, ...given }];
};

/** Turned away once by what stands in front of the service. */
const turnedAway = (title: string, status: number, body: string, headers = html): Row => [
	title,
	'refused',
	'done later',
	answer(status, body, headers),
	{ times: 1 },
];

const page = (status: number): string => `<!DOCTYPE html><title>${status} No</title><p>A page`;
const atOnce = { 'retry-after': '0' };
const htmlAtOnce = { ...html, ...atOnce };
const varnishAtOnce = { ...varnishHeaders, ...atOnce };
const envoy =
	'upstream connect error or disconnect/reset before headers. reset reason: connection termination';
const textOf = (who: string): string => String(SAMPLES[who]?.[0]?.body);
const haproxy = textOf('HAProxy: "No server is available to handle this request."');
const httpSys = textOf('http.sys (IIS): "HTTP Error 503. The service is unavailable."');
const inUnixTime = (seconds: number): string => `${Math.ceil(Date.now() / 1000) + seconds}`;

const groups: Readonly<Record<string, readonly Row[]>> = {
	'Before the request': [
		unsent('Nothing listens at the address', 'closed port'),
		unsent('The host name is unknown', 'unknown host'),
		unsent('The name server does not work', 'no name server'),
		unsent('The name server says nothing', 'silent name server', lasts),
		unsent('https, but the service speaks http', 'tls at http'),
		unsent('Closed while TLS is agreed on', 'tls closed'),
		unsent('Silence while TLS is agreed on', 'tls silent', lasts),
		unsent('A certificate that nobody vouches for', 'certificate of a stranger'),
		unsent('The certificate of another host', 'certificate of another host'),
	],
	'The connection breaks': [
		['Reset while the request comes', 'unclear', 'unknown', nothing, { place: 'reset on request' }],
		['Reset after the request', 'unclear', 'unknown', reset],
		['Closed after the request', 'unclear', 'unknown', ({ raw }) => void raw.destroy()],
		['TLS: reset after the request', 'unclear', 'unknown', reset, tls],
		['TLS: ended in order after the request', 'unclear', 'unknown', ({ socket }) => void socket.end(), tls],
		['The answer ends within its headers', 'taken', 'unknown', saysAndEnds(head)],
		['The answer ends within its body', 'taken', 'unknown', saysAndEnds(half)],
		['The answer ends within a chunk', 'taken', 'unknown', saysAndEnds(`${chunked}20\r\n{"a":`)],
		['TLS: the answer ends within its body', 'taken', 'unknown', saysAndEnds(half), tls],
	],
	Slow: [
		['No answer', 'unclear', 'unknown', nothing, lasts],
		['Headers that drip for ever', 'taken', 'unknown', drips(head, 'X-More: 1\r\n'), lasts],
		['Headers, and then no body', 'taken', 'unknown', says(`${head}Content-Length: 2\r\n\r\n`), lasts],
		['A body that drips for ever', 'taken', 'unknown', drips(chunked, '1\r\n \r\n'), lasts],
		['A body in two parts', 'taken', 'done', inParts],
	],
	'No proper answer': [
		['Something that is not HTTP', 'unclear', 'unknown', saysAndEnds('220 mail.example.com\r\n')],
		[
			'Two lengths of its body',
			'taken',
			'unknown',
			saysAndEnds(`${chunked.trimEnd()}\r\nContent-Length: 2\r\n\r\n`),
		],
		['More headers than fit', 'taken', 'unknown', saysAndEnds(`${head}X-More: ${'x'.repeat(1e5)}\r\n\r\n{}`)],
		['Compressed, and broken', 'taken', 'unknown', answer(200, 'this is not gzip', gzip)],
		['Compressed', 'taken', 'done', answer(200, gzipSync('{}'), gzip)],
		['A web page', 'unclear', 'foreign', answer(200, '<title>Hi</title>', html)],
		['A picture', 'unclear', 'foreign', answer(200, 'PNG', { 'content-type': 'image/png' })],
		['Nothing', 'taken', 'done', answer(200)],
		['Nothing, declared as a web page', 'taken', 'done', answer(200, '', html)],
		['No content (204)', 'taken', 'done', answer(204)],
		['Created (201), accepted (202)', 'taken', 'done', answer(202, '{}')],
		['Text', 'taken', 'done', answer(200, 'Accepted', { 'content-type': 'text/plain; v=1.0' })],
		['No content type', 'taken', 'done', answer(200, '{}', {})],
		['JSON that is broken', 'taken', 'unreadable', answer(200, '{"a":')],
		['10 MB', 'taken', 'done', answer(200, `{}${' '.repeat(10 * 2 ** 20)}`)],
		['10 MB of a web page with status 502', 'unclear', 'unknown', answer(502, bigPage, html)],
	],
	'1xx before the answer': [
		['100, then 200', 'taken', 'done', saysAndEnds(`HTTP/1.1 100 Continue\r\n\r\n${fine}`)],
		['103, then 200', 'taken', 'done', saysAndEnds(`HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n${fine}`)],
		['100, then nothing', 'unclear', 'unknown', says('HTTP/1.1 100 Continue\r\n\r\n'), lasts],
		['101: another protocol', 'unclear', 'unknown', says(upgrade), lasts],
	],
	Redirects: [
		...redirects([301, 302, 307, 308], 'refused', 'rejected'),
		...redirects([303], 'unclear', 'foreign'),
		['304', 'refused', 'rejected', answer(304)],
	],
	'The service says no': statuses(refusals, 'refused', 'rejected'),
	'The service says no with status 200': [
		refused('{"success": false}', '{"success":false,"message":"Channel is not connected"}'),
		refused(
			'{"IsSuccess": false} with a list of errors',
			'{"IsSuccess":false,"Errors":[{"Message":"Too long"}]}',
		),
		refused('false', 'false'),
		refused('Problem details', problem(422)),
		refused('Any object, declared as problem details', '{"instance":"/x"}', {
			'content-type': 'application/problem+json',
		}),
	],
	'The service fails': [
		...statuses([500, 502, 503, 504, 520, 530, 598], 'unclear', 'unknown'),
		...statuses([501, 505, 507], 'unclear', 'unknown, one try'),
	],
	'A gateway answers after the work': [
		[
			'503 of Varnish, Retry-After: 0',
			'taken',
			'unknown',
			answer(503, varnishPage(503, 'No'), varnishAtOnce),
		],
		['503 of Envoy, Retry-After: 0', 'taken', 'unknown', answer(503, envoy, atOnce)],
		['503 with an unknown page, Retry-After: 0', 'taken', 'unknown', answer(503, page(503), htmlAtOnce)],
		['503 in plain text, Retry-After: 0', 'taken', 'unknown', answer(503, 'Unavailable', atOnce)],
		[
			'503 without a body, through a cache',
			'taken',
			'unknown',
			answer(503, '', { via: '1.1 cache', ...atOnce }),
		],
		[
			'429 of Varnish, after a restart',
			'taken',
			'foreign',
			answer(429, varnishPage(429, 'No'), varnishAtOnce),
		],
		['502 of nginx', 'taken', 'unknown', answer(502, nginxPage(502, 'Bad Gateway'), html)],
		['504 of nginx', 'taken', 'unknown', answer(504, nginxPage(504, 'Gateway Time-out'), html)],
	],
	'A gateway passes nothing on': [
		turnedAway('503 of nginx (limit_req)', 503, nginxPage(503, 'Service Temporarily Unavailable')),
		turnedAway('503 of HAProxy', 503, haproxy),
		turnedAway('503 of http.sys (IIS)', 503, httpSys),
		turnedAway('503 of Traefik', 503, 'no available server\n'),
		turnedAway('429 of nginx', 429, nginxPage(429, 'Too Many Requests')),
		turnedAway('403 with a quota (Azure)', 403, '{"message":"Out of call volume quota."}', json),
		['403: a page', 'refused', 'rejected', answer(403, page(403), html)],
		['401: a page', 'refused', 'rejected', answer(401, page(401), html)],
		['404: a page', 'refused', 'rejected', answer(404, page(404), html)],
	],
	'The service says "later"': [
		throttled('429', {}, 'done later'),
		throttled('429, each time', {}, 'rejected: always later', { times: Infinity }),
		throttled('429, Retry-After: 0', { 'retry-after': '0' }, 'done later'),
		throttled('429, Retry-After: 1', { 'retry-after': '1' }, 'done later'),
		throttled('429, Retry-After: 0.5', { 'retry-after': '0.5' }, 'done later'),
		throttled('429, Retry-After beyond Max Wait', { 'retry-after': '3600' }, 'unsent: later'),
		throttled('429, Retry-After: 9999999999999999999999', { 'retry-after': '9'.repeat(22) }, 'done later'),
		throttled('429, Retry-After is a Unix time', { 'retry-after': inUnixTime(1) }, 'done later'),
		throttled(
			'429, Retry-After in milliseconds, X-RateLimit-Reset in seconds',
			{ 'retry-after': '9000', 'x-ratelimit-reset': '1' },
			'done later',
		),
		throttled('429, Retry-After: -5', { 'retry-after': '-5' }, 'done later'),
		throttled('429, Retry-After: soon', { 'retry-after': 'soon' }, 'done later'),
		throttled('429, Retry-After is empty', { 'retry-after': '' }, 'done later'),
		throttled('429, Retry-After with a date that is over', { 'retry-after': inOneSecond(0) }, 'done later'),
		['429, Retry-After with a date', 'refused', 'done later', skewed(0), { times: 1 }],
		['429, a date, and a clock a year ahead', 'refused', 'done later', skewed(year), { times: 1 }],
		['429, a date, and a clock a year behind', 'refused', 'done later', skewed(-year), { times: 1 }],
		throttled('503, Retry-After: 0', { 'retry-after': '0' }, 'done later'),
		throttled('503, Retry-After beyond Max Wait', { 'retry-after': '3600' }, 'unsent: later'),
	],
};

/** All of them. */
export const faults: readonly Fault[] = Object.entries(groups).flatMap(([group, rows]) =>
	rows.map(([title, truth, ends, spoil, given]) => ({
		...{ group, title, truth, ends, spoil, place: 'http' as const, lasts: false, times: Infinity },
		...given,
	})),
);
