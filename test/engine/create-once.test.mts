/** Creating something once, across runs. */
import { randomUUID } from 'node:crypto';
import { useLab } from './lab.mts';

const lab = useLab();

test('a second run creates nothing, and says by each key that it was used', async () => {
	const items = ['Acme', 'Globex'].map((name) => ({ name, key: `${name} ${randomUUID()}` }));
	const create = async () =>
		await lab.execute(
			{
				resource: 'account',
				operation: 'create',
				name: '={{ $json.name }}',
				options: { onceKey: '={{ $json.key }}' },
			},
			{ items },
		);
	expect((await create()).json).toMatchObject(items.map(({ name }) => ({ name })));
	const sent = (await lab.calls()).length;
	const second = await create();
	expect(second.error).toBeUndefined();
	expect(second.json).toEqual(items.map(({ key }) => ({ alreadySent: true, onceKey: key })));
	expect(await lab.calls()).toHaveLength(sent);
});
