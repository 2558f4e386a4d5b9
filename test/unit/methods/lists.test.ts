import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { accountList, channelList } from '../../../nodes/Messaging/methods/lists.ts';
import { searchChannels } from '../../../nodes/Messaging/methods/searches.ts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';

const channelsOf = (context: ILoadOptionsFunctions, opening: boolean) => channelList(context, opening);

let now = 0;

beforeEach(() => {
	now += 1_000_000;
	jest.spyOn(systemClock, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

/** An editor with a credential, and a service that returns as many records as requested. */
function editor(apiKey: string, baseUrl = 'https://messaging.example.com') {
	const seen = { credentialReads: 0, requests: 0, status: 200 };
	const context = {
		getCredentials: async () => {
			seen.credentialReads += 1;
			return { apiKey, baseUrl };
		},
		getNode: () => ({ name: 'Messaging', type: 'messaging', typeVersion: 1 }),
		helpers: {
			httpRequestWithAuthentication: async () => {
				seen.requests += 1;
				const ids = Array.from({ length: seen.requests }, (_, n) => String(n).padStart(12, '0'));
				const records = ids.map((end) => {
					const id = `3f2504e0-4f89-41d3-9a0c-${end}`;
					return { channelId: id, accountId: id };
				});
				return {
					statusCode: seen.status,
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify(records),
				};
			},
		},
	};
	return { context: context as unknown as ILoadOptionsFunctions, seen };
}

test('typing and paging use what opening has read, for a minute', async () => {
	const { context, seen } = editor('acc_typing');
	const first = await channelsOf(context, true);
	expect(await channelsOf(context, false)).toBe(first);
	now += 59_000;
	expect(await channelsOf(context, false)).toBe(first);
	expect(seen.requests).toBe(1);
	now += 2_000;
	expect(await channelsOf(context, false)).toHaveLength(2);
	expect(seen).toMatchObject({ credentialReads: 4, requests: 2 });
});

test('opening reads anew, but not twice at once', async () => {
	const { context, seen } = editor('acc_opening');
	await Promise.all([channelsOf(context, true), channelsOf(context, true)]);
	expect(seen.requests).toBe(1);
	now += 4_000;
	expect(await channelsOf(context, true)).toHaveLength(2);
});

test('a list that could not be read is not kept', async () => {
	const { context, seen } = editor('acc_failing');
	seen.status = 503;
	await expect(channelsOf(context, true)).rejects.toThrow();
	seen.status = 200;
	expect(await channelsOf(context, false)).toHaveLength(2);
});

test('each key, each address and each list has its own', async () => {
	const [one, two, other] = [editor('acc_one'), editor('acc_two'), editor('acc_one', 'https://b.example')];
	for (const { context } of [one, two, other]) {
		expect(await channelsOf(context, false)).toHaveLength(1);
		expect(await accountList(context, false)).toHaveLength(2);
	}
});

test('without a usable credential it says why', async () => {
	const { context, seen } = editor('');
	await expect(channelsOf(context, false)).rejects.toThrow(/API Key in the credential is empty/);
	expect(seen.requests).toBe(0);
});

test('what can not be picked is left out: without a UUID, or deleted for good', async () => {
	const { context } = editor('acc_odd');
	const body = [
		{ channelId: '={{ 1 }}', accountId: '={{ 1 }}' },
		{ channelId: '3f2504e0-4f89-41d3-9a0c-000000000001', status: { isTerminalDeletionState: true } },
		null,
	];
	jest.spyOn(context.helpers, 'httpRequestWithAuthentication').mockResolvedValue({
		statusCode: 200,
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	expect(await channelsOf(context, true)).toEqual([]);
	expect(await accountList(context, true)).toEqual([]);
});

test('a menu for messages leaves out channels that can not send', async () => {
	const { context } = editor('acc_sending');
	const id = (n: number): string => `3f2504e0-4f89-41d3-9a0c-00000000000${n}`;
	const body = [
		{ channelId: id(1), status: { canSendAndReceiveMessage: true } },
		{ channelId: id(2), status: { canSendAndReceiveMessage: false } },
		{ channelId: id(3), account: { status: { canSendAndReceiveMessage: false } } },
		{ channelId: id(4) },
	];
	jest.spyOn(context.helpers, 'httpRequestWithAuthentication').mockResolvedValue({
		statusCode: 200,
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	const sending = { ...context, getCurrentNodeParameters: () => ({ resource: 'message' }) };
	const { results } = await searchChannels.call(sending);
	expect(results.map(({ value }) => value)).toEqual([id(1), id(4)]);
});
