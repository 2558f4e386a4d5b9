/** Creating something once: a later run gives what the earlier one has created. */
import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useLab } from './lab.mts';

const lab = useLab();

const account = async (items: IDataObject[], more: INodeParameters = {}) =>
	await lab.execute(
		{
			resource: 'account',
			operation: 'create',
			name: '={{ $json.name }}',
			options: { onceKey: '={{ $json.key }}' },
			...more,
		},
		{ items },
	);
const accounts = (names: readonly string[]) =>
	names.map((name) => ({ name, key: `${name} ${randomUUID()}` }));
const listed = async (path: string) =>
	(await lab.calls()).filter((call) => call.method === 'GET' && call.path.endsWith(path));

test('the second run gives the accounts of the first, with one call for all of them', async () => {
	const items = accounts(['Acme', 'Globex']);
	const first = await account(items);
	const second = await account(items);
	expect(second.error).toBeUndefined();
	expect(second.json).toEqual(first.json.map((record) => ({ ...record, alreadySent: true })));
	expect(await listed('/Admin/Account')).toHaveLength(1);
	expect((await account(items, { simplify: false })).json).toMatchObject(
		first.json.map(({ accountId, name }) => ({
			accountId,
			name,
			alreadySent: true,
			organization: expect.anything() as unknown,
		})),
	);
});

test.each([
	['two accounts with this name', 'Acme', /more than one/],
	['none with this name any more', 'Initech', /no account/],
])(
	'with %s, the item says only that it was created before, and a hint says why',
	async (_what, name, why) => {
		const [item] = accounts(['Acme']) as [{ name: string; key: string }];
		await account([item]);
		await account(accounts(['Acme']));
		const second = await account([item], { name });
		expect(second.json).toEqual([{ alreadySent: true, onceKey: item.key }]);
		expect(second.hintTexts.join(' ')).toMatch(why);
	},
);

test('a list that can not be read is told in a hint, and the item succeeds', async () => {
	const items = accounts(['Acme']);
	await account(items);
	await lab.client.setFaults([{ kind: 'status', status: 403, path: '/Admin/Account', times: 1 }]);
	const second = await account(items);
	expect(second.status).toBe('success');
	expect(second.json).toEqual([{ alreadySent: true, onceKey: items[0]?.key }]);
	expect(second.hintTexts.join(' ')).toContain('created before (alreadySent)');
});
