import type { QueueStage } from '../../dev/harness/queue/stage.mts';
import type { FaultRule } from '../../dev/sandbox/types.mts';
import { show } from './figures.mts';
import { eventsOf, withKey, type AppEvent } from './load.mts';
import { runScenario, sending } from './scenario.mts';

const load = { events: 40, messages: 50 };
/** What is delivered three times. */
const again = { events: 34, messages: 20 };

/** The service is sometimes slow, busy or down, and some of its answers never arrive. */
const faults: FaultRule[] = [
	{ kind: 'latency', ms: 5, jitterMs: 25, ...sending },
	{ kind: 'status', status: 429, headers: { 'retry-after': '1' }, every: 711, ...sending },
	{ kind: 'status', status: 503, headers: { 'retry-after': '1' }, every: 903, ...sending },
	{ kind: 'lostResponse', every: 201, ...sending },
];

/** Registers the tests of many messages over all workers, and of events that are delivered more than once. */
export function manyKeys(stage: () => QueueStage): void {
	test('many keys at once: all messages arrive exactly once each, and what is unknown is exactly what got no answer', async () => {
		const result = await runScenario(stage(), { events: eventsOf(load), faults, options: withKey });

		const { ledger } = result;
		const [, busy, down, unanswered] = result.faults;
		show('many keys at once', result, { busy, down, unanswered });
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

	test('each event is delivered three times at once: every message goes out once, and who did not send it says so', async () => {
		const deliveries = eventsOf(again).flatMap(({ id, messages }): AppEvent[] => [
			{ id, messages },
			{ id, messages },
			{ id, messages },
		]);
		const result = await runScenario(stage(), { events: deliveries, options: withKey });

		const { ledger } = result;
		show('same events three times', result);
		const messages = again.events * again.messages;
		expect(ledger.messages).toBe(3 * messages);
		expect({ twice: ledger.twice, lost: ledger.lostInSilence }).toEqual({ twice: [], lost: [] });
		expect(ledger.accepted).toHaveLength(messages);
		// On a busy machine some give up waiting for the key before they see that it was sent.
		const { sent, alreadySent = 0, unknown = 0 } = ledger.verdicts;
		expect({ sent, others: alreadySent + unknown }).toEqual({ sent: messages, others: 2 * messages });
		expect(stage().workers.filter(({ name }) => ledger.byWorker[name] === undefined)).toEqual([]);
	});
}
