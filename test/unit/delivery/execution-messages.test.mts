import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { type End, ExecutionMessages } from '../../../nodes/Messaging/delivery/execution-messages.ts';

/** The messages of one execution, as several runs of the node see them. */
function execution(id: string | undefined = '1') {
	const place: IDataObject = {};
	const context = { getExecutionId: () => id, getContext: () => place } as unknown as IExecuteFunctions;
	return { place, run: (run = 0) => new ExecutionMessages(context, run) };
}

const isOther = (
	messages: ExecutionMessages,
	key: string | undefined,
	message: string,
	by: string,
): boolean => messages.isOther({ item: 0, key, message, by });

test('another message under a key is one, in any run of the execution, but not in another execution', () => {
	const { run } = execution();
	expect(isOther(run(), 'order-1', 'part1', 'item0')).toBe(false);
	expect(isOther(run(), 'order-1', 'part2', 'item1')).toBe(true);
	expect(isOther(run(), 'order-1', 'part1', 'item2')).toBe(false);
	expect(isOther(run(), 'order-2', 'part2', 'item1')).toBe(false);
	expect(isOther(execution().run(), 'order-1', 'part2', 'item1')).toBe(false);
});

test('a message of the same item may be corrected: n8n tries the item again', () => {
	const { run } = execution();
	isOther(run(), 'order-1', 'Helo', 'item0');
	expect(isOther(run(), 'order-1', 'Hello', 'item0')).toBe(false);
	expect(isOther(run(), 'order-1', 'Hello', 'item1')).toBe(false);
	expect(isOther(run(), 'order-1', 'Helo', 'item1')).toBe(true);
});

test('a message that did not go out is forgotten, unless another item has noted it', () => {
	const { run } = execution();
	const [first, second] = [run(), run(1)];
	isOther(first, 'order-1', 'one', 'item0');
	isOther(second, 'order-1', 'one', 'item1');
	second.endRun(() => undefined);
	expect(isOther(run(2), 'order-1', 'two', 'item2')).toBe(true);
	first.endRun(() => undefined);
	expect(isOther(run(2), 'order-1', 'two', 'item2')).toBe(false);
});

test.each<[End | undefined]>([['sent'], ['unknown'], [undefined]])(
	'how a message ended (%s) is known in later runs, with and without a key, and not in a repetition of its own',
	(end) => {
		for (const key of ['order-1', undefined]) {
			const { run } = execution();
			const messages = run(1);
			isOther(messages, key, 'hello', 'item0');
			messages.endRun(() => end);
			expect([run(0), run(1), run(2)].map((later) => later.endOf('hello'))).toEqual([
				undefined,
				undefined,
				end,
			]);
		}
	},
);

test('if one of several items with a message is in doubt, the message is', () => {
	const { run } = execution();
	const messages = run();
	for (const item of [0, 1, 2]) messages.isOther({ item, key: undefined, message: 'hello', by: `${item}` });
	messages.endRun((item) => (item === 1 ? 'unknown' : 'sent'));
	expect(run(1).endOf('hello')).toBe('unknown');
});

test('the last 1,000 messages are remembered, in less than 64 KB, and beside them those in doubt', () => {
	const { place, run } = execution();
	const messages = run();
	const by = 'abcdefghijklmnopqrstuv';
	for (let n = 0; n < 25_000; n++) {
		messages.isOther({ item: n, key: `key ${n}`, message: `message${n}`, by });
	}
	messages.endRun((item) => (item === 0 ? 'unknown' : 'sent'));
	expect(isOther(run(1), 'key 24000', 'another', 'b')).toBe(true);
	expect(isOther(run(1), 'key 23999', 'another', 'b')).toBe(false);
	expect(run(1).endOf('message0')).toBe('unknown');
	expect(JSON.stringify(place).length).toBeLessThan(64 * 1024);
});

test('over MCP, there is no execution yet: each call is alone', () => {
	const { place, run } = execution('');
	const alone = { getExecutionId: () => undefined, getContext: () => place } as unknown as IExecuteFunctions;
	isOther(new ExecutionMessages(alone, 0), 'order-1', 'one', 'item0');
	expect(place).toEqual({});
	expect(isOther(run(), 'order-1', 'two', 'item1')).toBe(false);
});
