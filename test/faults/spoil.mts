/** What the table of faults is written with: what the service can do to an answer. */
import { varnishHeaders, varnishPage } from '../cases/answers.mts';
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
/** Asks to come back later, after this many seconds. */
export const later = (status: number, retryAfter: string): Fault['spoil'] =>
	answer(status, problem(status), { ...json, 'retry-after': retryAfter });

/** What Varnish writes in place of an answer, with the advice to come back at once. */
export const varnish = (status: number): Fault['spoil'] =>
	answer(status, varnishPage(status, 'No'), { ...varnishHeaders, 'retry-after': '0' });

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
export const reset = ({ raw }: Exchange): void => void raw.resetAndDestroy();

/** Nothing is sent. */
export const unsent = (title: string, place: Place, given: Given = {}): Row => {
	return [title, 'unseen', 'unsent', nothing, { place, ...given }];
};

export const redirects = (codes: readonly number[], truth: Truth, ends: Ending): Row[] =>
	codes.map((code) => {
		const spoil = (exchange: Exchange): void => answer(code, '', { location: exchange.trap })(exchange);
		return [`${code} to another address`, truth, ends, spoil];
	});
