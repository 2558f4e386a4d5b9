import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { openSaved } from '../../../nodes/Messaging/delivery/saved.ts';

/** The context that an AI agent gives the node for a call that it makes itself, without the engine. */
function toolCall(json: IDataObject, place: IDataObject = {}): IExecuteFunctions {
	const context = {
		getNextRunIndex: () => 0,
		getInputData: () => [{ json }],
		getContext: () => place,
		getExecutionId: () => '1',
		getExecutionCancelSignal: () => undefined,
	};
	return context as unknown as IExecuteFunctions;
}

test('Retry On Fail repeats a call of an AI agent with the same arguments: what the first try sent is known', async () => {
	const call = { text: 'Hello' };
	const first = await openSaved(toolCall(call));
	first.saved.items['item 0'] = { state: 'sent', json: [] };
	first.release();
	const second = await openSaved(toolCall(call));
	expect(second.saved).toMatchObject({
		identity: first.saved.identity,
		items: { 'item 0': { state: 'sent' } },
	});
});

test('another call with equal arguments is another message, and nothing of calls is kept with the execution', async () => {
	const place = {};
	const first = await openSaved(toolCall({ text: 'Hello' }, place));
	first.saved.items['item 0'] = { state: 'sent', json: [] };
	const other = await openSaved(toolCall({ text: 'Hello' }, place));
	expect(other.saved.items).toEqual({});
	expect(other.saved.identity).not.toBe(first.saved.identity);
	expect(place).toEqual({});
});

describe('retries of failed executions', () => {
	/** A retry of an execution, as n8n starts each: from what the failed execution has saved. */
	const retryOf = async (identity: string) => {
		const place = { unifiedMessaging: { identity, execution: 'failed', items: {} } };
		const context = {
			getInputData: () => [],
			getNode: () => ({ type: 'messaging' }),
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			getContext: () => place,
			getExecutionId: () => 'retry',
		};
		return await openSaved(context as unknown as IExecuteFunctions);
	};
	/** One that has sent so many messages, with outputs of so many characters in all. */
	const sendIn = async (identity: string, items: number, characters: number) => {
		const retry = await retryOf(identity);
		const json = [{ answer: 'x'.repeat(characters / items) }];
		for (let n = 0; n < items; n++) retry.saved.items[n] = { state: 'sent', json };
		retry.release();
	};
	const stateIn = async (identity: string) => {
		const { saved, release } = await retryOf(identity);
		release();
		const outputs = Object.values(saved.items).map(({ json }) => Object.keys(json?.[0] ?? {})[0]);
		return { sent: outputs.length, outputs: new Set(outputs) };
	};

	test('together keep 16 MB of outputs; the oldest know only that they have sent', async () => {
		for (const identity of ['a', 'b', 'c']) await sendIn(identity, 100, 7_000_000);
		expect(await stateIn('a')).toEqual({ sent: 100, outputs: new Set(['alreadySent']) });
		for (const identity of ['b', 'c']) {
			expect(await stateIn(identity)).toEqual({ sent: 100, outputs: new Set(['answer']) });
		}
		await sendIn('d', 100, 40_000_000);
		expect(await stateIn('d')).toEqual({ sent: 100, outputs: new Set(['alreadySent']) });
	});

	test('are forgotten when there are too many of them, the oldest first', async () => {
		for (let n = 0; n < 20; n++) await sendIn(`many ${n}`, 20_000, 20_000);
		expect((await stateIn('many 0')).sent).toBe(0);
		expect((await stateIn('many 19')).sent).toBe(20_000);
	});

	test('that n8n saves keep their outputs', async () => {
		const retry = await retryOf('saved');
		retry.saved.items['0'] = { state: 'sent', json: [{ answer: 'x'.repeat(40_000_000) }] };
		retry.release();
		expect(retry.saved.items['0']?.json?.[0]).toHaveProperty('answer');
	});
});
