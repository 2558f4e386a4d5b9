import type { INodeParameters } from 'n8n-workflow';

import type { Execution } from '../../dev/harness/n8n/api.ts';
import type { QueueStage } from '../../dev/harness/queue/stage.ts';
import { figuresOf, show } from './figures.ts';
import { balance, type Ledger } from './ledger.ts';
import { eventOf, withKey } from './load.ts';
import { runScenario, type ScenarioResult } from './scenario.ts';

/** How often it is tried: what happens depends on what n8n has saved at that moment. */
const attempts = 3;

/** A run that was stopped and retried. */
export interface StoppedAndRetried extends ScenarioResult {
	readonly retried: Execution;
	/** What the retry says about the messages. */
	readonly retryLedger: Ledger;
}

/** Stops an execution in the middle of its run and retries it at once over the API. */
export async function stopAndRetry(
	stage: QueueStage,
	name: string,
	options: INodeParameters = {},
): Promise<StoppedAndRetried> {
	const event = eventOf(name, 20);
	let retried: Execution | undefined;
	const result = await runScenario(stage, {
		events: [event],
		options,
		middle: {
			after: 6,
			happens: async ({ started }) => {
				const id = started.get(event) ?? '';
				await stage.client.stopExecution(id);
				const retry = stage.client.retryExecution(id, 'original');
				await stage.sandbox.clearFaults();
				retried = await retry;
			},
		},
	});
	if (retried === undefined) throw new Error('The execution was not retried');
	return { ...result, retried, retryLedger: balance([{ event, execution: retried }], result.records) };
}

/** Registers the tests of executions that are stopped and retried at once. */
export function stoppedAndRetried(stage: () => QueueStage): void {
	describe('an execution that is stopped and retried at once over the API', () => {
		it('with a key: nothing goes out twice', async () => {
			for (let attempt = 0; attempt < attempts; attempt++) {
				const result = await stopAndRetry(stage(), `stopped-keyed-${attempt}`, withKey);
				show(`stopped and retried, with a key, attempt ${attempt + 1}`, {
					...figuresOf(result),
					'the retry ended as': result.retried.status,
					'what it says': result.retryLedger.verdicts,
				});
				expect(result.ledger.twice).toEqual([]);
				expect(result.ledger.lostInSilence).toEqual([]);
				expect(result.retryLedger.deniedThoughSent).toEqual([]);
			}
		});

		it('BASE LINE WITHOUT A KEY: some messages may go out twice, and none is lost in silence', async () => {
			const twice: number[] = [];
			for (let attempt = 0; attempt < attempts; attempt++) {
				const result = await stopAndRetry(stage(), `stopped-${attempt}`);
				expect(result.ledger.executions).toEqual({ canceled: 1 });
				expect(result.retryLedger.lostInSilence).toEqual([]);
				expect(result.retryLedger.deniedThoughSent).toEqual([]);
				twice.push(result.ledger.twice.length);
				show(`stopped and retried, without a key, attempt ${attempt + 1}`, {
					...figuresOf(result),
					'the retry ended as': result.retried.status,
					'what it says': result.retryLedger.verdicts,
				});
			}
			show('stopped and retried, without a key', { 'of 20 messages went out twice': twice });
		});
	});
}
