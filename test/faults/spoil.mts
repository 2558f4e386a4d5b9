/** What the table of faults is written with: what the service can do to an answer. */
import { SAMPLES, varnishHeaders } from '../cases/answers.mts';
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

export type Given = Partial<Pick<Fault, 'place' | 'lasts' | 'times'>>;

export type Row = readonly [title: string, truth: Truth, ends: Ending, spoil: Fault['spoil'], given?: Given];

export const json = { 'content-type': 'application/json; v=1.0' };

/** A complete answer in time. */
export const answer =
	(status: number, body: string | Buffer = '', headers: Record<string, string> = json) =>
	({ response }: Exchange): void =>
		void response.writeHead(status, headers).end(body);

/** Writes raw bytes to the connection and leaves it open. */
export const says =
	(bytes: string) =>
	({ socket }: Exchange): void =>
		void socket.write(bytes);

/** Writes raw bytes to the connection and ends it. */
export const saysAndEnds =
	(bytes: string) =>
	({ socket }: Exchange): void =>
		void socket.end(bytes);

/** Writes the same bytes repeatedly until the client hangs up. */
export const drips =
	(first: string, again: string) =>
	({ socket }: Exchange): void => {
		socket.write(first);
		const drip = setInterval(() => socket.write(again), 50);
		socket.on('close', () => clearInterval(drip));
	};

/** Writes the body in two parts, with a pause between. */
export const inParts = ({ response }: Exchange): void => {
	response.writeHead(200, json).write('{');
	setTimeout(() => response.end('}'), 200);
};

export const bigPage = `<p>${'x'.repeat(10 * 2 ** 20)}`;
export const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json; v=1.0\r\n';
export const problem = (status: number): string =>
	JSON.stringify({ title: 'No', status, detail: `Because of ${status}.` });
export const later = (status: number, headers: Record<string, string>): Fault['spoil'] =>
	answer(status, problem(status), { ...json, ...headers });

export const inOneSecond = (from: number): string => new Date(from + 1000).toUTCString();
export const year = 365 * 86_400_000;
/** A service whose clock is off by this much, with a Retry-After date one second ahead by that clock. */
export const skewed =
	(ms: number) =>
	(exchange: Exchange): void => {
		const there = Date.now() + ms;
		const date = new Date(there).toUTCString();
		later(429, { date, 'retry-after': inOneSecond(there) })(exchange);
	};

/** The client runs into it before the service can do anything. */
export const nothing = (): void => {};
export const gzip = { ...json, 'content-encoding': 'gzip' };
export const html = { 'content-type': 'text/html' };
export const lasts = { lasts: true };
export const tls = { place: 'tls' } as const;
export const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
export const half = `${head}Content-Length: 100\r\n\r\n{"a":`;
export const fine = `${head}Content-Length: 2\r\n\r\n{}`;
export const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
/** No 409: it can mean that the service has the message already. */
export const refusals = [400, 401, 403, 404, 408, 413, 422, 425, 451];
export const reset = ({ raw }: Exchange): void => void raw.resetAndDestroy();

/** Nothing is sent. */
export const unsent = (title: string, place: Place, given: Given = {}): Row => {
	return [title, 'unseen', 'unsent', nothing, { place, ...given }];
};

export const statuses = (codes: readonly number[], truth: Truth, ends: Ending): Row[] =>
	codes.map((code) => [`${code}`, truth, ends, answer(code, problem(code))]);

/** Refused inside a 2xx. */
export const refused = (title: string, body: string, headers = json): Row => {
	return [title, 'refused', 'rejected', answer(200, body, headers)];
};

export const redirects = (codes: readonly number[], truth: Truth, ends: Ending): Row[] =>
	codes.map((code) => {
		const spoil = (exchange: Exchange): void => answer(code, '', { location: exchange.trap })(exchange);
		return [`${code} to another address`, truth, ends, spoil];
	});

/** Told once to come back later. */
export const throttled = (
	title: string,
	headers: Record<string, string>,
	ends: Ending,
	given: Given = {},
): Row => {
	const spoil = later(title.startsWith('503') ? 503 : 429, headers);
	return [title, 'refused', ends, spoil, { times: 1, ...given }];
};

/** Turned away once by what stands in front of the service. */
export const turnedAway = (title: string, status: number, body: string, headers = html): Row => [
	title,
	'refused',
	'done later',
	answer(status, body, headers),
	{ times: 1 },
];

export const page = (status: number): string => `<!DOCTYPE html><title>${status} No</title><p>A page`;
export const atOnce = { 'retry-after': '0' };
export const htmlAtOnce = { ...html, ...atOnce };
export const varnishAtOnce = { ...varnishHeaders, ...atOnce };
export const envoy =
	'upstream connect error or disconnect/reset before headers. reset reason: connection termination';
export const textOf = (who: string): string => String(SAMPLES[who]?.[0]?.body);
export const haproxy = textOf('HAProxy: "No server is available to handle this request."');
export const httpSys = textOf('http.sys (IIS): "HTTP Error 503. The service is unavailable."');
export const inUnixTime = (seconds: number): string => `${Math.ceil(Date.now() / 1000) + seconds}`;
