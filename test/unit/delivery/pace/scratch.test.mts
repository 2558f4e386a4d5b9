import { FakeClock } from '../fake-clock.mts';
import { environment, sendAll } from '../run.mts';
import { FailingService, tally, type Arrival, type Treatment } from './failing-service.mts';
test.each([
	[10, 5, 150],
	[10, 0, 150],
	[50, 10, 300],
	[2, 2, 50],
])('traefik %i %i', async (perSecond, burst, count) => {
	for (const latency of [5, 20, 100]) {
		const clock = new FakeClock();
		let excess = 0,
			last = -Infinity,
			refused = 0;
		const t = ({ now }: Arrival): Treatment => {
			const left = Math.max(0, excess - ((now - last) * perSecond) / 1000);
			if (left > burst) {
				refused++;
				return { status: 429, retryAfter: 0 };
			}
			excess = left + 1;
			last = now;
			return 200;
		};
		const service = new FailingService(clock, t, latency);
		const ends = tally(await clock.until(sendAll(environment(clock, service), count)));
		console.log(perSecond, burst, latency, JSON.stringify(ends), 'refused', refused, 'in', clock.now());
	}
});
