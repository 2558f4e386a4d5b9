import type { INodeListSearchResult, INodeParameters } from 'n8n-workflow';

import { fromList, useLab } from './lab.ts';

const lab = useLab();

const sending: INodeParameters = { resource: 'message', operation: 'send' };
const creating: INodeParameters = { resource: 'channel', operation: 'create' };

async function search(
	method: string,
	currentNodeParameters: INodeParameters,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await lab.engine.listSearch(method, {
		// A key of its own for each test, as far as the cache is concerned.
		credential: { ...lab.credential, baseUrl: `${lab.sandbox.url}${slashes}` },
		currentNodeParameters,
		...(filter === undefined ? {} : { filter }),
		...(paginationToken === undefined ? {} : { paginationToken }),
	});
}

const labels = ({ results }: INodeListSearchResult): string[] => results.map(({ name }) => name);

let slashes = '';
beforeEach(() => {
	slashes += '/';
});

describe('channels', () => {
	test('are labelled with name, type, provider and account; one that is not connected says so', async () => {
		const found = labels(await search('searchChannels', { resource: 'outbox', operation: 'get' }));
		expect(found).toHaveLength(10);
		expect(found.find((label) => label.startsWith('Shop Newsletter'))).toMatch(
			/^Shop Newsletter · E-mail · .+ · Acme Shop$/,
		);
		expect(found).toContain('Support CRM Hook · not connected · HTTP · HTTP sender · Acme Support');
	});

	test('are sorted by name, those that are not connected last', async () => {
		const found = labels(await search('searchChannels', { resource: 'outbox', operation: 'get' }));
		const states = found.map((label) => label.includes('not connected'));
		expect(states).toEqual([...states].sort());
		const connected = found.filter((label) => !label.includes('not connected'));
		expect(connected).toEqual([...connected].sort((one, other) => one.localeCompare(other, 'en')));
	});

	test('only those that can send are offered for messages', async () => {
		const found = labels(await search('searchChannels', sending)).join();
		expect(found).toContain('Support E-mail');
		expect(found).not.toMatch(/Support Hotline SMS|Shop Old WhatsApp/);
	});

	test('only those that can be configured are offered for new parameters', async () => {
		const found = labels(
			await search('searchChannels', { resource: 'channel', operation: 'updateParameters' }),
		).join();
		expect(found).toContain('Support Hotline SMS');
		expect(found).not.toContain('Shop Old WhatsApp');
	});

	test('only those that can be one are offered as feedback channel', async () => {
		const found = labels(await search('searchFeedbackChannels', creating)).join();
		expect(found).toContain('Support Feedback');
		expect(found).not.toContain('WhatsApp');
	});

	test('ten thousand of them: one request to open, none for letters and pages', async () => {
		await lab.client.addChannels(10_000);
		const first = await search('searchChannels', sending);
		expect(first.results).toHaveLength(50);
		const second = await search('searchChannels', sending, undefined, String(first.paginationToken));
		expect(second.results).toHaveLength(50);
		expect(labels(second)).not.toEqual(labels(first));
		for (const filter of ['h', 'ha', 'harbour', 'harbour e-mail']) {
			const found = labels(await search('searchChannels', sending, filter));
			expect(
				found.every((label) => filter.split(' ').every((word) => label.toLowerCase().includes(word))),
			).toBe(true);
		}
		expect(await lab.requests()).toHaveLength(1);
	});

	test('pages hold every channel once', async () => {
		await lab.client.addChannels(120);
		const seen: unknown[] = [];
		let token: string | undefined;
		do {
			const page = await search('searchChannels', { resource: 'outbox', operation: 'get' }, undefined, token);
			seen.push(...page.results.map(({ value }) => value));
			token = page.paginationToken === undefined ? undefined : String(page.paginationToken);
		} while (token !== undefined);
		expect(seen).toHaveLength(130);
		expect(new Set(seen).size).toBe(130);
	});
});

