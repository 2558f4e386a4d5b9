import type { IAllExecuteFunctions } from 'n8n-workflow';

import { credentialOf } from '../../../nodes/Messaging/service/read-credential.ts';
import { isFailure } from '../../../nodes/Messaging/service/endings.ts';

const plain = { baseUrl: 'https://service.example', apiKey: 'acc_0123456789abcdef' };

/**
 * A credential that is saved like this, and that n8n resolves like this for an item; the items that it was resolved for.
 *
 * @param saved `undefined` for an n8n that resolves it in another way
 */
function n8n(resolve: (item: number) => object, saved: object | undefined) {
	const asked: number[] = [];
	const workflow = {
		expression: {
			getParameterValue(_saved: object, item: number) {
				asked.push(item);
				return resolve(item);
			},
		},
	};
	const context = {
		workflow,
		async getCredentials(this: { workflow: typeof workflow }, _type: string, item = 0) {
			const { expression } = saved === undefined ? workflow : this.workflow;
			return await Promise.resolve(expression.getParameterValue(saved ?? {}, item));
		},
	};
	return { context: context as unknown as IAllExecuteFunctions, asked };
}

/** As n8n saves a key with an expression. */
const expression = { ...plain, apiKey: '={{ $json.key }}' };

/** The key of each item, as an expression gives it. An item that does not exist has the first one. */
const keys =
	(...of: string[]) =>
	(item: number) => ({ ...plain, apiKey: of[item] ?? of[0] });

test.each([
	['outside of an execution', undefined],
	['with one item', 1],
	['with many items', 1000],
])('without expressions, it is resolved once: %s', async (_where, items) => {
	const { asked, context } = n8n(() => ({ ...plain }), plain);
	expect(await credentialOf(context, items)).toEqual(plain);
	expect(asked).toEqual([0]);
});

test('a secret or a variable of n8n alone has no item in it', async () => {
	const saved = { ...plain, apiKey: '={{ $secrets.vault["key-1"] }}', baseUrl: '={{ $vars.url }}' };
	const { asked, context } = n8n(() => ({ ...plain }), saved);
	await credentialOf(context, 5);
	expect(asked).toEqual([0]);
});

test.each([['with expressions', expression] as const, ['in an n8n that shows nothing', undefined] as const])(
	'%s, it is resolved for every item, and may give the same for all',
	async (_what, saved) => {
		const { asked, context } = n8n(keys('a', 'a', 'a'), saved);
		expect(await credentialOf(context, 3)).toEqual({ ...plain, apiKey: 'a' });
		expect(new Set(asked)).toEqual(new Set([0, 1, 2]));
		expect(await credentialOf(n8n(keys('a', 'a', 'b'), saved).context, 3)).toMatchObject({
			outcome: 'unsent',
		});
	},
);

test.each([
	['keys', keys('a', 'a', 'b')],
	['addresses', (n: number) => ({ ...plain, baseUrl: `https://${['a', 'a', 'b'][n]}.example` })],
	['other fields', (n: number) => ({ ...plain, headerValue: ['a', 'a', 'b'][n] })],
])('items with different %s are refused', async (_what, resolve) => {
	const failure = await credentialOf(n8n(resolve, expression).context, 3);
	expect(failure).toMatchObject({
		outcome: 'unsent',
		message: 'The items of this run have different API keys or addresses',
		description: expect.stringContaining('Loop Over Items with a batch size of 1') as string,
	});
	expect(JSON.stringify(failure)).not.toContain('example');
});

test.each([0, 1])('a credential that fails for item %d is refused', async (broken) => {
	const { context } = n8n((item) => {
		if (item === broken) throw new Error('Not for this item');
		return plain;
	}, expression);
	const failure = await credentialOf(context, 2);
	expect(isFailure(failure) && failure.message).toBe('The API key could not be read');
});
