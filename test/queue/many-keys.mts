import type { QueueStage } from '../../dev/harness/queue/stage.mts';
import type { FaultRule } from '../../dev/sandbox/types.mts';
import { figuresOf, show } from './figures.mts';
import { eventsOf, withKey } from './load.mts';
import { runScenario, sending } from './scenario.mts';

const load = { events: 40, messages: 50 };

/** The service is sometimes slow, busy or down, and some of its answers never arrive. */
const faults: FaultRule[] = [
	{ kind: 'latency', ms: 5, jitterMs: 25, ...sending },
	{ kind: 'status', status: 429, headers: { 'retry-after': '1' }, every: 711, ...sending },
	{ kind: 'status', status: 503, headers: { 'retry-after': '1' }, every: 903, ...sending },
	{ kind: 'lostResponse', every: 201, ...sending },
];

/** Registers the test of many messages over all workers. */
export function manyKeys(stage: () => QueueStage): void {
	test('many keys at once: all messages arrive exactly once each, and what is unknown is exactly what got no answer', async () => {
		const result = await runScenario(stage(), { events: eventsOf(load), faults, options: withKey });

		const { ledger } = result;
		const [, busy, down, unanswered] = result.faults;
		show('many keys at once', { ...figuresOf(result), busy, down, unanswered });
		expect(ledger.messages).toBe(load.events * load.messages);
		expect([...ledger.accepted].sort()).toEqual(
			eventsOf(load)
				.flatMap(({ messages }) => messages.map(({ id }) => id))
				.sort(),
		);
		expect(ledger.executions).toEqual({ success: load.events });
		expect(unanswered).toBeGreaterThan(0);
		expect(ledger.verdicts).toEqual({ sent: ledger.messages - (unanswered ?? 0), unknown: unanswered });
		expect(Object.keys(ledger.byWorker).sort()).toEqual(stage().workers.map(({ name }) => name));
	});
}
