/**
 * Gateways that show no limit and name no time: the gate has to find it. They tell it with 503, which leaves a call in doubt
 * each time, or with 429.
 */
import type { ApiCall } from '../../../../nodes/Messaging/service/api-call.ts';
import type { Service } from '../../../../nodes/Messaging/service/connect.ts';
import { ME } from '../../../../nodes/Messaging/service/plan.ts';
import type { Reply } from '../../../../nodes/Messaging/service/reply.ts';
import { nginxPage } from '../../../cases/answers.mts';
import { FakeClock } from '../fake-clock.mts';
import { environment, sendAll } from '../run.mts';
import { during, FailingService, tally } from './failing-service.mts';

const UNAVAILABLE: Reply = {
	status: 503,
	headers: { 'content-type': 'text/html' },
	body: nginxPage(503, 'Service Temporarily Unavailable'),
};
const TOO_MANY: Reply = { status: 429, headers: { 'retry-after': '0' }, body: 'Too Many Requests' };

/** A limit: how long a request waits before it is passed on; `undefined` if it is refused. `ended` when it is answered. */
interface Limit {
	enter(now: number): number | undefined;
	ended?(): void;
}

/** nginx `limit_req`: so many a second, and so many more at once, which wait unless it says `nodelay`. */
function requests(perSecond: number, burst: number, nodelay: boolean): Limit {
	let excess = 0;
	let last = -Infinity;
	return {
		enter(now) {
			const left = Math.max(0, excess - ((now - last) * perSecond) / 1000);
			if (left > burst) return undefined;
			excess = left + 1;
			last = now;
			return nodelay ? 0 : (left * 1000) / perSecond;
		},
	};
}

/** nginx `limit_conn`: so many at once. */
function connections(most: number): Limit {
	let open = 0;
	return {
		enter: () => (open >= most ? undefined : (open++, 0)),
		ended: () => void open--,
	};
}

/** A service behind such a limit, whose /Me shows no plan. */
class LimitedService implements Service {
	readonly id = 'limited';
	refused = 0;

	constructor(
		private readonly clock: FakeClock,
		private readonly limit: Limit,
		private readonly latencyMs: number,
		private readonly refusal: Reply,
	) {}

	async request({ path }: ApiCall): Promise<Reply> {
		await this.clock.sleep(this.latencyMs / 2);
		const waitMs = this.limit.enter(this.clock.now());
		await this.clock.sleep((waitMs ?? 0) + this.latencyMs / 2);
		if (waitMs === undefined) {
			this.refused += 1;
			return this.refusal;
		}
		this.limit.ended?.();
		return { status: 200, headers: {}, body: path === ME.path ? { type: 'account' } : {} };
	}
}

async function sendBehind(limit: Limit, count: number, latencyMs: number, refusal = UNAVAILABLE) {
	const clock = new FakeClock();
	const service = new LimitedService(clock, limit, latencyMs, refusal);
	const { done = 0, unknown = 0 } = tally(await clock.until(sendAll(environment(clock, service), count)));
	return { done, unknown, refused: service.refused, seconds: clock.now() / 1000 };
}

test.each<[count: number, perSecond: number, burst: number, nodelay: boolean, most: number]>([
	[300, 10, 20, false, 3],
	[300, 10, 20, true, 15],
	[3000, 10, 20, true, 70],
	[60, 10, 3, false, 8],
	[60, 10, 3, true, 10],
	[60, 1, 3, true, 18],
])(
	'%i messages at %i a second with a burst of %i (nodelay: %s): at most %i are in doubt, and none waits in vain',
	async (count, perSecond, burst, nodelay, most) => {
		for (const latencyMs of [5, 20, 100]) {
			const { done, unknown, seconds } = await sendBehind(
				requests(perSecond, burst, nodelay),
				count,
				latencyMs,
			);
			expect(done + unknown).toBe(count);
			expect(unknown).toBeLessThanOrEqual(most);
			// A third of the limit's time is lost at most.
			expect(seconds).toBeLessThan((1.5 * count) / perSecond);
		}
	},
);

test.each<[count: number, perSecond: number, burst: number, slower: number]>([
	[150, 10, 5, 1.04],
	[150, 10, 0, 1.5],
	[40, 1, 1, 1.07],
])(
	'%i messages at %i a second with a burst of %i, told with "Retry-After: 0": all sent as fast as the limit allows',
	async (count, perSecond, burst, slower) => {
		for (const latencyMs of [5, 20, 100]) {
			const { done, seconds } = await sendBehind(
				requests(perSecond, burst, true),
				count,
				latencyMs,
				TOO_MANY,
			);
			expect(done).toBe(count);
			expect(seconds).toBeLessThanOrEqual(slower * ((count - burst) / perSecond));
		}
	},
);

test('a limit on connections is not taken for one on the rate', async () => {
	for (const latencyMs of [5, 20, 50]) {
		const { done, unknown, seconds } = await sendBehind(connections(4), 300, latencyMs);
		expect(done + unknown).toBe(300);
		expect(unknown).toBeLessThanOrEqual(12);
		expect(seconds).toBeLessThan(12);
	}
});

test('after an outage told with 503 it is as fast as before within a few seconds', async () => {
	const clock = new FakeClock();
	const service = new FailingService(clock, during(200, 5000, 503));
	const counts = tally(await clock.until(sendAll(environment(clock, service), 2000)));
	expect(counts.unknown).toBeLessThanOrEqual(128);
	// Five seconds of outage, some waits, and the rest of the list.
	expect(clock.now()).toBeLessThan(20_000);
});
