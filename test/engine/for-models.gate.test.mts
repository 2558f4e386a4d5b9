/** Ten workflows, written from docs/for-models.md alone, as a model would write them. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Run } from './run.mts';
import { useLab } from './lab.mts';
import { messagingNode, type NodeSettings, startName, startNode, workflow } from './workflow.mts';

const lab = useLab();

const id = (value: string) => ({ __rl: true, mode: 'id', value });
const named = (value: string) => ({ __rl: true, mode: 'name', value });
const message = (operation: string, more: INodeParameters): INodeParameters => ({
	...{ resource: 'message', operation, channelId: named('Support E-mail'), toEmail: 'ada@example.com' },
	...more,
});

/** Runs nodes one after the other. */
async function run(
	nodes: INodeParameters[],
	items: IDataObject[],
	settings: NodeSettings = {},
): Promise<Run> {
	const all = nodes.map((parameters, n) => messagingNode(parameters, settings, `Node ${n}`));
	const names = [startName, ...all.map(({ name }) => name)];
	return await lab.engine.run({
		workflow: workflow(
			[startNode(), ...all],
			names.slice(1).map((name, n) => [names[n] ?? '', name]),
		),
		credential: lab.credential,
		items: items.map((json) => ({ json })),
		watch: names.at(-1) ?? '',
	});
}

test('a WhatsApp reminder for each row, once a month; rows that fail leave by the error output', async () => {
	const remind = message('send', {
		...{ channelId: named('Support WhatsApp'), addressType: 'other', toType: 'PHONE' },
		toRows: { values: [{ name: 'phone', value: '={{ $json.phone }}' }] },
		text: '=Please pay {{ $json.amount }}.',
		options: { onceKey: "=due-{{ $json.id }}-{{ $now.toFormat('yyyy-MM') }}" },
	});
	const rows = ['+49 30 1', '', '+49 30 3'].map((phone, n) => ({ id: n, amount: 10, phone }));
	const first = await run([remind], rows, { onError: 'continueErrorOutput' });
	const again = await run([remind], rows, { onError: 'continueErrorOutput' });
	expect(first.main.map(({ length }) => length)).toEqual([2, 1]);
	expect(first.main[1][0]?.json).toMatchObject({ ...rows[1], error: { outcome: 'unsent' } });
	expect(again.json).toMatchObject([{ alreadySent: true }, { alreadySent: true }]);
	expect(await lab.messages()).toHaveLength(2);
});

test('a preview of a list', async () => {
	const preview = message('preview', { toEmail: '={{ $json.email }}', text: 'Hello' });
	const { json } = await run([preview], [{ email: 'ada@example.com' }, { email: '' }]);
	expect(json).toMatchObject([{ wouldSend: true }, { wouldSend: false, reason: expect.any(String) }]);
	expect(await lab.messages()).toEqual([]);
});

test('an answer to what a webhook received, with a quote, once', async () => {
	const from = { type: 'PHONE', phone: '+49 30 1' };
	const content = { type: 'TEXT', messageId: 'm-1', text: 'Hello?', from };
	const reply = {
		...{ resource: 'message', operation: 'reply', incoming: '={{ $json.body }}', quote: true },
		text: '=Thanks for "{{ $json.body.content.text }}"',
	};
	const body = { channelId: lab.channelId('Support WhatsApp'), content };
	await run([reply], [{ body }]);
	await run([reply], [{ body }]);
	const sent = (await lab.requestsOf('message.send')).map((request) => request.body);
	const quotedMessage = { messageId: 'm-1' };
	expect(sent).toMatchObject([{ content: { to: from, text: 'Thanks for "Hello?"', quotedMessage } }]);
});

