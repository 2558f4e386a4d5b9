import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { KeyMessages } from '../../../../nodes/Messaging/delivery/once/key-messages.ts';

/** The messages of one execution, as several runs of the node see them. */
function execution(id: string | undefined = '1') {
	const place: IDataObject = {};
	const context = { getExecutionId: () => id, getContext: () => place } as unknown as IExecuteFunctions;
	return { place, run: () => new KeyMessages(context) };
}

test('another message under a key is one, in any run of the execution, but not in another execution', () => {
	const { run } = execution();
	expect(run().isOther('order-1', 'part1', 'item0')).toBe(false);
	expect(run().isOther('order-1', 'part2', 'item1')).toBe(true);
	expect(run().isOther('order-1', 'part1', 'item2')).toBe(false);
	expect(run().isOther('order-2', 'part2', 'item1')).toBe(false);
	expect(execution().run().isOther('order-1', 'part2', 'item1')).toBe(false);
});

test('a message of the same item may be corrected: n8n tries the item again', () => {
	const { run } = execution();
	run().isOther('order-1', 'Helo', 'item0');
	expect(run().isOther('order-1', 'Hello', 'item0')).toBe(false);
	expect(run().isOther('order-1', 'Hello', 'item1')).toBe(false);
	expect(run().isOther('order-1', 'Helo', 'item1')).toBe(true);
});

test('a message that did not go out is forgotten, unless another item has noted it', () => {
	const { run } = execution();
	run().isOther('order-1', 'one', 'item0');
	run().endRun(new Set(['item1']));
	expect(run().isOther('order-1', 'two', 'item1')).toBe(true);
	run().endRun(new Set(['item0']));
	expect(run().isOther('order-1', 'two', 'item1')).toBe(false);
});

test('the last 1,000 keys are remembered, in less than 64 KB', () => {
	const { place, run } = execution();
	const messages = run();
	for (let n = 0; n < 25_000; n++) messages.isOther(`key ${n}`, `message${n}`, 'abcdefghijklmnopqrstuv');
	messages.endRun(new Set());
	expect(messages.isOther('key 24000', 'another', 'b')).toBe(true);
	expect(messages.isOther('key 23999', 'another', 'b')).toBe(false);
	expect(JSON.stringify(place).length).toBeLessThan(64 * 1024);
});

test('over MCP, there is no execution yet: each call is alone', () => {
	const { place, run } = execution('');
	const alone = { getExecutionId: () => undefined, getContext: () => place } as unknown as IExecuteFunctions;
	new KeyMessages(alone).isOther('order-1', 'one', 'item0');
	expect(place).toEqual({});
	expect(run().isOther('order-1', 'two', 'item1')).toBe(false);
});
