import type { INodeListSearchResult, INodeParameters } from 'n8n-workflow';

import { fromList, useLab } from './lab.mts';

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
		// A different key for each test, as far as the cache is concerned.
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

	test('a refusal is given in the words of the service, with the way out, and is not kept', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 401, times: 1 }]);
		await expect(search('searchChannels', sending)).rejects.toMatchObject({
			httpCode: '401',
			description: expect.stringContaining('Check the API Key') as unknown,
		});
		// Who types a filter is given what was kept.
		expect(labels(await search('searchChannels', sending, 'mail'))).not.toEqual([]);
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
});
