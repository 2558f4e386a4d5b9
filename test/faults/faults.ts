/** Everything that can go wrong with one request, and its real outcome at the service. */
import { gzipSync } from 'node:zlib';
import type { Exchange, Place } from './stage.ts';

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
	| 'rejected: later'
	/** Told to come back later on every try. */
	| 'rejected: always later'
	/** In doubt: tried again only if a repetition does no harm. */
	| 'unknown'
	/** In doubt, and another try would not help. */
	| 'unknown, one try'
	/** Something other than the service answers: for reading, a refusal. */
	| 'foreign';

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

type Given = Partial<Pick<Fault, 'place' | 'lasts' | 'times' | 'spoil'>>;

const json = { 'content-type': 'application/json; v=1.0' };

/** A complete answer in time. */
const answer =
	(status: number, body: string | Buffer = '', headers: Record<string, string> = json) =>
	({ response }: Exchange): void =>
		void response.writeHead(status, headers).end(body);

/** Writes raw bytes to the connection and leaves it open. */
const says =
	(...bytes: string[]) =>
	({ socket }: Exchange): void => {
		for (const part of bytes) socket.write(part);
	};

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

const megabytes = 10 * 2 ** 20;
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

/** Faults of one kind. */
function group(
	name: string,
	...rows: ReadonlyArray<readonly [title: string, truth: Truth, ends: Ending, given: Given]>
): Fault[] {
	return rows.map(([title, truth, ends, given]) => ({
		group: name,
		title,
		truth,
		ends,
		place: 'http',
		lasts: false,
		times: Infinity,
		spoil: () => {},
		...given,
	}));
}

const statuses = (codes: readonly number[], truth: Truth, ends: Ending) =>
	codes.map((code) => [`${code}`, truth, ends, { spoil: answer(code, problem(code)) }] as const);

const throttled = (
	title: string,
	headers: Record<string, string>,
	ends: Ending,
	{ status = 429, ...given }: Given & { status?: number } = {},
) => [title, 'refused', ends, { times: 1, spoil: later(status, headers), ...given }] as const;

