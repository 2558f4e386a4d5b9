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
