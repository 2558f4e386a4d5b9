import type { QueueStage } from '../../dev/harness/queue/stage.mts';
import { figuresOf, show } from './figures.mts';
import { eventsOf, withKey, type AppEvent } from './load.mts';
import { runScenario } from './scenario.mts';

const load = { events: 34, messages: 20 };

/** Registers the test of events that are delivered more than once. */
export function sameEventAgain(stage: () => QueueStage): void {
	test('each event is delivered three times at once: every message goes out once, and who did not send it says so', async () => {
		const deliveries = eventsOf(load).flatMap(({ id, messages }): AppEvent[] => [
			{ id, messages },
			{ id, messages },
			{ id, messages },
		]);
		const result = await runScenario(stage(), { events: deliveries, options: withKey });

		const { ledger } = result;
		show('same events three times', figuresOf(result));
		const messages = load.events * load.messages;
		expect(ledger.messages).toBe(3 * messages);
		expect({ twice: ledger.twice, lost: ledger.lostInSilence }).toEqual({ twice: [], lost: [] });
		expect(ledger.accepted).toHaveLength(messages);
		// On a busy machine some give up waiting for the key before they see that it was sent.
		const { sent, alreadySent = 0, unknown = 0 } = ledger.verdicts;
		expect({ sent, others: alreadySent + unknown }).toEqual({ sent: messages, others: 2 * messages });
		expect(stage().workers.filter(({ name }) => ledger.byWorker[name] === undefined)).toEqual([]);
	});
}