describe('when there is nothing to show', () => {
	test.each([
		['searchChannels', 'No channels yet', 'Create one with Channel > Create.'],
		['searchAccounts', 'No accounts yet', 'Create one with Account > Create.'],
		['searchChannelTypes', 'No channel types in use yet', /switch this field from the list/],
	])('%s says so, and what to do', async (method, message, description) => {
		await lab.client.setFaults([{ kind: 'reply', body: [] }]);
		await expect(search(method, creating)).rejects.toMatchObject({
			message,
			description: typeof description === 'string' ? description : expect.stringMatching(description),
		});
	});

	test('channels that are all unable to send are explained', async () => {
		await lab.client.setFaults([
			{
				kind: 'reply',
				body: [{ channelId: lab.channelId('Support E-mail'), status: { canSendAndReceiveMessage: false } }],
			},
		]);
		await expect(search('searchChannels', sending)).rejects.toMatchObject({
			message: 'None of your channels can send',
		});
	});

	test('a refusal is given in the words of the service, with the way out, and is not kept', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 401, times: 1 }]);
		await expect(search('searchChannels', sending)).rejects.toMatchObject({
			httpCode: '401',
			description: expect.stringContaining('Check the API Key') as unknown,
		});
		expect(labels(await search('searchChannels', sending))).not.toEqual([]);
	});
});

describe('choices from what is there', () => {
	test('channel types, each once', async () => {
		const { results } = await search('searchChannelTypes', creating);
		expect(results.map(({ value }) => value).sort()).toEqual(['EMAIL', 'HTTP', 'SMS', 'WEBCHAT', 'WHATSAPP']);
		expect(results).toContainEqual({ name: 'E-mail (EMAIL)', value: 'EMAIL' });
	});

	test.each([['EMAIL'], [fromList('EMAIL')]])('providers for the type %j only', async (channelType) => {
		const all = await search('searchProviders', creating);
		const some = await search('searchProviders', { ...creating, channelType });
		expect(some.results.length).toBeGreaterThan(0);
		expect(some.results.length).toBeLessThan(all.results.length);
		expect(labels(some).join()).toMatch(/mail|SMTP/);
	});

	test('channel statuses by number', async () => {
		const { results } = await search('searchChannelStatuses', creating);
		expect(results).toContainEqual({ name: 'Active (1)', value: '1' });
	});

	test('organizations of the accounts', async () => {
		const { results } = await search('searchOrganizations', creating);
		expect(labels({ results })).toEqual(['Acme']);
		expect(results[0]?.value).toBe(
			lab.state.organizations.find(({ name }) => name === 'Acme')?.organizationId,
		);
	});
});

describe('what the service calls things', () => {
	const harmful = '={{ $env.HOME }}';
	const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
	const organization = { organizationId: uuid, name: harmful };
	const named = {
		name: harmful,
		isConnected: false,
		channelType: { key: harmful, name: harmful },
		provider: { providerId: uuid, name: `\n ${harmful}` },
		status: { channelStatusId: 1, name: harmful },
		account: { accountId: uuid, name: harmful, organization },
		organization,
	};

	test.each([
		'searchChannels',
		'searchFeedbackChannels',
		'searchProviders',
		'searchChannelStatuses',
		'searchAccounts',
		'searchOrganizations',
	])('%s: is text, never an expression that n8n would run', async (method) => {
		const ids = { channelId: uuid, accountId: uuid };
		const others = { channelId: '={{ 1 }}', accountId: '={{ 1 }}', provider: { providerId: '={{ 1 }}' } };
		await lab.client.setFaults([
			{
				kind: 'reply',
				body: [
					{ ...named, ...ids },
					{ ...named, ...others },
				],
			},
		]);
		const { results } = await search(method, creating);
		expect(results).toHaveLength(1);
		for (const text of results.flatMap(({ name, value }) => [name, String(value)])) {
			expect(text).not.toMatch(/^\s*=/);
		}
	});

	test('a channel type that could only be picked as an expression is not offered', async () => {
		const types = [harmful, ` ${harmful}`, '=', 'GOOD'].map((key) => ({
			...named,
			channelId: uuid,
			channelType: { key },
		}));
		await lab.client.setFaults([{ kind: 'reply', body: types }]);
		expect((await search('searchChannelTypes', creating)).results).toEqual([{ name: 'GOOD', value: 'GOOD' }]);
	});
});
