import type { INodeParameters } from 'n8n-workflow';

import type { QueueStage } from '../../dev/harness/queue/stage.ts';
import { figuresOf, show } from './figures.ts';
import { eventOf, withKey, type AppEvent } from './load.ts';
import { runScenario, type ScenarioResult } from './scenario.ts';

/** How often the attempt is repeated until three workers have taken one delivery each. */
const attempts = 10;

/** So many different events come at once, each three times. */
const attemptsAtOnce = 20;

/**
 * The same event, with one message, delivered three times at the same time. n8n gives each delivery to whichever
 * worker asks first: the last attempt is the one that went to three different workers.
 */
export async function deliverThrice(
	stage: QueueStage,
	options: INodeParameters = {},
): Promise<ScenarioResult> {
	for (let attempt = 0; ; attempt++) {
		const delivery = (): AppEvent => eventOf(`thrice-${attempt}`, 1);
		const result = await runScenario(stage, { events: [delivery(), delivery(), delivery()], options });
		const busy = stage.workers.filter((worker) =>
			result.taken.some(({ execution }) => worker.hasStarted(execution.id)),
		);
		if (busy.length === 3) return result;
		if (attempt + 1 === attempts) throw new Error(`Of ${attempts} attempts none went to three workers`);
	}
}

/** Registers the tests of an event that is delivered more than once. */
export function sameEventAgain(stage: () => QueueStage): void {
	describe('the same event, delivered three times at once to three workers', () => {
		it('with a key: is one message, and who did not send it says so', async () => {
			const result = await deliverThrice(stage(), withKey);

			show('same event three times, with a key', figuresOf(result));
			expect(result.ledger.accepted).toHaveLength(1);
			// On a busy machine the others may give up before they see that it was sent.
			const { sent, alreadySent = 0, unknown = 0 } = result.ledger.verdicts;
			expect({ sent, others: alreadySent + unknown }).toEqual({ sent: 1, others: 2 });
		});

		it(`with a key, ${attemptsAtOnce} events of 20 messages, three times each: nothing lost in silence, and what goes out twice is one package`, async () => {
			const events = Array.from({ length: attemptsAtOnce }, (_, n) => eventOf(`many-${n}`, 20));
			const deliveries = events.flatMap(({ id, messages }) => [
				{ id, messages },
				{ id, messages },
				{ id, messages },
			]);
			const result = await runScenario(stage(), { events: deliveries, options: withKey });

			const { ledger } = result;
			show('many events three times, with a key', figuresOf(result));
			expect(ledger.lostInSilence).toEqual([]);
			// What two workers still do within the same few milliseconds: the service can tell by the packageId.
			for (const id of ledger.twice) {
				const packages = result.records.filter(({ text }) => text === id).map(({ packageId }) => packageId);
				expect(new Set(packages).size).toBe(1);
			}
		});

		it('BASE LINE WITHOUT A KEY: is three messages', async () => {
			const result = await deliverThrice(stage());

			show('same event three times, without a key', figuresOf(result));
			expect(result.ledger.accepted).toHaveLength(3);
			expect(result.ledger.twice).toHaveLength(1);
			expect(result.ledger.verdicts).toEqual({ sent: 3 });
		});
	});
}
