import { outputOf } from '../../dev/harness/n8n/api.mts';
import { fillInForm } from '../../dev/harness/n8n/form.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { enterExamples } from './example-runs.mts';

const { stage, n8n, sandbox, filled, whilePublished, ended } = enterExamples();

it('new-customer creates each thing once, finds it in a second run, and tells two of one name apart', async () => {
	await whilePublished(filled('new-customer'), async ({ id }) => {
		let runs = 0;
		const submit = async (number: string, name: string, status = 'success') => {
			await fillInForm(n8n.url, 'new-customer', [number, name, 'https://n8n.example.com/webhook/in']);
			runs += 1;
			const [execution] = await ended(id, runs);
			expect(execution?.status).toBe(status);
			return execution === undefined ? [] : outputOf(execution, 'What There Is').map(({ json }) => json);
		};
		// The last of the three fails in the first run.
		await sandbox.setFaults([
			{ kind: 'status', status: 400, path: 'CreateChannel', bodyContains: 'EMAIL', body: { title: 'No' } },
		]);
		await submit('1042', 'Bakery', 'error');
		await sandbox.clearFaults();

		const first = await submit('1042', 'Bakery');
		const second = await submit(' 1042 ', ' Bakery ');
		await submit('1043', 'Bakery');

		const world = await readWorld(sandbox, stage);
		const { accountId } = world.account('Bakery (1042)');
		const { channelId, feedbackChannelId, isConnected } = world.channel('Bakery (1042)');
		expect(feedbackChannelId).toBe(world.channel('Delivery 1042: Bakery').channelId);
		expect(first).toMatchObject([{ customer: 'Bakery', number: '1042', accountId, channelId, isConnected }]);
		expect(second).toEqual(first);
		const { accounts, channels } = await sandbox.state();
		const named = [...accounts, ...channels].filter(({ name }) => name?.includes('Bakery'));
		expect(named).toHaveLength(6);
	});
});
