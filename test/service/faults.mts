/** Everything that can go wrong with one request: what the service really did, and what its client can know of that. */
import { gzipSync } from 'node:zlib';
import type { Ending, Reply } from '../../dev/sandbox/service.mts';
import { nginxPage, varnishHeaders, varnishPage } from '../cases/answers.mts';
import { TRAP } from './faulty-service.mts';

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

/** What a client can know of a call with a fault. */
export type Known =
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
	| 'unreadable'
	/** Too large for the answer to a change, so it is not read to its end; not too large for what is read. */
	| 'large';

/** Where a request goes. */
export type Place =
	| 'http'
	| 'tls'
	/** Nothing listens. */
	| 'closed port'
	/** https to a service that speaks http. */
	| 'tls at http'
	/** Ends the connection before TLS is agreed on. */
	| 'tls closed'
	/** Accepts the connection, and never sends anything. */
	| 'tls silent'
	| 'certificate of a stranger'
	| 'certificate of another host'
	/** Resets each connection at the first byte received. */
	| 'reset on request';

/** One thing that goes wrong. */
export interface Fault {
	readonly group: string;
	readonly title: string;
	readonly truth: Truth;
	readonly known: Known;
	readonly ending: Ending;
	readonly place: Place;
	/** Whether it lasts until Timeout. */
	readonly lasts: boolean;
	/** How many requests it affects. */
	readonly times: number;
}

type More = Partial<Pick<Fault, 'place' | 'lasts' | 'times'>>;
type Row = readonly [title: string, truth: Truth, known: Known, ending?: Ending, more?: More];

export const json = { 'content-type': 'application/json; v=1.0' };
const html = { 'content-type': 'text/html' };
const gzip = { ...json, 'content-encoding': 'gzip' };
/** JSON that asks to come back at once. */
const soon = { ...json, 'retry-after': '0' };

/** A complete answer. */
export const answer = (
	status: number,
	body: Reply['body'] = '',
	headers: Reply['headers'] = json,
): Reply => ({
	...{ status, body, headers },
});
/** Raw bytes, and then the end. */
const bytes = (...parts: string[]): Ending => ({ parts, then: 'end' });
/** Raw bytes, and then silence. */
const says = (...parts: string[]): Ending => ({ parts, then: 'open' });
/** The second text again and again, until the client hangs up. */
const drips = (...parts: string[]): Ending => ({ parts, then: 'again' });

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json; v=1.0\r\n';
const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
const half = `${head}Content-Length: 100\r\n\r\n{"a":`;
const fine = `${head}Content-Length: 2\r\n\r\n{}`;
const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
const bigPage = `<p>${'x'.repeat(10 * 2 ** 20)}`;
const nginx = nginxPage(503, 'Service Temporarily Unavailable');

const problem = (status: number, headers: Reply['headers'] = json): Ending =>
	answer(status, JSON.stringify({ title: 'No', status, detail: `Because of ${status}.` }), headers);
/** Asks to come back later, after this many seconds. */
const later = (status: number, after: string): Ending => problem(status, { ...json, 'retry-after': after });

const lasts = { lasts: true };
const tls = { place: 'tls' } as const;
const at = (place: Place, more: More = {}): [Ending, More] => ['open', { place, ...more }];
const redirects = (codes: readonly number[], truth: Truth, known: Known): Row[] =>
	codes.map((code) => [`${code} to another address`, truth, known, answer(code, '', { location: TRAP })]);

