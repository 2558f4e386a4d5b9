import type { INodeParameters } from 'n8n-workflow';
import { errorOf, useLab } from './lab.ts';

const lab = useLab();
const other = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const deleteKey = (apiKeyId: string, options: INodeParameters = {}): INodeParameters => ({
	resource: 'apiKey',
	operation: 'delete',
	apiKeyId,
	options,
});
const settings = { onError: 'continueRegularOutput' } as const;

/** The id of a seeded key that is not the one in use. */
const anotherKey = () =>
	lab.state.apiKeys.find(({ apiKey }) => apiKey === lab.sandbox.tokens.acc)?.id ?? 'there is none';
const deletions = async () => (await lab.requests()).filter(({ method }) => method === 'DELETE');

test.each([
	['nothing', null],
	['a text', 'hello'],
	['a list', [{ id: other }]],
	['no id', { name: 'Orders' }],
	["its account's id", { account: { id: other } }],
])('/Me that shows %s: no key is revoked, and the option is named that revokes it', async (_kind, body) => {
	await lab.client.setFaults([{ kind: 'reply', path: '/Me$', body }]);

	const run = await lab.execute(deleteKey(anotherKey()), { settings });

	expect(errorOf(run.main[0][0])).toMatchObject({
		outcome: 'unsent',
		description: expect.stringContaining('Allow Revoking the Key in Use') as string,
	});
	expect(await deletions()).toEqual([]);

	const allowed = await lab.execute(deleteKey(anotherKey(), { allowRevokingKeyInUse: true }), { settings });

	expect(allowed.json).toMatchObject([{ deleted: true }]);
	expect(await deletions()).toHaveLength(1);
});

test('/Me that shows the id of another key: it is revoked', async () => {
	const run = await lab.execute(deleteKey(anotherKey().toUpperCase()), { settings });

	expect(run.json).toMatchObject([{ deleted: true }]);
	expect(await deletions()).toHaveLength(1);
});
