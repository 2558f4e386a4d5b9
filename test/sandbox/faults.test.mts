import { request } from 'undici';
import type { FaultRule, LoggedRequest } from '../../dev/sandbox/types.mts';
import { eventually } from '../waiting.mts';
import { packageFor, useWorld } from './world.mts';

const world = useWorld();

const sendPath = '/api/v1/message/SendMessage';

interface Outcome {
	status?: number;
	text?: string;
	/** The error with which the connection broke. */
	broken?: string;
}

async function send(text = 'Hello', timeoutMs = 5000): Promise<Outcome> {
	try {
		const response = await request(world.sandbox.url + sendPath, {
			method: 'POST',
			headers: { 'x-api-key': world.sandbox.tokens.org, 'content-type': 'application/json; v=1.0' },
			body: JSON.stringify(packageFor(world.channelId('Support E-mail'), text)),
			signal: AbortSignal.timeout(timeoutMs),
		});
		return { status: response.statusCode, text: await response.body.text() };
	} catch (error) {
		return { broken: String(error) };
	}
}

/** The number of accepted messages, and the last request once its connection is closed. */
async function effect(): Promise<{ messages: number; last: LoggedRequest | undefined }> {
	const last = async () => (await world.client.requests()).at(-1);
	await eventually(async () => (await last())?.inFlightMs !== null, 'the end of the request');
	return { messages: (await world.client.state()).messages.length, last: await last() };
}

test.each<[FaultRule['kind'], number, string, Partial<LoggedRequest>]>([
	['reset', 0, 'ECONNRESET', { accepted: false, clientClosed: false }],
	['hang', 0, 'Timeout', { accepted: false, clientClosed: true }],
	['lostResponse', 1, 'other side closed', { accepted: true, clientClosed: false }],
	// Half of the body arrives.
	['truncate', 1, 'other side closed', { accepted: true }],
])('after "%s" %i messages are stored, and the client sees: %s', async (kind, messages, broken, logged) => {
	await world.client.setFaults([{ kind }]);
	expect(await send('Hello', kind === 'hang' ? 150 : 5000)).toEqual({
		broken: expect.stringContaining(broken),
	});
	expect(await effect()).toMatchObject({ messages, last: { ...logged, fault: kind, status: null } });
});

async function statuses(count: number, text: (index: number) => string = () => 'Hello'): Promise<number[]> {
	const seen: number[] = [];
	for (let index = 0; index < count; index++) {
		seen.push((await send(text(index))).status ?? 0);
	}
	return seen;
}

test('skip, every and times choose among the matches', async () => {
	await world.client.setFaults([{ kind: 'status', status: 500, skip: 1, every: 2, times: 2 }]);
	expect(await statuses(8)).toEqual([200, 200, 500, 200, 500, 200, 200, 200]);
	expect(await world.client.faults()).toMatchObject([{ matched: 8, applied: 2 }]);
});