const GROUPS: Readonly<Record<string, readonly Row[]>> = {
	'Before the request': [
		['Nothing listens at the address', 'unseen', 'unsent', ...at('closed port')],
		['https, but the service speaks http', 'unseen', 'unsent', ...at('tls at http')],
		['Closed while TLS is agreed on', 'unseen', 'unsent', ...at('tls closed')],
		['Silence while TLS is agreed on', 'unseen', 'unsent', ...at('tls silent', lasts)],
		['A certificate that nobody vouches for', 'unseen', 'unsent', ...at('certificate of a stranger')],
		['The certificate of another host', 'unseen', 'unsent', ...at('certificate of another host')],
	],
	'The connection breaks': [
		['Reset while the request comes', 'unclear', 'unknown', ...at('reset on request')],
		['Reset after the request', 'unclear', 'unknown', 'reset'],
		['Closed after the request', 'unclear', 'unknown', 'closed'],
		['TLS: reset after the request', 'unclear', 'unknown', 'reset', tls],
		['TLS: ended in order after the request', 'unclear', 'unknown', bytes(''), tls],
		['The answer ends within its headers', 'taken', 'unknown', bytes(head)],
		['The answer ends within its body', 'taken', 'unknown', bytes(half)],
		['The answer ends within a chunk', 'taken', 'unknown', bytes(`${chunked}20\r\n{"a":`)],
		['TLS: the answer ends within its body', 'taken', 'unknown', bytes(half), tls],
	],
	Slow: [
		['No answer', 'unclear', 'unknown', 'open', lasts],
		['Headers that drip for ever', 'taken', 'unknown', drips(head, 'X-More: 1\r\n'), lasts],
		['Headers, and then no body', 'taken', 'unknown', says(`${head}Content-Length: 2\r\n\r\n`), lasts],
		['A body that drips for ever', 'taken', 'unknown', drips(chunked, '1\r\n \r\n'), lasts],
		['A body in two parts', 'taken', 'done', bytes(fine.slice(0, -1), '', '', '}')],
	],
	'No proper answer': [
		['Something that is not HTTP', 'unclear', 'unknown', bytes('220 mail.example.com\r\n')],
		[
			'Two lengths of its body',
			'taken',
			'unknown',
			bytes(`${chunked.trimEnd()}\r\nContent-Length: 2\r\n\r\n`),
		],
		['More headers than fit', 'taken', 'unknown', bytes(`${head}X-More: ${'x'.repeat(1e5)}\r\n\r\n{}`)],
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
		['10 MB', 'taken', 'large', answer(200, `{}${' '.repeat(10 * 2 ** 20)}`)],
		['10 MB of a web page with status 502', 'unclear', 'unknown', answer(502, bigPage, html)],
	],
	'1xx before the answer': [
		['100, then 200', 'taken', 'done', bytes(`HTTP/1.1 100 Continue\r\n\r\n${fine}`)],
		['103, then 200', 'taken', 'done', bytes(`HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n${fine}`)],
		['100, then nothing', 'unclear', 'unknown', says('HTTP/1.1 100 Continue\r\n\r\n'), lasts],
		['101: another protocol', 'unclear', 'unknown', says(upgrade), lasts],
	],
	Redirects: [
		...redirects([301, 308], 'refused', 'rejected'),
		...redirects([302, 307], 'unclear', 'unknown'),
		...redirects([303], 'unclear', 'unknown, one try'),
		['304', 'unclear', 'unknown, one try', answer(304)],
	],
	'The service says no': [
		['422', 'refused', 'rejected', problem(422)],
		['{"success": false} with status 200', 'refused', 'rejected', answer(200, '{"success":false}')],
	],
	'The service fails': [
		['502', 'unclear', 'unknown', problem(502)],
		['501', 'unclear', 'unknown, one try', problem(501)],
	],
	'A gateway answers after the work': [
		[
			'503 of Varnish, Retry-After: 0',
			'taken',
			'unknown',
			answer(503, varnishPage(503, 'No'), { ...varnishHeaders, 'retry-after': '0' }),
		],
		['503 of nginx, as it also has for limit_req', 'unclear', 'unknown', answer(503, nginx, html)],
		['503 with JSON, Retry-After: 0', 'taken', 'unknown', answer(503, '{"message":"No"}', soon)],
		['503 without a body, Retry-After: 0', 'taken', 'unknown', answer(503, '', { 'retry-after': '0' })],
		...[404, 405, 410].flatMap((status): Row[] => [
			[`${status} with a page`, 'taken', 'unknown', answer(status, nginxPage(status, 'No'), html)],
			[`${status} without a body`, 'taken', 'unknown', answer(status, '', {})],
		]),
	],
	'A gateway passes nothing on': [
		['403: a page', 'refused', 'rejected', answer(403, '<!DOCTYPE html><title>403 No</title>', html)],
		['429 of nginx (limit_req_status)', 'refused', 'done later', answer(429, nginx, html), { times: 1 }],
	],
	'The service says "later"': [429, 503].flatMap((status): Row[] => [
		[`${status}`, 'refused', 'done later', later(status, '0'), { times: 1 }],
		[`${status}, each time`, 'refused', 'rejected: always later', later(status, '0')],
		[`${status}, Retry-After beyond Max Wait`, 'refused', 'unsent: later', later(status, '3600')],
	]),
};

/** All of them. */
export const FAULTS: readonly Fault[] = Object.entries(GROUPS).flatMap(([group, rows]) =>
	rows.map(([title, truth, known, ending = 'open', more]) => ({
		...{ group, title, truth, known, ending, place: 'http' as const, lasts: false, times: Infinity },
		...more,
	})),
);
