import { outputOf } from '../../dev/harness/n8n/api.mts';
import { fillInForm } from '../../dev/harness/n8n/form.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { enterExamples } from './example-runs.mts';

const { stage, n8n, sandbox, filled, whilePublished, ended } = enterExamples();

it('new-customer creates each thing once, and finds it in a second run', async () => {
	await whilePublished(filled('new-customer'), async ({ id }) => {
		let runs = 0;
		const submit = async (name: string) => {
			await fillInForm(n8n.url, 'new-customer', [name, 'https://n8n.example.com/webhook/in']);
			runs += 1;
			const [execution] = await ended(id, runs);
			expect(execution?.status).toBe('success');
			return execution === undefined ? [] : outputOf(execution, 'What There Is').map(({ json }) => json);
		};
		// The last of the three fails in the first run.
		await sandbox.setFaults([
			{ kind: 'status', status: 400, path: 'CreateChannel', bodyContains: 'EMAIL', body: { title: 'No' } },
		]);
		await fillInForm(n8n.url, 'new-customer', ['Bakery', 'https://n8n.example.com/webhook/in']);
		runs += 1;
		expect((await ended(id, runs))[0]?.status).toBe('error');
		await sandbox.clearFaults();

		const first = await submit('Bakery');
		const second = await submit(' Bakery ');

		const world = await readWorld(sandbox, stage);
		const { accountId } = world.account('Bakery');
		const delivery = world.channel('Bakery: deliver to n8n');
		const channel = world.channel('Bakery');
		expect(channel.feedbackChannelId).toBe(delivery.channelId);
		expect(first).toEqual([
			{
				customer: 'Bakery',
				accountId,
				deliveryChannelId: delivery.channelId,
				channelId: channel.channelId,
				isConnected: channel.isConnected,
				next: expect.stringContaining(
					channel.isConnected === true ? 'first message' : 'not connected',
				) as unknown,
			},
		]);
		expect(second).toEqual(first);
		const { accounts, channels } = await sandbox.state();
		const named = [...accounts, ...channels].filter(({ name }) => name?.startsWith('Bakery'));
		expect(named).toHaveLength(3);
	});
});
