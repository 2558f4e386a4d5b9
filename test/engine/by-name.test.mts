/** Channels and accounts that are found by their names, in a list that is read once for a run. */
import type { FaultRule } from '../../dev/sandbox/types.mts';
import { useDeliveryLab } from './delivery-lab.mts';
import { byId, errorOf } from './lab.mts';

const lab = useDeliveryLab();

const byName = (value: string) => ({ __rl: true, mode: 'name', value }) as const;
const onward = { settings: { onError: 'continueRegularOutput' as const } };
const sendTo = (channelId: ReturnType<typeof byName>) => ({
	...{ resource: 'message', operation: 'send', channelId, addressType: 'EMAIL' },
	...{ toEmail: '={{ $json.to }}', text: '=Hello {{ $json.to }}' },
});
const called = async () =>
	(await lab.requests()).map(({ operationId }) => operationId).filter((id) => id !== 'apiKey.getCurrent');

const notWhole: FaultRule = { kind: 'reply', path: 'Admin/Channel$', headers: { 'x-total-count': '120' } };

test('each item has its own, the list is read once, and what is not found is not sent', async () => {
	const names = ['Support E-mail', 'Shop Newsletter', 'support e-mail', 'Support WhatsApp'];
	const items = names.map((channel, n) => ({ channel, to: `n${n}@example.com` }));
	const run = await lab.execute(sendTo(byName('={{ $json.channel }}')), { items, ...onward });

	const [one, two, , four] = names;
	const id = (name = '') => lab.channelId(name);
	expect(run.json.map(({ channelId }) => channelId)).toEqual([id(one), id(two), undefined, id(four)]);
	expect(errorOf(run.main[0][2])).toMatchObject({
		outcome: 'unsent',
		message: expect.stringContaining('finds no channel named "support e-mail"') as string,
		description: expect.stringContaining('"Support E-mail"') as string,
	});
	expect((await called()).sort()).toEqual(['channel.getAll', ...Array(3).fill('message.send')]);
});

test.each<[string, FaultRule]>([
	['that is not whole', notWhole],
	['that is none', { kind: 'reply', path: 'Admin/Channel$', body: { message: 'Hello' } }],
	['that is refused', { kind: 'status', path: 'Admin/Channel$', status: 403 }],
])('with a list %s, nothing is sent, and every item says so', async (_what, fault) => {
	await lab.client.setFaults([fault]);
	const items = [{ to: 'a@example.com' }, { to: 'b@example.com' }];
	const run = await lab.execute(sendTo(byName('Support E-mail')), { items, ...onward });
	const errors = run.main[0].map(errorOf);
	expect(errors.map(({ outcome }) => outcome)).toEqual(['unsent', 'unsent']);
	expect(errors[0]?.message).toContain('look-up');
	expect(await called()).toEqual(['channel.getAll']);
});

test('a list that is not whole is enough for the update of a channel that it shows', async () => {
	await lab.client.setFaults([notWhole]);
	const parametersForm = { mappingMode: 'defineBelow', value: { host: 'new.example' }, schema: [] };
	const run = await lab.execute({
		...{
			resource: 'channel',
			operation: 'updateParameters',
			channelId: byId(lab.channelId('Support E-mail')),
		},
		parametersForm: parametersForm as never,
	});
	expect(run.status).toBe('success');
	const body = { parameters: { host: 'new.example' } };
	expect((await lab.requests()).at(-1)).toMatchObject({ method: 'PUT', body });
});

test('the look-up of a requeue finds its owners in the same list', async () => {
	const [entry] = lab.state.outbox.filter(({ statusName }) => statusName === 'Failed');
	const { name, channelId } = lab.state.channels.find((each) => each.channelId === entry?.channelId)!;
	const run = await lab.execute({
		...{ resource: 'outbox', operation: 'requeue', channelId: byName(name) },
		...{ entryIds: entry!.httpSenderOutboxEntryId, organizationId: '', accountId: byId('') },
	});
	expect(run.json).toEqual([expect.objectContaining({ success: true, channelId })]);
	expect(await called()).toEqual(['channel.getAll', 'outbox.requeue']);
});
