import { ask, serviceOf } from '../../../nodes/Messaging/service/connect.ts';
import { isFailure } from '../../../nodes/Messaging/service/endings.ts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';
import { TURN_MS } from '../../../nodes/Messaging/shared/turns.ts';

const other = 'acc_another-key-0123456789';

/** A channel as long as services list them: four kilobytes. */
const channel = (n: number): object => ({
	channelId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
	name: `Channel ${n}`,
	account: { accountId: 'x', organization: null },
	devices: [
		{ deviceId: 'd', description: 'x'.repeat(1800) },
		{ deviceId: 'e', description: 'x'.repeat(1800) },
	],
	parameters: { apiKey: other },
});

const body = JSON.stringify(Array.from({ length: 10_000 }, (_, n) => channel(n)));

afterEach(() => jest.restoreAllMocks());

test('ten thousand channels are read a little at a time, and the event loop turns in between', async () => {
	// Each look at the clock takes a whole turn: whoever looks lets the event loop turn.
	let [now, turns, longest] = [0, 0, 0];
	jest.spyOn(systemClock, 'now').mockImplementation(() => (now += TURN_MS));
	jest.spyOn(systemClock, 'sleep').mockImplementation(() => {
		turns += 1;
		return Promise.resolve();
	});
	const parse = JSON.parse.bind(JSON);
	jest.spyOn(JSON, 'parse').mockImplementation((text) => {
		longest = Math.max(longest, text.length);
		return parse(text) as unknown;
	});
	const headers = { 'content-type': 'application/json' };
	const service = serviceOf({ baseUrl: 'https://service.example', apiKey: 'acc_0123456789abcdef' }, () =>
		Promise.resolve({ statusCode: 200, headers, body }),
	);
	if (isFailure(service)) throw new Error(service.message);

	const answer = await ask(service, { method: 'GET', path: '/api/v1/Admin/Channel' }, { timeoutMs: 1000 });

	if (isFailure(answer)) throw new Error(answer.message);
	expect(answer.body).toHaveLength(10_000);
	expect(JSON.stringify(answer.body)).not.toContain(other);
	expect(longest).toBeLessThan(2 * 1024 * 1024);
	expect(turns).toBeGreaterThan(10_000);
});
