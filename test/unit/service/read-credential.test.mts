import type { IAllExecuteFunctions } from 'n8n-workflow';

import { credentialOf } from '../../../nodes/Messaging/service/read-credential.ts';
import { isFailure } from '../../../nodes/Messaging/service/endings.ts';

const plain = { baseUrl: 'https://service.example', apiKey: 'acc_0123456789abcdef' };

/** A credential that n8n resolves like this for an item; the items that it was resolved for. */
function n8n(resolve: (item: number) => object) {
	const asked: number[] = [];
	const context = {
		getCredentials: async (_type: string, item = 0) => {
			asked.push(item);
			return await Promise.resolve(resolve(item));
		},
	};
	return { context: context as unknown as IAllExecuteFunctions, asked };
}

/** The key of each item, as an expression gives it. An item that does not exist has none. */
const keys =
	(...of: string[]) =>
	(item: number) => {
		if (of[item] === undefined) throw new Error(`There is no item ${item}`);
		return { ...plain, apiKey: of[item] };
	};

test.each([
	['outside of an execution', undefined, [0]],
	['with one item', 1, [0]],
	['with many items', 1000, [0, 1000.5]],
])('without expressions, it is read as rarely as can be: %s', async (_where, items, expected) => {
	const { asked, context } = n8n(() => ({ ...plain }));
	expect(await credentialOf(context, items)).toEqual(plain);
	expect(asked).toEqual(expected);
});

test('an expression that gives the same for all items is fine', async () => {
	const { asked, context } = n8n(keys('a', 'a', 'a'));
	expect(await credentialOf(context, 3)).toEqual({ ...plain, apiKey: 'a' });
	expect(asked).toEqual([0, 3.5, 1, 2]);
});

test.each([
	['keys', keys('a', 'a', 'b')],
	[
		'keys, of which an item that does not exist gives an empty one',
		(n: number) => ({ ...plain, apiKey: ['a', 'a', 'b'][n] }),
	],
	['addresses', (n: number) => ({ ...plain, baseUrl: `https://${['a', 'a', 'b'][n]}.example` })],
	['other fields', (n: number) => ({ ...plain, headerValue: ['a', 'a', 'b'][n] })],
])('items with different %s are refused', async (_what, resolve) => {
	const failure = await credentialOf(n8n(resolve).context, 3);
	expect(failure).toMatchObject({
		outcome: 'unsent',
		message: 'The items of this run have different API keys or addresses',
		description: expect.stringContaining('Loop Over Items with a batch size of 1') as string,
	});
	expect(JSON.stringify(failure)).not.toContain('example');
});

test.each([0, 1])('a credential that fails for item %d is refused', async (broken) => {
	const { context } = n8n((item) => {
		if (item === broken || item > 1) throw new Error('Not for this item');
		return plain;
	});
	const failure = await credentialOf(context, 2);
	expect(isFailure(failure) && failure.message).toBe('The API key could not be read');
});
