import type { QueueStage } from '../../dev/harness/queue/stage.ts';
import type { FaultRule } from '../../dev/sandbox/types.ts';
import { figuresOf, show } from './figures.ts';
import { eventsOf, withKey } from './load.ts';
import { runScenario, sending } from './scenario.ts';

const load = { events: 200, messages: 50 };

/** The service is at times slow, busy or down, and some of its answers never arrive. */
const faults: FaultRule[] = [
	{ kind: 'latency', ms: 5, jitterMs: 25, ...sending },
	{ kind: 'status', status: 429, headers: { 'retry-after': '1' }, every: 1_511, ...sending },
	{ kind: 'status', status: 503, headers: { 'retry-after': '1' }, every: 2_503, ...sending },
	{ kind: 'lostResponse', every: 401, ...sending },
];

/** Registers the tests of many messages over all workers. */
export function everyMessageOnce(stage: () => QueueStage): void {
	describe('many messages over three workers', () => {
		it.each([
			['without a key', {}],
			['with a key', withKey],
		])(
			'%s: arrive exactly once each, and what is unknown is exactly what got no answer',
			async (name, options) => {
				const result = await runScenario(stage(), { events: eventsOf(load), faults, options });

				const { ledger } = result;
				const [, busy, down, unanswered] = result.faults;
				show(`many messages, ${name}`, { ...figuresOf(result), busy, down, unanswered });
				expect(ledger.messages).toBe(load.events * load.messages);
				expect([...ledger.accepted].sort()).toEqual(
					eventsOf(load)
						.flatMap(({ messages }) => messages.map(({ id }) => id))
						.sort(),
				);
				expect(ledger.executions).toEqual({ success: load.events });
				expect(unanswered).toBeGreaterThan(0);
				expect(ledger.verdicts).toEqual({ sent: ledger.messages - (unanswered ?? 0), unknown: unanswered });
				expect(Object.keys(ledger.byWorker).sort()).toEqual(
					stage().workers.map(({ name: worker }) => worker),
				);
			},
		);
	});
}
