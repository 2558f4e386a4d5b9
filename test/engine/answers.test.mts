/** Answers that are too large, or still arriving when the execution is stopped. */
import { gzipSync } from 'node:zlib';

import { serve } from '../serve.mts';
import { eventually, endsSoon } from '../waiting.mts';
import { errorOf, useLab } from './lab.mts';

const lab = useLab();
const json = { 'content-type': 'application/json; v=1.0' };
const onError = 'continueRegularOutput';

/** Serves this answer to everything but `/Me`, and returns a credential for it. */
async function answering(headers: Record<string, string>, body: Buffer) {
	const { url: baseUrl } = await serve((request, response) => {
		const isMe = request.url === '/api/v1/Me';
		request.resume().on('end', () => response.writeHead(200, isMe ? json : headers).end(isMe ? '{}' : body));
	});
	return { ...lab.credential, baseUrl };
}

const send = () => lab.send({ maxTries: 1 }, { toEmail: 'ada@example.com', text: 'Hello' });
const getAll = { resource: 'channel', operation: 'getAll', returnAll: true, options: { maxTries: 1 } };

test.each([
	['to a message', 'unknown', send, 'larger than 1 MB'],
	['with a list', 'rejected', () => getAll, 'larger than 64 MB'],
])('an answer %s of 100 KB that unpack to 100 MB is not read: %s', async (_to, outcome, call, message) => {
	const bomb = gzipSync(Buffer.alloc(100 * 2 ** 20, ' '), { level: 9 });
	const credential = await answering({ ...json, 'content-encoding': 'gzip' }, bomb);
	const run = await lab.execute(call(), { credential, settings: { onError } });
	const error = errorOf(run.main[0]?.[0]);
	expect(error).toMatchObject({ outcome, message: expect.stringContaining(message) as string });
});

test('millions of empty objects, which would take up the memory, are not read, wherever they are', async () => {
	const records = gzipSync(`[{"more":[${'{},'.repeat(2_000_000)}{}]}]`, { level: 1 });
	const credential = await answering({ ...json, 'content-encoding': 'gzip' }, records);
	const run = await lab.execute(getAll, { credential, settings: { onError } });
	expect(errorOf(run.main[0]?.[0])).toMatchObject({
		outcome: 'rejected',
		message: expect.stringContaining('million') as string,
	});
});

test('an execution that is stopped while an answer arrives ends at once, and closes the connection', async () => {
	let open = 0;
	const { url: baseUrl } = await serve((request, response) => {
		request.resume();
		response.writeHead(200, json);
		if (request.url === '/api/v1/Me') return void response.end('{}');
		response.write('{"messageId":');
		open += 1;
		response.on('close', () => (open -= 1));
	});
	const { finished, cancel } = lab.start(send(), { credential: { ...lab.credential, baseUrl } });
	await eventually(async () => open === 1, 'a request');
	await cancel();
	expect((await endsSoon(finished, 'The execution')).status).toBe('canceled');
	await eventually(async () => open === 0, 'the end of the connection');
});
