/** Everything that can go wrong with one request, and its real outcome at the service. */
import { gzipSync } from 'node:zlib';
import { nginxPage } from '../cases/answers.mts';
import {
	answer,
	bigPage,
	chunked,
	drips,
	fine,
	gzip,
	half,
	head,
	html,
	inParts,
	json,
	lasts,
	later,
	nothing,
	problem,
	redirects,
	reset,
	says,
	saysAndEnds,
	tls,
	unsent,
	upgrade,
	varnish,
	type Fault,
	type Row,
} from './spoil.mts';

export type { Ending, Fault, Truth } from './spoil.mts';

/** JSON that asks to come back at once. */
const soon = { ...json, 'retry-after': '0' };
const nginx = nginxPage(503, 'Service Temporarily Unavailable');

const groups: Readonly<Record<string, readonly Row[]>> = {
	'Before the request': [
		unsent('Nothing listens at the address', 'closed port'),
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
		...redirects([301, 308], 'refused', 'rejected'),
		...redirects([302, 307], 'unclear', 'unknown'),
		...redirects([303], 'unclear', 'unknown, one try'),
		['304', 'unclear', 'unknown, one try', answer(304)],
	],
	'The service says no': [
		['422', 'refused', 'rejected', answer(422, problem(422), json)],
		['{"success": false} with status 200', 'refused', 'rejected', answer(200, '{"success":false}')],
	],
	'The service fails': [
		['502', 'unclear', 'unknown', answer(502, problem(502))],
		['501', 'unclear', 'unknown, one try', answer(501, problem(501))],
	],
	'A gateway answers after the work': [
		['503 of Varnish, Retry-After: 0', 'taken', 'unknown', varnish(503)],
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
export const faults: readonly Fault[] = Object.entries(groups).flatMap(([group, rows]) =>
	rows.map(([title, truth, ends, spoil, given]) => ({
		...{ group, title, truth, ends, spoil, place: 'http' as const, lasts: false, times: Infinity },
		...given,
	})),
);
