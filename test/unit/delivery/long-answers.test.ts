import type { IDataObject, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';

import { deliver } from '../../../nodes/Messaging/delivery/deliver.ts';
import { Questions } from '../../../nodes/Messaging/delivery/questions.ts';
import { Results } from '../../../nodes/Messaging/delivery/report/results.ts';
import { channelWithParameters } from '../../../nodes/Messaging/editor/channels.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { systemClock } from '../../../nodes/Messaging/time/clock.ts';
import { TURN_MS } from '../../../nodes/Messaging/time/turns.ts';
import { poll, pollSample } from '../../../nodes/Messaging/watch/poll.ts';
import { cases, type OperationId } from '../../cases/index.ts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.ts';
import { operationUnderTest } from '../support/operations.ts';
import { idOf, record } from '../watch/watching.ts';

let turns = 0;

// Each look at the clock takes a whole turn: whoever looks lets the event loop turn.
beforeEach(() => {
	let now = 0;
	turns = 0;
	jest.spyOn(systemClock, 'now').mockImplementation(() => (now += TURN_MS));
	jest.spyOn(systemClock, 'sleep').mockImplementation(() => {
		turns += 1;
		return Promise.resolve();
	});
});
afterEach(() => jest.restoreAllMocks());

/** How often the event loop turned while something was done. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
	const before = turns;
	await work();
	return turns - before;
}

/** What a trigger gets whose service answers so. */
function triggerContext(body: string, given: IDataObject): IPollFunctions {
	const getNodeParameter = (name: string, fallback: unknown) => given[name] ?? fallback;
	const { context } = fakeN8n(jsonResponse(body));
	return { ...context, getNodeParameter } as unknown as IPollFunctions;
}

const polled = async (body: string, given: IDataObject = {}) => await poll(triggerContext(body, given), true);

/** What an operation gives whose service answers so. */
async function run(id: OperationId, body: string, given: IDataObject = {}) {
	const [resource, name] = id.split('.');
	const parameters = { ...(cases[id].least.given as IDataObject), ...given };
	const { context } = fakeN8n(jsonResponse(body), { parameters });
	const [items = []] = await deliver(context, findOperation(resource, name));
	return items.map(({ json }) => json);
}

const many = 4_000;
const list = JSON.stringify(Array.from({ length: many }, (_, n) => record(n)));

test('the records of a long list leave the node in turns', async () => {
	const one = await turnsOf(async () => {
		expect(await run('channel.getAll', list, { limit: 1 })).toHaveLength(1);
	});
	const all = await turnsOf(async () => {
		expect(await run('channel.getAll', list, { returnAll: true })).toHaveLength(many);
	});
	// One look for 50 records that are made, and one for 500 that are handed on.
	expect(all - one).toBeGreaterThanOrEqual(many / 50);
});

test('long output is put together in turns', async () => {
	const results = new Results(1);
	results.succeed(
		[0],
		Array.from({ length: many }, (_, n) => ({ n })),
	);
	expect(await turnsOf(async () => await results.items())).toBeGreaterThanOrEqual(many / 500);
});

test('a long list that completes items is read in turns, once for all of them', async () => {
	const requeue = operationUnderTest('outbox.requeue');
	const body = JSON.parse(list) as unknown;
	const questions = new Questions(requeue.operation, () =>
		Promise.resolve({ status: 200, headers: {}, body }),
	);
	const completed = async () =>
		expect(await questions.completed(requeue.compile({ organizationId: '' }))).toHaveProperty(
			'outcome',
			'unsent',
		);
	expect(await turnsOf(completed)).toBeGreaterThanOrEqual((2 * many) / 500);
	expect(await turnsOf(completed)).toBe(0);
});

test('many changes leave the trigger in turns', async () => {
	const watching = async (firstPoll: string) =>
		await polled(list, { events: ['channelCreated'], options: { firstPoll } });
	const none = await turnsOf(async () => expect(await watching('remember')).toBeNull());
	const all = await turnsOf(async () => expect((await watching('report'))?.[0]).toHaveLength(many));
	expect(all - none).toBeGreaterThanOrEqual(many);
});

describe('a message that was taken is sent, whatever the answer is', () => {
	const million = 1_000_000;
	test.each<[kind: string, body: string]>([
		['a hundred thousand fields', `{${Array.from({ length: 100_000 }, (_, n) => `"f${n}":1`).join(',')}}`],
		['a token without an end', JSON.stringify({ note: `X-API-KEY: acc_${'a'.repeat(3 * million)}` })],
		['a token in a field without an end', JSON.stringify({ apiKey: 'a'.repeat(3 * million) })],
		['millions of backslashes', JSON.stringify({ note: '\\'.repeat(3 * million) })],
		['levels without an end', '['.repeat(million)],
		['a name without an end', JSON.stringify({ [`${'x'.repeat(million)}`]: 1 })],
	])('%s', async (_kind, body) => {
		const [item = {}] = await run('message.send', body);
		expect(item.error).toBeUndefined();
		expect(typeof item.packageId).toBe('string');
		expect(JSON.stringify(item)).not.toContain('aaaaaaaaaaaaaaaaaaaa');
	});
});

describe('a key at the end of a long answer is masked before anybody gets the answer', () => {
	const other = 'acc_another-key-0123456789';
	const named = JSON.stringify([
		...(JSON.parse(list) as object[]),
		record(many, { name: `curl -H "X-API-KEY: ${other}"` }),
	]);
	const filler = Array.from({ length: 50_000 }, (_, n) => n);
	const set = JSON.stringify([record(1, { parameters: { filler, apiKey: other } })]);
	const form = async () =>
		await channelWithParameters(
			fakeN8n(jsonResponse(set)).context as unknown as ILoadOptionsFunctions,
			idOf(1),
		);
	const long = JSON.stringify([record(1, { name: `${'x'.repeat(100_000)} X-API-KEY: ${other}` })]);
	const sample = async () => await pollSample(triggerContext(long, { events: ['channelCreated'] }));

	test.each<[where: string, got: () => Promise<unknown>]>([
		['results', async () => await run('channel.getAll', named, { returnAll: true })],
		['what the trigger tells of', sample],
		['the form of a channel', form],
	])('%s', async (_where, got) => {
		const text = JSON.stringify(await got());
		expect(text).not.toContain(other);
		expect(text).toContain('6789');
	});
});

test('what was asked for and can not be read is no empty list', async () => {
	const deep = '['.repeat(1000) + ']'.repeat(1000);
	const wide = `[{${Array.from({ length: 100_000 }, (_, n) => `"f${n}":1`).join(',')}}]`;
	for (const body of [deep, wide]) {
		const items = await run('channel.getAll', body);
		expect(items).toMatchObject([{ error: { outcome: 'rejected', statusCode: 200 } }]);
		await expect(polled(body)).rejects.toThrow('nobody can read');
	}
});