/** All of them. */
export const faults: readonly Fault[] = [
	...group(
		'Before the request',
		['Nothing listens at the address', 'unseen', 'unsent', { place: 'closed port' }],
		['The host name is unknown', 'unseen', 'unsent', { place: 'unknown host' }],
		['The name server does not work', 'unseen', 'unsent', { place: 'no name server' }],
		['The name server says nothing', 'unseen', 'unsent', { place: 'silent name server', lasts: true }],
		['https, but the service speaks http', 'unseen', 'unsent', { place: 'tls at http' }],
		['Closed while TLS is agreed on', 'unseen', 'unsent', { place: 'tls closed' }],
		['Silence while TLS is agreed on', 'unseen', 'unsent', { place: 'tls silent', lasts: true }],
		['A certificate that nobody vouches for', 'unseen', 'unsent', { place: 'certificate of a stranger' }],
		['The certificate of another host', 'unseen', 'unsent', { place: 'certificate of another host' }],
	),
	...group(
		'The connection breaks',
		['Reset while the request comes', 'unclear', 'unknown', { place: 'reset on request' }],
		['Reset after the request', 'unclear', 'unknown', { spoil: ({ raw }) => void raw.resetAndDestroy() }],
		['Closed after the request', 'unclear', 'unknown', { spoil: ({ raw }) => void raw.destroy() }],
		[
			'TLS: reset after the request',
			'unclear',
			'unknown',
			{ place: 'tls', spoil: ({ raw }) => void raw.resetAndDestroy() },
		],
		[
			'TLS: ended in order after the request',
			'unclear',
			'unknown',
			{ place: 'tls', spoil: ({ socket }) => void socket.end() },
		],
		['The answer ends within its headers', 'taken', 'unknown', { spoil: saysAndEnds(head) }],
		[
			'The answer ends within its body',
			'taken',
			'unknown',
			{ spoil: saysAndEnds(`${head}Content-Length: 100\r\n\r\n{"a":`) },
		],
		[
			'The answer ends within a chunk',
			'taken',
			'unknown',
			{ spoil: saysAndEnds(`${head}Transfer-Encoding: chunked\r\n\r\n20\r\n{"a":`) },
		],
		[
			'TLS: the answer ends within its body',
			'taken',
			'unknown',
			{
				place: 'tls',
				spoil: saysAndEnds(`${head}Content-Length: 100\r\n\r\n{"a":`),
			},
		],
	),
	...group(
		'Slow',
		['No answer', 'unclear', 'unknown', { lasts: true }],
		['Headers that drip for ever', 'taken', 'unknown', { lasts: true, spoil: drips(head, 'X-More: 1\r\n') }],
		[
			'Headers, and then no body',
			'taken',
			'unknown',
			{ lasts: true, spoil: says(`${head}Content-Length: 2\r\n\r\n`) },
		],
		[
			'A body that drips for ever',
			'taken',
			'unknown',
			{ lasts: true, spoil: drips(`${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n') },
		],
		['A body in two parts', 'taken', 'done', { spoil: inParts }],
	),
	...group(
		'No proper answer',
		['Something that is not HTTP', 'unclear', 'unknown', { spoil: saysAndEnds('220 mail.example.com\r\n') }],
		[
			'More headers than fit',
			'taken',
			'unknown',
			{ spoil: saysAndEnds(`${head}X-More: ${'x'.repeat(100_000)}\r\n\r\n{}`) },
		],
		[
			'Compressed, and broken',
			'taken',
			'unknown',
			{ spoil: answer(200, 'this is not gzip', { ...json, 'content-encoding': 'gzip' }) },
		],
		[
			'Compressed',
			'taken',
			'done',
			{ spoil: answer(200, gzipSync('{}'), { ...json, 'content-encoding': 'gzip' }) },
		],
		[
			'A web page',
			'unclear',
			'foreign',
			{ spoil: answer(200, '<title>Hi</title>', { 'content-type': 'text/html' }) },
		],
		['A picture', 'unclear', 'foreign', { spoil: answer(200, 'PNG', { 'content-type': 'image/png' }) }],
		['Nothing', 'taken', 'done', { spoil: answer(200) }],
		['No content (204)', 'taken', 'done', { spoil: answer(204) }],
		['Created (201), accepted (202)', 'taken', 'done', { spoil: answer(202, '{}') }],
		['Text', 'taken', 'done', { spoil: answer(200, 'Accepted', { 'content-type': 'text/plain; v=1.0' }) }],
		['No content type', 'taken', 'done', { spoil: answer(200, '{}', {}) }],
		['JSON that is broken', 'taken', 'done', { spoil: answer(200, '{"a":') }],
		['10 MB', 'taken', 'done', { spoil: answer(200, `{}${' '.repeat(megabytes)}`) }],
		[
			'10 MB of a web page with status 502',
			'unclear',
			'unknown',
			{ spoil: answer(502, `<p>${'x'.repeat(megabytes)}`, { 'content-type': 'text/html' }) },
		],
	),
	...group(
		'1xx before the answer',
		[
			'100, then 200',
			'taken',
			'done',
			{ spoil: saysAndEnds(`HTTP/1.1 100 Continue\r\n\r\n${head}Content-Length: 2\r\n\r\n{}`) },
		],
		[
			'103, then 200',
			'taken',
			'done',
			{
				spoil: saysAndEnds(`HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n${head}Content-Length: 2\r\n\r\n{}`),
			},
		],
		[
			'100, then nothing',
			'unclear',
			'unknown',
			{ lasts: true, spoil: says('HTTP/1.1 100 Continue\r\n\r\n') },
		],
		[
			'101: another protocol',
			'unclear',
			'unknown',
			{
				lasts: true,
				spoil: says('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
			},
		],
	),
	...group(
		'Redirects',
		...[301, 302, 303, 307, 308].map(
			(code) =>
				[
					`${code} to another address`,
					...(code === 303 ? (['unclear', 'foreign'] as const) : (['refused', 'rejected'] as const)),
					{
						spoil: (exchange: Exchange) => answer(code, '', { location: exchange.trap })(exchange),
					},
				] as const,
		),
		['304', 'refused', 'rejected', { spoil: answer(304) }],
	),
	...group(
		'The service says no',
		...statuses([400, 401, 403, 404, 408, 409, 413, 422, 425, 451], 'refused', 'rejected'),
	),
	...group(
		'The service fails',
		...statuses([500, 502, 503, 504], 'unclear', 'unknown'),
		...statuses([501, 505, 507, 520], 'unclear', 'unknown, one try'),
	),
	...group(
		'The service says "later"',
		throttled('429', {}, 'done later'),
		throttled('429, each time', {}, 'rejected: always later', { times: Infinity }),
		throttled('429, Retry-After: 0', { 'retry-after': '0' }, 'done later'),
		throttled('429, Retry-After: 1', { 'retry-after': '1' }, 'done later'),
		throttled('429, Retry-After: 0.5', { 'retry-after': '0.5' }, 'done later'),
		throttled('429, Retry-After beyond Max Wait', { 'retry-after': '3600' }, 'rejected: later'),
		throttled(
			'429, Retry-After: 9999999999999999999999',
			{ 'retry-after': '9'.repeat(22) },
			'rejected: later',
		),
		throttled('429, Retry-After: -5', { 'retry-after': '-5' }, 'done later'),
		throttled('429, Retry-After: soon', { 'retry-after': 'soon' }, 'done later'),
		throttled('429, Retry-After is empty', { 'retry-after': '' }, 'done later'),
		throttled('429, Retry-After with a date', {}, 'done later', { spoil: skewed(0) }),
		throttled('429, Retry-After with a date that is over', { 'retry-after': inOneSecond(0) }, 'done later'),
		throttled('429, a date, and a clock a year ahead', {}, 'done later', { spoil: skewed(year) }),
		throttled('429, a date, and a clock a year behind', {}, 'done later', { spoil: skewed(-year) }),
		throttled('503, Retry-After: 0', { 'retry-after': '0' }, 'done later', { status: 503 }),
		throttled('503, Retry-After beyond Max Wait', { 'retry-after': '3600' }, 'rejected: later', {
			status: 503,
		}),
	),
];