test('an approval with a button to decline, for two hours at most', async () => {
	const limit = { limitType: 'afterTimeInterval', resumeAmount: 2, resumeUnit: 'hours' };
	const ask = message('sendAndWait', {
		...{ message: '=May order {{ $json.order }} go on?', responseType: 'approval' },
		approvalOptions: { values: { approvalType: 'double', approveLabel: 'Yes', disapproveLabel: 'No' } },
		options: { limitWaitTime: { values: limit } },
	});
	const waiting = await run([ask], [{ order: 7 }]);
	expect(waiting.status).toBe('waiting');
	expect(Math.round((Date.parse(String(waiting.data.waitTill)) - Date.now()) / 3_600_000)).toBe(2);
	expect((await lab.messages())[0]?.text).toContain('May order 7 go on?');
});

test('a form with a choice and a reason', async () => {
	const options = { values: [{ option: 'Yes' }, { option: 'No' }] };
	const values = [
		{ fieldLabel: 'Decision', fieldType: 'radio', requiredField: true, fieldOptions: options },
		{ fieldLabel: 'Why?', fieldType: 'textarea', fieldName: 'reason' },
	];
	const ask = message('sendAndWait', {
		message: 'Well?',
		responseType: 'customForm',
		formFields: { values },
	});
	expect((await run([ask], [{}])).status).toBe('waiting');
});

test('a message that is sent, and deleted again', async () => {
	const remove = {
		...{ resource: 'message', operation: 'delete', channelId: id('={{ $json.channelId }}') },
		...{ chatId: '={{ $json.recipient }}', messageId: '={{ $json.messageId }}' },
	};
	const { json, error } = await run([message('send', { text: 'Hello' }), remove], [{}]);
	expect([json, error?.message]).toMatchObject([[{ deleted: true }], undefined]);
});

test('an alarm when a channel drops, and at nothing else', async () => {
	const watch = {
		events: ['channelDisconnected'],
		channelId: named('Support E-mail'),
		options: { holdFor: 1 },
	};
	const poll = await lab.engine.activate(watch, lab.credential);
	const change = async (isConnected: boolean) => {
		await lab.client.changeChannel(lab.channelId('Support E-mail'), { isConnected });
		return ((await poll()) ?? []).flat().map(({ json }) => json['event']);
	};
	await poll();
	expect([await change(false), await change(true)]).toEqual([['channelDisconnected'], []]);
});

test('the channels of a team, and a message about each', async () => {
	const options = { nameContains: 'Support' };
	const list = { resource: 'channel', operation: 'getAll', returnAll: true, options };
	const tell = message('send', { text: '={{ $json.name }}: {{ $json.isConnected ? "up" : "down" }}' });
	expect((await run([list, tell], [{}])).json).toHaveLength(6);
	expect(await lab.accepted()).toMatchObject({ 'Support E-mail: up': 1, 'Support CRM Hook: down': 1 });
});

test('an account, and a channel in it', async () => {
	const account = { resource: 'account', operation: 'create', name: '={{ $json.customer }}' };
	const channel = {
		...{
			resource: 'channel',
			operation: 'create',
			name: '=Mail of {{ $json.name }}',
			channelType: named('EMAIL'),
		},
		...{ providerId: id(lab.channel().provider.providerId), accountId: id('={{ $json.accountId }}') },
		parametersMode: 'json',
		parameters: '{"host":"mail.example","fromAddress":"a@example.com","port":25}',
	};
	const { json, error } = await run([account, channel], [{ customer: 'Umbrella' }]);
	expect([json, error?.message]).toMatchObject([[{ name: 'Mail of Umbrella' }], undefined]);
});

test('failed entries of an outbox, put back into it', async () => {
	const channelId = lab.channelId('Support Ticket Hook');
	const failed = lab.state.outbox.filter(
		(each) => each.channelId === channelId && each.statusName === 'Failed',
	);
	const ids = failed.map((each) => each.httpSenderOutboxEntryId);
	const requeue = { resource: 'outbox', operation: 'requeue', channelId: id('={{ $json.channelId }}') };
	const { json } = await run([{ ...requeue, entryIds: '={{ $json.ids }}' }], [{ channelId, ids }]);
	expect(json).toMatchObject([{ success: true, ids }]);
});
