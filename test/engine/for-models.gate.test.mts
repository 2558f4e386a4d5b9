/** Ten workflows, written from docs/for-models.md alone, as a model would write them. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Run } from './run.mts';
import { useLab } from './lab.mts';
import { messagingNode, type NodeSettings, startName, startNode, workflow } from './workflow.mts';

const lab = useLab();

const id = (value: string) => ({ __rl: true, mode: 'id', value });
const named = (value: string) => ({ __rl: true, mode: 'name', value });

/** Runs nodes one after the other, the first behind the start. */
async function run(
	nodes: INodeParameters[],
	items: IDataObject[] = [{}],
	settings: NodeSettings = {},
): Promise<Run> {
	const names = nodes.map((_, n) => `Node ${n}`);
	return await lab.engine.run({
		workflow: workflow(
			[startNode(), ...nodes.map((parameters, n) => messagingNode(parameters, settings, names[n]))],
			names.map((name, n) => [names[n - 1] ?? startName, name]),
		),
		credential: lab.credential,
		items: items.map((json) => ({ json })),
		watch: names.at(-1) ?? '',
	});
}

const sent = async () => (await lab.requestsOf('message.send')).map(({ body }) => body);

test('a WhatsApp reminder for each row, once a month; rows that fail leave by the error output', async () => {
	const remind = {
		...{ resource: 'message', operation: 'send', channelId: named('Support WhatsApp') },
		...{ addressType: 'other', toType: 'PHONE' },
		toRows: { values: [{ name: 'phone', value: '={{ $json.phone }}' }] },
		text: '=Hi {{ $json.name }}, please pay {{ $json.amount }}.',
		options: { onceKey: "=due-{{ $json.id }}-{{ $now.toFormat('yyyy-MM') }}" },
	};
	const rows = ['+49 30 1', '', '+49 30 3'].map((phone, n) => ({ id: n, name: 'Ada', amount: 10, phone }));

	const [first, again] = [
		await run([remind], rows, { onError: 'continueErrorOutput' }),
		await run([remind], rows, { onError: 'continueErrorOutput' }),
	];

	expect(first.main.map(({ length }) => length)).toEqual([2, 1]);
	expect(first.main[1][0]?.json).toMatchObject({ ...rows[1], error: { outcome: 'unsent' } });
	expect(again.json).toMatchObject([{ alreadySent: true }, { alreadySent: true }]);
	expect(await sent()).toHaveLength(2);
});

test('a preview of a list, of which it counts what would be sent', async () => {
	const preview = {
		...{ resource: 'message', operation: 'preview', channelId: named('Support E-mail') },
		...{ toEmail: '={{ $json.email }}', text: '=Hi {{ $json.name }}' },
	};
	const run1 = await run(
		[preview],
		[
			{ email: 'ada@example.com', name: 'Ada' },
			{ email: '', name: 'Bob' },
		],
	);
	expect(run1.json.map(({ wouldSend }) => wouldSend)).toEqual([true, false]);
	expect(run1.json[1]?.['reason']).not.toBe('');
	expect(await sent()).toEqual([]);
});

test('an answer to what a webhook received, with a quote, once', async () => {
	const received = {
		...{ packageId: lab.state.accounts[0]!.accountId, channelId: lab.channelId('Support WhatsApp') },
		content: { type: 'TEXT', messageId: 'm-1', text: 'Hello?', from: { type: 'PHONE', phone: '+49 30 1' } },
	};
	const reply = {
		...{ resource: 'message', operation: 'reply', incoming: '={{ $json.body }}' },
		...{ text: '=Thanks for "{{ $json.body.content.text }}"', quote: true },
	};
	await run([reply], [{ body: received }]);
	await run([reply], [{ body: received }]);
	expect(await sent()).toMatchObject([
		{
			content: {
				to: { phone: '+49 30 1' },
				text: 'Thanks for "Hello?"',
				quotedMessage: { messageId: 'm-1' },
			},
		},
	]);
});

test('an approval with a button to decline, for two hours at most', async () => {
	const ask = {
		...{ resource: 'message', operation: 'sendAndWait', channelId: named('Support E-mail') },
		...{ toEmail: 'boss@example.com', message: '=May order {{ $json.order }} go on?' },
		responseType: 'approval',
		approvalOptions: {
			values: { approvalType: 'double', approveLabel: 'Yes', disapproveLabel: 'No' },
		},
		options: {
			limitWaitTime: {
				values: { limitType: 'afterTimeInterval', resumeAmount: 2, resumeUnit: 'hours' },
			},
		},
	};
	const waiting = await run([ask], [{ order: 7 }]);
	expect(waiting.status).toBe('waiting');
	const hours = (Date.parse(String(waiting.data.waitTill)) - Date.now()) / 3_600_000;
	expect(Math.round(hours)).toBe(2);
	expect((await lab.messages())[0]?.text).toContain('May order 7 go on?');
});

