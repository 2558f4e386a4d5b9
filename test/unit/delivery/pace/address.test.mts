/** A wrong address is found before anything is sent to it. */
import { makeCall } from '../../../../nodes/Messaging/delivery/call.ts';
import { type Failure, isFailure } from '../../../../nodes/Messaging/service/endings.ts';
import { FakeClock } from '../fake-clock.mts';
import { environment, SEND, sendAll, STANDARD } from '../run.mts';
import { FailingService, tally, type Treatment } from './failing-service.mts';

const DAY_MS = 86_400_000;
const page = (status: number): Treatment => ({ status, page: `<html><title>${status}</title>` });
const empty = (status: number): Treatment => ({ status, page: '' });

/** A service whose /Me and whose sends are treated so, and runs of a process that send to it. */
function processWith(me: Treatment | (() => Treatment), send: Treatment = 200) {
	const clock = new FakeClock();
	const meNow = typeof me === 'function' ? me : () => me;
	const service = new FailingService(clock, ({ isMe }) => (isMe ? meNow() : send));
	const { gate } = environment(clock, service);
	const begin = (count: number) => sendAll(environment(clock, service, { gate }), count);
	const run = async (count: number) => await clock.until(begin(count));
	return { clock, service, gate, run };
}

describe('GET /Me is asked', () => {
	test('once, before the first call that changes something, however many runs follow', async () => {
		const { clock, service, run } = processWith(200);
		await run(1);
		expect(service.asked[0]).toBeLessThan(service.sent[0]!);
		for (let n = 0; n < 5; n++) await run(1);
		await clock.pass(DAY_MS - 60_000);
		await run(1);
		expect(service.asked).toHaveLength(1);
		await clock.pass(60_000);
		await run(1);
		expect(service.asked).toHaveLength(2);
	});

	test('not by calls that read', async () => {
		const { clock, service, gate } = processWith(page(404));
		const env = environment(clock, service, { gate });
		const read = makeCall(env, { method: 'GET', path: '/api/v1/Admin/Channel' }, STANDARD);
		expect(isFailure(await clock.until(read))).toBe(false);
		expect(service.asked).toHaveLength(0);
	});

	test('and a call that comes while it is asked waits for the same answer', async () => {
		const { clock, service, gate } = processWith(page(404));
		const env = environment(clock, service, { gate });
		const both = Promise.all([
			makeCall(env, SEND, STANDARD),
			sendAll(environment(clock, service, { gate }), 3),
		]);
		await clock.until(both);
		expect([service.asked.length, service.sent.length]).toEqual([1, 0]);
	});
});

describe.each([301, 302, 303, 307, 308, 404, 405, 410])('%i without JSON from /Me', (status) => {
	test.each([page(status), empty(status)])('nothing is sent: %j', async (me) => {
		const { service, run } = processWith(me);
		const ends = await run(50);
		expect(tally(ends)).toEqual({ unsent: 50 });
		expect(service.sent).toHaveLength(0);
		const { message, description, statusCode } = ends[0] as Failure;
		expect(statusCode).toBe(status);
		expect(message).toMatch(/not sent.*Base URL/);
		expect(description).toMatch(/Base URL/);
	});

	test('the next run asks again at once, and sends if this is the service', async () => {
		let me: Treatment = page(status);
		const { clock, service, run } = processWith(() => me);
		for (let n = 0; n < 4; n++) await run(2);
		expect(clock.now()).toBeLessThan(1000);
		me = 200;
		expect(tally(await run(50))).toEqual({ done: 50 });
		expect(service.asked).toHaveLength(5);
	});

	test('with JSON it is the service, whatever it says', async () => {
		const { run } = processWith(status);
		expect(tally(await run(20))).toEqual({ done: 20 });
	});
});

test.each<Treatment>([
	page(200),
	page(403),
	page(500),
	page(502),
	empty(500),
	empty(204),
	500,
	401,
	'reset',
	'hang',
])('any other answer to /Me lets calls leave, and their own answers decide: %j', async (me) => {
	const { run } = processWith(me);
	expect(tally(await run(20))).toEqual({ done: 20 });
});

test('a service that answers with text alone takes as many calls at once as any other', async () => {
	const { clock, service, run } = processWith(page(500), { status: 202, page: 'Accepted' });
	await run(100);
	expect(service.mostInFlight).toBeGreaterThanOrEqual(8);
	expect(clock.now()).toBeLessThan(1000);
});

test('an empty answer to /Me does not end an outage', async () => {
	let isDown = false;
	const clock = new FakeClock();
	const service = new FailingService(clock, ({ isMe }) => {
		if (!isDown) return 200;
		return isMe ? empty(200) : 502;
	});
	const { gate } = environment(clock, service);
	const begin = (count: number) =>
		sendAll(environment(clock, service, { gate }), count, { channelOf: (item) => `channel ${item % 10}` });
	await clock.until(begin(1));
	isDown = true;
	const ends = begin(200);
	await clock.pass(5000);
	// Eight of each channel were in flight when it began.
	expect(service.sent.length).toBeLessThan(90);
	isDown = false;
	const { done = 0, unknown = 0 } = tally(await clock.until(ends));
	expect(done + unknown).toBe(200);
});

describe('an empty 2xx', () => {
	test.each<Treatment>([empty(200), empty(204), page(500), page(403)])(
		'where nothing has shown that this is the service: calls in flight are in doubt, the rest is not sent (/Me: %j)',
		async (me) => {
			const { run } = processWith(me, empty(200));
			for (let n = 1; n <= 3; n++) {
				const ends = await run(100);
				const { unknown = 0, unsent } = tally(ends);
				expect([1, 8]).toContain(unknown);
				expect(unsent).toBe(100 - unknown);
				expect((ends[0] as Failure).description).toMatch(/Base URL/);
				expect((ends[99] as Failure).description).not.toMatch(/may have processed/);
			}
		},
	);

	test('is done where /Me has given JSON', async () => {
		const { run } = processWith(200, empty(202));
		expect(tally(await run(100))).toEqual({ done: 100 });
	});

	test('is done where any call has given JSON', async () => {
		const { clock, service, gate } = processWith(empty(200), empty(200));
		const first = new FailingService(clock, () => 200);
		const env = environment(clock, { id: service.id, request: first.request.bind(first) }, { gate });
		await clock.until(sendAll(env, 1));
		expect(tally(await clock.until(sendAll(environment(clock, service, { gate }), 10)))).toEqual({
			done: 10,
		});
	});
});

describe('an address that has proven right', () => {
	test('is not given up for a page of a gateway: the call is in doubt, and the rest waits', async () => {
		let isDown = false;
		const clock = new FakeClock();
		const service = new FailingService(clock, () => (isDown ? page(404) : 200));
		const { gate } = environment(clock, service);
		await clock.until(sendAll(environment(clock, service, { gate }), 1));
		isDown = true;
		const ends = clock.until(sendAll(environment(clock, service, { gate }), 300));
		await clock.pass(5000);
		isDown = false;
		const { done = 0, unknown = 0, ...others } = tally(await ends);
		expect(others).toEqual({});
		expect(done + unknown).toBe(300);
		expect(unknown).toBeLessThanOrEqual(16);
	});
});
