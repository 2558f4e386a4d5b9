import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { accountList, channelList } from '../../../nodes/Messaging/methods/lists.ts';
import { searchChannels } from '../../../nodes/Messaging/methods/searches.ts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';

let now = 0;

beforeEach(() => {
	now += 1_000_000;
	jest.spyOn(systemClock, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

const id = (n: number): string => `3f2504e0-4f89-41d3-9a0c-${String(n).padStart(12, '0')}`;

/** An editor with a credential, and a service that returns these records, or as many as there were requests. */
function editor(apiKey: string, baseUrl = 'https://messaging.example.com', records?: unknown, page?: string) {
	const seen = { credentialReads: 0, requests: 0 };
	const context = {
		getCredentials: async () => {
			seen.credentialReads += 1;
			return { apiKey, baseUrl };
		},
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

test('opening reads anew; typing and paging use what opening has read, for a minute', async () => {
	const { context, seen } = editor('acc_typing');
	expect(await channelList(context, true)).toHaveLength(1);
	const opened = await channelList(context, true);
	expect(opened).toHaveLength(2);
	now += 59_000;
	expect(await channelList(context, false)).toBe(opened);
	expect(seen.requests).toBe(2);
	now += 2_000;
	expect(await channelList(context, false)).toHaveLength(3);
	expect(seen).toMatchObject({ credentialReads: 4, requests: 3 });
});

test('each key, each address and each list has its own', async () => {
	const [one, two, other] = [editor('acc_one'), editor('acc_two'), editor('acc_one', 'https://b.example')];
	for (const { context } of [one, two, other]) {
		expect(await channelList(context, false)).toHaveLength(1);
		expect(await accountList(context, false)).toHaveLength(2);
	}
});

test('without a usable credential it says why', async () => {
	const { context, seen } = editor('');
	await expect(channelList(context, false)).rejects.toThrow(/API Key is empty/);
	expect(seen.requests).toBe(0);
});

test('what a gateway says is shown with the ID of the request, and no word of the key', async () => {
	const { context } = editor('acc_blocked', undefined, [], '<title>Access denied</title>');
	await expect(searchChannels.call(context)).rejects.toMatchObject({
		message: 'A gateway answered with status 403: Access denied',
		description: expect.stringMatching(
			/^A gateway in front of the service answered, not the service\.(?!.*\bkey\b).* \(request 4f1c\)$/,
		) as string,
	});
});

test('what can not be picked is left out: without a UUID, or deleted for good', async () => {
	const { context } = editor('acc_odd', undefined, [
		{ channelId: '={{ 1 }}', accountId: '={{ 1 }}' },
		{ channelId: id(1), accountId: id(2), status: { isTerminalDeletionState: true } },
		null,
	]);
	expect(await channelList(context, true)).toEqual([]);
	expect((await accountList(context, true)).map((account) => account.id)).toEqual([id(2)]);
});

test('a list without any UUID says so, and does not send anybody off to create what exists', async () => {
	const { context } = editor('acc_numbers', undefined, [{ channelId: 17, accountId: 'a' }, { id: 18 }]);
	await expect(searchChannels.call(context)).rejects.toMatchObject({
		message: 'The list has no channel with a UUID',
		description: expect.stringMatching(
			/^The service sent 2, but none has a UUID as its "channelId"/,
		) as string,
	});
	await expect(accountList(context, true)).rejects.toThrow('The list has no account with a UUID');
	const { context: empty } = editor('acc_empty', undefined, []);
	await expect(searchChannels.call(empty)).rejects.toThrow('No channels yet');
});

test('a menu for messages leaves out channels that can not send', async () => {
	const { context } = editor('acc_sending', undefined, [
		{ channelId: id(1), status: { canSendAndReceiveMessage: true } },
		{ channelId: id(2), status: { canSendAndReceiveMessage: false } },
		{ channelId: id(3), account: { status: { canSendAndReceiveMessage: false } } },
		{ channelId: id(4) },
	]);
	const { results } = await searchChannels.call(context);
	expect(results.map(({ value }) => value)).toEqual([id(1), id(4)]);
});