test('a form with a choice and a reason', async () => {
	const ask = {
		...{ resource: 'message', operation: 'sendAndWait', channelId: named('Support E-mail') },
		...{ toEmail: 'boss@example.com', message: 'What do you think?', responseType: 'customForm' },
		formFields: {
			values: [
				{
					...{ fieldLabel: 'Decision', fieldType: 'radio', requiredField: true },
					fieldOptions: { values: [{ option: 'Yes' }, { option: 'No' }] },
				},
				{ fieldLabel: 'Why?', fieldType: 'textarea', fieldName: 'reason' },
			],
		},
	};
	expect((await run([ask])).status).toBe('waiting');
});

test('a message that is sent, and deleted again', async () => {
	const send = {
		...{ resource: 'message', operation: 'send', channelId: named('Support E-mail') },
		...{ toEmail: '={{ $json.email }}', text: 'Hello' },
	};
	const remove = {
		...{ resource: 'message', operation: 'delete', channelId: id('={{ $json.channelId }}') },
		...{ chatId: '={{ $json.recipient }}', messageId: '={{ $json.messageId }}' },
	};
	const { json, error } = await run([send, remove], [{ email: 'ada@example.com' }]);
	expect([json, error?.message]).toMatchObject([[{ deleted: true }], undefined]);
});

test('an alarm when a channel drops, and at nothing else', async () => {
	const parameters = {
		events: ['channelDisconnected'],
		channelId: named('Support E-mail'),
		options: { holdFor: 1 },
	};
	const poll = await lab.engine.activate(parameters, lab.credential);
	const change = async (isConnected: boolean) => {
		await lab.client.changeChannel(lab.channelId('Support E-mail'), { isConnected });
		return ((await poll()) ?? []).flat().map(({ json }) => json['event']);
	};
	await poll();
	expect([await change(false), await change(true)]).toEqual([['channelDisconnected'], []]);
});

test('the channels of a team, and a message about each', async () => {
	const list = {
		...{ resource: 'channel', operation: 'getAll', returnAll: true },
		options: { nameContains: 'Support' },
	};
	const tell = {
		...{ resource: 'message', operation: 'send', channelId: named('Shop Newsletter') },
		...{ toEmail: 'ops@example.com', text: '={{ $json.name }}: {{ $json.isConnected ? "up" : "down" }}' },
	};
	const { json } = await run([list, tell]);
	expect(json).toHaveLength(6);
	expect(await lab.accepted()).toMatchObject({ 'Support E-mail: up': 1, 'Support CRM Hook: down': 1 });
});

test('an account, and a channel in it', async () => {
	const account = { resource: 'account', operation: 'create', name: '={{ $json.customer }}' };
	const channel = {
		...{ resource: 'channel', operation: 'create', name: '=Mail of {{ $json.name }}' },
		channelType: { __rl: true, mode: 'name', value: 'EMAIL' },
		providerId: id(lab.channel('Shop Newsletter').provider.providerId),
		accountId: id('={{ $json.accountId }}'),
		...{
			parametersMode: 'json',
			parameters: '{"host":"mail.example","fromAddress":"a@example.com","port":25}',
		},
	};
	const { json, error } = await run([account, channel], [{ customer: 'Umbrella' }]);
	expect([json, error?.message]).toMatchObject([[{ name: 'Mail of Umbrella' }], undefined]);
});

test('failed entries of an outbox, put back into it', async () => {
	const channelId = lab.channelId('Support Ticket Hook');
	const failed = lab.state.outbox.filter(
		(each) => each.channelId === channelId && each.statusName === 'Failed',
	);
	const entries = failed.map(({ httpSenderOutboxEntryId }) => httpSenderOutboxEntryId);
	const requeue = {
		...{ resource: 'outbox', operation: 'requeue', channelId: id('={{ $json.channelId }}') },
		entryIds: '={{ $json.entries }}',
	};
	const { json } = await run([requeue], [{ channelId, entries }]);
	expect(json).toMatchObject([{ success: true, ids: entries }]);
});
