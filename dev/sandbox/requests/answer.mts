import type { ServerResponse } from 'node:http';

/** An answer as it goes over the wire. */
export interface Reply {
	status: number;
	contentType: string;
	headers: Record<string, string>;
	/** Empty means no body and no content type. */
	text: string;
}

/** Sends the whole answer. */
export function answerFully(response: ServerResponse, reply: Reply): void {
	response.writeHead(reply.status, headersOf(reply, reply.text));
	response.end(reply.text);
}

/** Announces the whole body, sends half of it and hangs up. */
export function answerWithHalf(response: ServerResponse, reply: Reply): void {
	if (response.destroyed) return;
	// An empty body can't be cut: announce a body that never comes.
	const whole = Buffer.from(reply.text === '' ? '{}' : reply.text);
	response.writeHead(reply.status, { ...headersOf(reply, '{}'), 'content-length': whole.byteLength });
	response.write(whole.subarray(0, Math.floor(whole.byteLength / 2)), () => response.destroy());
}

/** Resets the connection without an answer. */
export function reset(response: ServerResponse): void {
	if (response.socket === null) response.destroy();
	else response.socket.resetAndDestroy();
}

/** Closes the connection without an answer. */
export function hangUp(response: ServerResponse): void {
	response.destroy();
}

function headersOf(reply: Reply, text: string): Record<string, string | number> {
	const bodyless = reply.status === 204 || reply.status === 304;
	const body = bodyless ? {} : { 'content-length': Buffer.byteLength(text) };
	return { ...(text === '' ? {} : { 'content-type': reply.contentType }), ...body, ...reply.headers };
}
