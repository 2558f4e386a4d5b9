import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { accountList, channelList } from '../../../nodes/Messaging/methods/lists.ts';
import { searchChannels } from '../../../nodes/Messaging/methods/searches.ts';

const id = (n: number): string => `3f2504e0-4f89-41d3-9a0c-${String(n).padStart(12, '0')}`;

/** An editor with a credential, and a service that returns these records, or as many as there were requests. */
function editor(apiKey: string, records?: unknown, page?: string) {
	const seen = { requests: 0 };
	const context = {
		getCredentials: async () => ({ apiKey, baseUrl: 'https://messaging.example.com' }),
		getNode: () => ({ name: 'Messaging', type: 'messaging', typeVersion: 1 }),
		getCurrentNodeParameters: () => ({ resource: 'message' }),
		helpers: {
			httpRequestWithAuthentication: async () => {
				seen.requests += 1;
				const counted = Array.from({ length: seen.requests }, (_, n) => ({
					channelId: id(n),
					accountId: id(n),
				}));
				if (page !== undefined) return { statusCode: 403, headers: { 'x-request-id': '4f1c' }, body: page };
				return {
					statusCode: 200,
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify(records ?? counted),
				};
			},
		},
	};
	return { context: context as unknown as ILoadOptionsFunctions, seen };
}

test('a menu shows what is there now, also while somebody types', async () => {
	const { context } = editor('acc_typing');
	expect((await searchChannels.call(context)).results).toHaveLength(1);
	expect((await searchChannels.call(context, id(0))).results).toHaveLength(1);
	expect((await searchChannels.call(context, '3f2504e0')).results).toHaveLength(3);
});

test('without a usable credential it says why', async () => {
	const { context, seen } = editor('');
	await expect(channelList(context)).rejects.toThrow(/API Key is empty/);
	expect(seen.requests).toBe(0);
});

test('what a gateway says is shown with the ID of the request, and no word of the key', async () => {
	const { context } = editor('acc_blocked', [], '<title>Access denied</title>');
	await expect(searchChannels.call(context)).rejects.toMatchObject({
		message: 'A gateway answered with status 403: Access denied',
		description: expect.stringMatching(
			/^A gateway in front of the service answered, not the service\.(?!.*\bkey\b).* \(request 4f1c\)$/,
		) as string,
	});
});

test('what can not be picked is left out: without a UUID, or deleted for good', async () => {
	const { context } = editor('acc_odd', [
		{ channelId: '={{ 1 }}', accountId: '={{ 1 }}' },
		{ channelId: id(1), accountId: id(2), status: { isTerminalDeletionState: true } },
		null,
	]);
	expect(await channelList(context)).toEqual([]);
	expect((await accountList(context)).map((account) => account.id)).toEqual([id(2)]);
});

test('a list without any UUID says so, and does not send anybody off to create what exists', async () => {
	const { context } = editor('acc_numbers', [{ channelId: 17, accountId: 'a' }, { id: 18 }]);
	await expect(searchChannels.call(context)).rejects.toMatchObject({
		message: 'The list has no channel with a UUID',
		description: expect.stringMatching(
			/^The service sent 2, but none has a UUID as its "channelId"/,
		) as string,
	});
	await expect(accountList(context)).rejects.toThrow('The list has no account with a UUID');
	const { context: empty } = editor('acc_empty', []);
	await expect(searchChannels.call(empty)).rejects.toThrow('No channels yet');
});

test('a menu for messages leaves out channels that can not send', async () => {
	const { context } = editor('acc_sending', [
		{ channelId: id(1), status: { canSendAndReceiveMessage: true } },
		{ channelId: id(2), status: { canSendAndReceiveMessage: false } },
		{ channelId: id(3), account: { status: { canSendAndReceiveMessage: false } } },
		{ channelId: id(4) },
	]);
	const { results } = await searchChannels.call(context);
	expect(results.map(({ value }) => value)).toEqual([id(1), id(4)]);
});
