import type { IN8nHttpFullResponse } from 'n8n-workflow';

import { type FullResponse, readTransportError, responseIn, type Socket } from './transport';

/** A response that has arrived completely. */
export interface Received {
	status: number;
	/** Names in lower case. */
	headers: Record<string, string>;
	text: string;
}

/** A body that is still arriving: Node's stream. `socket`: unless something stands between it and the network. */
type Arriving = Extract<IN8nHttpFullResponse['body'], AsyncIterable<unknown>> & { socket?: Socket | null };

/** How many objects and lists an answer may have. Empty ones take up hardly anything on the way, and much in memory. */
export const MOST_RECORDS = 1_000_000;

/** The answer is larger than the limit. Its connection is closed. */
export class TooLarge extends Error {}

/** A proxy answered in place of opening a tunnel to the service. Nothing was sent. */
export class NoTunnel extends Error {
	/** @param status of the proxy's answer */
	constructor(readonly status: number) {
		super('The proxy opened no tunnel');
	}
}

/**
 * Waits for a response to arrive completely, and reads its text in the charset that it names.
 *
 * @param isSecured whether the request is one over https
 * @param mostBytes the limit of its size, unpacked
 * @param signal stops it: n8n stops only what it returns, not the body of an answer that it throws
 * @throws NoTunnel, TooLarge, or the errors of n8n
 */
export async function receive(
	sending: Promise<FullResponse>,
	isSecured: boolean,
	mostBytes: number,
	signal: AbortSignal,
): Promise<Received> {
	const { statusCode: status, headers: sent, body, request } = await sending.catch(responseIn);
	const entries = Object.entries(sent).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
	const headers: Record<string, string> = Object.fromEntries(entries);
	if (isSecured && isFromProxy(request?.socket ?? (body as Partial<Arriving> | null)?.socket)) {
		if (isArriving(body)) body.destroy();
		throw new NoTunnel(status);
	}
	// It is no stream where n8n answers in place of the service.
	if (!isArriving(body)) {
		const content = body ?? '';
		return { status, headers, text: typeof content === 'string' ? content : JSON.stringify(content) };
	}
	signal.addEventListener('abort', () => body.destroy());
	if (signal.aborted) body.destroy();
	return { status, headers, text: UTF8.decode(await bytesOf(body, mostBytes)) };
}

/** Whether a body is still arriving. */
function isArriving(body: unknown): body is Arriving {
	return typeof body === 'object' && body !== null && 'destroy' in body;
}

/**
 * Whether an answer to an https request came from a proxy that opened no tunnel: over a connection that is not encrypted,
 * and to which no byte of the request was handed.
 */
function isFromProxy(socket: Socket | null | undefined): boolean {
	return socket?.encrypted !== true && socket?._bytesDispatched === 0;
}

async function bytesOf(body: Arriving, mostBytes: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	let records = 0;
	const isTooLarge = (): boolean => bytes > mostBytes || records > MOST_RECORDS;
	// Listeners cost less than `for await`.
	const arriving = new Promise<void>((resolve, reject) => {
		if (body.destroyed) reject(body.errored);
		body.on('data', (chunk: Buffer) => {
			bytes += chunk.length;
			// Counts each "{" and "[", also those in texts.
			for (const byte of chunk) if (byte === 0x7b || byte === 0x5b) records += 1;
			if (!isTooLarge()) chunks.push(chunk);
			else {
				reject();
				body.destroy();
			}
		});
		body.on('end', resolve).on('error', reject).on('close', reject);
	});
	await arriving.catch((error: unknown) => {
		if (isTooLarge()) throw new TooLarge();
		// The answer had begun, so the request was sent, whatever the error says about the connection.
		throw Object.assign(new Error('The answer broke off'), { code: readTransportError(error).code });
	});
	return Buffer.concat(chunks);
}

const UTF8 = new TextDecoder();

/** The time limit for some work has passed. */
export class TimeUp extends Error {
	/** @param work the work that was given up; it may still end */
	constructor(readonly work: Promise<unknown>) {
		super('The time is up');
	}
}

/**
 * Runs work with a time limit, and throws TimeUp if it takes longer. n8n's own timeout is not enough: it does not fire
 * while a body keeps arriving, however slowly. The timer does not keep the process alive.
 *
 * @param work gets a signal that fires when the time is up or the execution is cancelled
 * @param cancelled fires when the execution is cancelled
 */
export async function inTime<T>(
	ms: number,
	work: (signal: AbortSignal) => Promise<T>,
	cancelled?: AbortSignal,
): Promise<T> {
	const time = AbortSignal.timeout(ms);
	const stopper = new AbortController();
	const stop = (): void => stopper.abort();
	if (cancelled?.aborted === true) stop();
	cancelled?.addEventListener('abort', stop);
	const working = work(stopper.signal);
	let onTimeUp = stop;
	const timeUp = new Promise<never>((_, reject) => {
		onTimeUp = () => {
			stop();
			reject(new TimeUp(working));
		};
	});
	time.addEventListener('abort', onTimeUp);
	try {
		return await Promise.race([working, timeUp]);
	} finally {
		time.removeEventListener('abort', onTimeUp);
		cancelled?.removeEventListener('abort', stop);
	}
}
