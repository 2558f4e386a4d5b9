import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { linkIn, openLink, sendAnswer } from '../../dev/harness/answer-page.ts';
import { credentialName } from '../../dev/harness/credential.ts';
import { exampleNames, readExample, withAssignments, withParameters } from '../../dev/harness/examples.ts';
import { filledExamples } from '../../dev/harness/fill-examples.ts';
import { outputOf } from '../../dev/harness/n8n/api.ts';
import type { Execution, WorkflowFile } from '../../dev/harness/n8n/api.ts';
import { uploadWithForm } from '../../dev/harness/n8n/form.ts';
import type { FormEnding } from '../../dev/harness/n8n/form.ts';
import { projectRoot } from '../../dev/harness/n8n/paths.ts';
import { startScriptedModel } from '../../dev/harness/scripted-model.ts';
import { everyThreeSeconds, messagingType, triggerType } from '../../dev/harness/workflows.ts';
import { readWorld, receivedCalls } from '../../dev/harness/world.ts';
import type { LoggedRequest } from '../../dev/sandbox/types.ts';
import { enterStage } from './stage.ts';
import { whereRuns } from './where.ts';

const { stage, n8n, sandbox } = enterStage();

const messagingNodes = (workflow: WorkflowFile): WorkflowFile['nodes'] =>
	workflow.nodes.filter(({ type }) =>
		[messagingType, `${messagingType}Tool`, `${messagingType}HitlTool`, triggerType].includes(type),
	);

describe('the example workflows', () => {
	beforeEach(async () => {
		await sandbox.reset();
	});

	it('are all tested here', () => {
		const files = readdirSync(join(projectRoot(), 'examples')).filter((file) => file.endsWith('.json'));
		expect(files.sort()).toEqual(exampleNames.map((name) => `${name}.json`).sort());
	});

	it.each(exampleNames)('%s can be shared: explained, and without anything of one installation', (name) => {
		const example = readExample(name);
		expect(example.nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote').length).toBeGreaterThan(
			0,
		);
		expect(example).not.toHaveProperty('id');
		expect(example.meta).not.toHaveProperty('instanceId');
		expect(example.nodes.map(({ type }) => type.split('.')[0])).toEqual(
			expect.not.arrayContaining([
				expect.not.stringMatching(/^(n8n-nodes-(base|unified-messaging)|@n8n\/n8n-nodes-langchain)$/),
			]),
		);
		for (const { credentials } of messagingNodes(example)) {
			expect(credentials).toEqual({ messagingApi: { id: null, name: credentialName } });
		}
	});

	it.each(exampleNames)('%s finds the credential by its name when it is imported', async (name) => {
		const imported = await n8n.createWorkflow(readExample(name));
		for (const { credentials } of messagingNodes(imported)) {
			expect(credentials?.['messagingApi']).toEqual({
				id: stage.credential.id,
				name: stage.credential.name,
			});
		}
	});

	it('webhook-to-message sends a message and answers the application', async () => {
		const world = await readWorld(sandbox, stage);
		const { channelId } = world.channel('Shop Newsletter');
		const workflow = await n8n.createWorkflow(filledExamples['webhook-to-message'](world));
		await n8n.activateWorkflow(workflow);
		const customer = { name: 'Ada', email: 'ada@example.com' };

		const sent = await n8n.callWebhook('order-shipped', { orderId: '1042', customer });

		expect(sent.statusCode).toBe(200);
		const [request] = await receivedCalls(sandbox);
		expect(request).toMatchObject({
			operationId: 'message.send',
			conforms: true,
			accepted: true,
			body: {
				channelId,
				correlationId: '1042',
				content: {
					type: 'TEXT',
					text: 'Hello Ada, your order 1042 is on its way.',
					to: { type: 'EMAIL', ...customer },
				},
			},
		});
		const { packageId } = request?.body as { packageId: string };
		expect(JSON.parse(sent.text)).toEqual({ sent: true, packageId });

		const refused = await n8n.callWebhook('order-shipped', {
			orderId: '1043',
			customer: { name: 'Bob', email: 'bob@nowhere' },
		});
		expect(refused.statusCode).toBe(502);
		expect(JSON.parse(refused.text)).toEqual({
			sent: false,
			outcome: 'rejected',
			reason: expect.stringContaining('e-mail address'),
		});
		await n8n.deactivateWorkflow(workflow.id);
	});

	it('scheduled-outbox-requeue puts failed entries back, once for the channel', async () => {
		const world = await readWorld(sandbox, stage);
		const { channelId, accountId, organizationId } = world.channel('Support Ticket Hook');
		const failed = world
			.entries('Support Ticket Hook', 'Failed')
			.map((entry) => entry.httpSenderOutboxEntryId);
		const sent = world.entries('Support Ticket Hook', 'Sent').map((entry) => entry.httpSenderOutboxEntryId);
		const unknown = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
		const example = withAssignments(filledExamples['scheduled-outbox-requeue'](world), 'Entries to Watch', {
			entryIds: JSON.stringify([...sent, ...failed, unknown]),
		});
		const { id } = await n8n.createWorkflow(example);

		const execution = await n8n.runWorkflow(id, 'Every 15 Minutes');

		expect(execution.status).toBe('success');
		const requests = await receivedCalls(sandbox);
		expect(requests.every(({ conforms }) => conforms)).toBe(true);
		expect(requests.filter(({ method }) => method === 'GET')).toHaveLength(sent.length + failed.length + 1);
		expect(requests.filter(({ method }) => method === 'POST')).toMatchObject([
			{
				operationId: 'outbox.requeue',
				accepted: true,
				body: { ids: failed, channelId, accountId, organizationId },
			},
		]);
		expect(outputOf(execution, 'Could Not Be Read')).toMatchObject([
			{ json: { error: { statusCode: 404 } } },
		]);
		expect(outputOf(execution, 'Requeue Entries')).toMatchObject([{ json: { success: true, ids: failed } }]);
		const after = await readWorld(sandbox, stage);
		expect(after.entries('Support Ticket Hook', 'Failed')).toEqual([]);
	});

	it('channel-overview counts the channels of each account and lists those that cannot send', async () => {
		const { channels, accounts } = await sandbox.state();
		const own = accounts.filter(({ name }) => name?.startsWith('Acme'));
		const ready = (channel: (typeof channels)[number]): boolean =>
			channel.isConnected && channel.status.canSendAndReceiveMessage;
		const { id } = await n8n.createWorkflow(readExample('channel-overview'));

		const execution = await n8n.runWorkflow(id, 'Start');

		expect(execution.status).toBe('success');
		expect(await receivedCalls(sandbox)).toMatchObject([{ operationId: 'channel.getAll', conforms: true }]);
		const rows = outputOf(execution, 'Per Account').map(({ json }) => json);
		expect(rows).toHaveLength(own.length);
		for (const { accountId, name } of own) {
			const itsChannels = channels.filter((channel) => channel.accountId === accountId);
			expect(rows).toContainEqual({
				account: name,
				channels: itsChannels.length,
				readyToSend: itsChannels.filter(ready).length,
			});
		}
		const notReady = channels.filter(
			(channel) => own.some(({ accountId }) => accountId === channel.accountId) && !ready(channel),
		);
		const listed = outputOf(execution, 'Needs a Look').map(({ json }) => json['name']);
		expect(listed.sort()).toEqual(notReady.map(({ name }) => name).sort());
	});

	it('channel-alarm sends one alarm for all that dropped, and one all-clear when they are back', async () => {
		const world = await readWorld(sandbox, stage);
		const example = withParameters(filledExamples['channel-alarm'](world), {
			'Channel Drops or Comes Back': { pollTimes: everyThreeSeconds },
		});
		const workflow = await n8n.createWorkflow(example);
		await n8n.activateWorkflow(workflow);
		const dropped = ['Shop Newsletter', 'Support WhatsApp'];
		const { organizationId } = world.channel('Support E-mail');
		const own = world.channels.filter((channel) => channel.organizationId === organizationId);
		const body = own.map((channel) => ({
			...channel,
			isConnected: channel.isConnected && !dropped.includes(channel.name ?? ''),
			stateUpdatedAt: '2026-03-01T08:15:00Z',
		}));

		await sandbox.setFaults([{ kind: 'reply', method: 'GET', path: '/Admin/Channel', body }]);
		await waitForMessages(1);
		await sandbox.clearFaults();
		const [alarm, allClear] = await waitForMessages(2);
		await n8n.deactivateWorkflow(workflow.id);

		expect(alarm).toMatchObject({
			operationId: 'message.send',
			conforms: true,
			accepted: true,
			body: {
				channelId: world.channel('Support E-mail').channelId,
				content: { to: { email: 'on-call@example.com', name: 'On Call' } },
			},
		});
		const linesOf = (message: LoggedRequest | undefined): string[] =>
			(message?.body as { content: { text: string } }).content.text.split('\n');
		const [head, ...lines] = linesOf(alarm);
		expect(head).toBe('Not connected any more: 2 channels.');
		expect(lines.sort()).toEqual(
			dropped.map((name) => {
				const type = world.channel(name).channelType.name;
				return `- ${name} (${type}), since 1 Mar, 08:15`;
			}),
		);
		expect(linesOf(allClear)[0]).toBe('Connected again: 2 channels.');
		expect(linesOf(allClear)).toHaveLength(3);
		expect((await n8n.executions(workflow.id)).map(({ status }) => status)).toEqual(['success', 'success']);
	});

	/** Waits until so many messages have reached the service. */
	async function waitForMessages(count: number): Promise<LoggedRequest[]> {
		const deadline = Date.now() + 60_000;
		for (;;) {
			const messages = (await sandbox.requests()).filter(({ operationId }) => operationId === 'message.send');
			if (messages.length >= count) return messages;
			if (Date.now() > deadline) throw new Error(`Only ${messages.length} messages arrived`);
			await sleep(200);
		}
	}

	describe('key-rotation-reminder', () => {
		const run = async (maxAgeDays?: number): Promise<Execution> => {
			const example = filledExamples['key-rotation-reminder'](await readWorld(sandbox, stage));
			const { id } = await n8n.createWorkflow(
				maxAgeDays === undefined ? example : withAssignments(example, 'Settings', { maxAgeDays }),
			);
			return await n8n.runWorkflow(id, 'Every Monday');
		};

		it('sends a reminder of a key that is too old', async () => {
			const world = await readWorld(sandbox, stage);
			const key = world.key('Acme organization key');
			const age = Math.floor((Date.now() - Date.parse(key.createdAt)) / 86_400_000);

			expect((await run()).status).toBe('success');

			expect((await sandbox.requests())[0]).toMatchObject({ operationId: 'apiKey.getCurrent' });
			expect(await receivedCalls(sandbox)).toMatchObject([
				{
					operationId: 'message.send',
					conforms: true,
					accepted: true,
					body: {
						channelId: world.channel('Support E-mail').channelId,
						content: {
							text: `The API key "${key.name}" is ${age} days old; 90 are allowed. Please replace it. Its ID is ${key.id}.`,
							to: { type: 'EMAIL', name: 'Key Owner', email: 'security@example.com' },
						},
					},
				},
			]);
		});

		it('sends nothing while the key is young enough', async () => {
			const execution = await run(100_000);

			expect(execution.status).toBe('success');
			expect(outputOf(execution, 'Still Good')).toHaveLength(1);
			expect(await receivedCalls(sandbox)).toEqual([]);
		});
	});

	const bulkSend = whereRuns('bulk-send-with-error-branch');
	bulkSend.describe(`bulk-send-with-error-branch${bulkSend.lacking}`, () => {
		const stored = { id: '' };

		beforeEach(async () => {
			const example = filledExamples['bulk-send-with-error-branch'](await readWorld(sandbox, stage));
			const workflow = await n8n.createWorkflow(example);
			stored.id = workflow.id;
			await n8n.activateWorkflow(workflow);
		});

		afterEach(async () => {
			await n8n.deactivateWorkflow(stored.id);
		});

		const upload = async (csv: string): Promise<FormEnding> => {
			const file = new File([csv], 'guests.csv', { type: 'text/csv' });
			return await uploadWithForm(n8n.url, 'bulk-send', file);
		};
		const ended = async ({ executionId }: FormEnding): Promise<Execution> =>
			await n8n.waitForExecution(executionId);

		it('sends to each row of an uploaded file as Excel writes it', async () => {
			const { channelId } = (await readWorld(sandbox, stage)).channel('Shop Newsletter');

			const ending = await upload(
				'\uFEFF' +
					[
						'name,email,text',
						'Ada,ada@example.com,Your table is booked for 7 pm.',
						'Grace,grace@example.com,"Your table is booked for 8 pm, by the window."',
						'',
						'Zoë,zoe@example.com,"Say ""hello"" at the door."',
						'',
					].join('\r\n'),
			);

			expect(ending).toMatchObject({
				title: 'All messages went out',
				text: 'Messages sent: 3',
				files: [],
			});
			expect((await ended(ending)).status).toBe('success');
			const requests = await receivedCalls(sandbox);
			expect(requests).toHaveLength(3);
			expect(requests.every(({ conforms, accepted }) => conforms && accepted)).toBe(true);
			const message = (name: string, email: string, text: string): unknown =>
				expect.objectContaining({
					channelId,
					content: expect.objectContaining({ text, to: { type: 'EMAIL', name, email } }),
				});
			expect(requests.map(({ body }) => body)).toEqual(
				expect.arrayContaining([
					message('Ada', 'ada@example.com', 'Hello Ada! Your table is booked for 7 pm.'),
					message('Grace', 'grace@example.com', 'Hello Grace! Your table is booked for 8 pm, by the window.'),
					message('Zoë', 'zoe@example.com', 'Hello Zoë! Say "hello" at the door.'),
				]),
			);
		});

		it('gives the rows that failed back, as a file that can be corrected and uploaded', async () => {
			await sandbox.setFaults([
				{
					kind: 'status',
					bodyContains: 'cleo@example.com',
					status: 400,
					body: { title: 'Unknown, "cleo"', status: 400 },
				},
				{ kind: 'lostResponse', bodyContains: 'dan@example.com' },
			]);

			const ending = await upload(
				[
					'phone,name,email,text',
					'+49301234567,Ada,ada@example.com,One',
					'007,Bob,bob@nowhere,Two',
					'+49301234568,Cleo,cleo@example.com,"Three,\nand a half"',
					',Dan,dan@example.com,Four',
				].join('\n'),
			);

			expect(ending).toMatchObject({
				title: '3 of 4 rows failed',
				text: expect.stringContaining('Messages sent: 1\n'),
				files: [{ name: 'failures.csv', type: 'text/csv' }],
			});
			expect((await ended(ending)).status).toBe('success');
			const recipients = (await receivedCalls(sandbox))
				.filter(({ accepted }) => accepted)
				.map(({ body }) => (body as { content: { to: { email: string } } }).content.to.email);
			expect(recipients.sort()).toEqual(['ada@example.com', 'dan@example.com']);

			await sandbox.clearFaults();
			await sandbox.clearRequests();
			const failures = ending.files[0]?.content.toString() ?? '';
			const again = await upload(failures.replace('bob@nowhere', 'bob@example.com'));

			expect(outputOf(await ended(again), 'Rows of the File').map(({ json }) => json)).toEqual([
				{
					phone: '007',
					name: 'Bob',
					email: 'bob@example.com',
					text: 'Two',
					outcome: 'rejected',
					reason: expect.stringContaining('e-mail address'),
				},
				{
					phone: '+49301234568',
					name: 'Cleo',
					email: 'cleo@example.com',
					text: 'Three,\nand a half',
					outcome: 'rejected',
					reason: expect.stringContaining('Unknown, "cleo"'),
				},
				{
					phone: '',
					name: 'Dan',
					email: 'dan@example.com',
					text: 'Four',
					outcome: 'unknown',
					reason: expect.stringMatching(/./),
				},
			]);
			expect(again).toMatchObject({ title: 'All messages went out', text: 'Messages sent: 3' });
			expect(await receivedCalls(sandbox)).toHaveLength(3);
		});

		it('says so when the file has no rows', async () => {
			expect(await upload('name,email,text\n')).toMatchObject({
				text: 'The file has no rows below the first. Nothing was sent.',
				files: [],
			});
			expect(await receivedCalls(sandbox)).toEqual([]);
		});
	});

	const answers = whereRuns('agent-answers-by-message');
	answers.it(
		`agent-answers-by-message sends what the model writes to whom it names${answers.lacking}`,
		async () => {
			const world = await readWorld(sandbox, stage);
			const answer = { recipient: 'ada@example.com', text: 'We open on Monday at 9 am.' };
			const model = await startScriptedModel([{ tool: /Send_Answer/, arguments: answer }]);
			try {
				await n8n.createCredential({
					name: 'OpenAI account',
					type: 'openAiApi',
					data: { apiKey: 'not needed', url: model.url, header: false },
				});
				const workflow = await n8n.createWorkflow(filledExamples['agent-answers-by-message'](world));
				await n8n.activateWorkflow(workflow);

				const question = 'When do you open?';
				const called = await n8n.callWebhook('customer-question', {
					name: 'Ada',
					email: 'ada@example.com',
					question,
				});
				await n8n.deactivateWorkflow(workflow.id);

				expect(called.statusCode).toBe(200);
				expect(called.text).toContain('The tool said');
				expect(JSON.stringify(model.prompts[0]?.messages)).toContain(question);
				expect(model.prompts[0]?.tools[0]?.parameters.properties).toMatchObject({
					recipient: { description: 'Email address of the person who asked' },
					text: { description: 'The answer, as plain text' },
				});
				expect(await receivedCalls(sandbox)).toMatchObject([
					{
						operationId: 'message.send',
						conforms: true,
						accepted: true,
						body: {
							channelId: world.channel('Support WhatsApp').channelId,
							content: { type: 'TEXT', text: answer.text, to: { type: 'EMAIL', email: answer.recipient } },
						},
					},
				]);
			} finally {
				await model.close();
			}
		},
	);

	it.each([
		['approve', 'ada@example.com', 'your order 1042 is confirmed'],
		['decline', 'ada@example.com', "we can't take your order 1042"],
	])('approval-before-order waits for a person: %s', async (answer, recipient, text) => {
		const world = await readWorld(sandbox, stage);
		const workflow = await n8n.createWorkflow(filledExamples['approval-before-order'](world));
		await n8n.activateWorkflow(workflow);
		const order = { orderId: '1042', total: 1250, customer: { name: 'Ada', email: 'ada@example.com' } };
		await n8n.callWebhook('order-received', order);
		const id = await n8n.waitForStart(workflow.id);
		expect((await n8n.waitUntilWaiting(id)).status).toBe('waiting');
		await n8n.deactivateWorkflow(workflow.id);

		const [question] = (await sandbox.state()).messages;
		expect(question?.recipient).toBe('boss@example.com');
		expect(question?.text).toContain('May order 1042 of Ada go on? It comes to 1250 euros.');
		const link = linkIn(question?.text);
		expect((await openLink(link)).html).toContain('Order 1042');
		expect((await sendAnswer(link, { answer })).status).toBe(200);

		expect((await n8n.waitForExecution(id)).status).toBe('success');
		const [, last, ...more] = (await sandbox.state()).messages;
		expect(more).toEqual([]);
		expect(last?.recipient).toBe(recipient);
		expect(last?.text).toContain(text);
	});

	it('second-channel sends to the phone what was not sent by e-mail, and nothing that may have been', async () => {
		const world = await readWorld(sandbox, stage);
		const workflow = await n8n.createWorkflow(filledExamples['second-channel'](world));
		await n8n.activateWorkflow(workflow);
		await sandbox.setFaults([
			{
				kind: 'status',
				bodyContains: 'bob@example.com',
				status: 400,
				body: { title: 'Unknown mailbox', status: 400 },
			},
			{ kind: 'lostResponse', bodyContains: 'dan@example.com' },
		]);
		const emails = {
			ada: 'ada@example.com',
			bob: 'bob@example.com',
			cleo: 'no address',
			dan: 'dan@example.com',
		};
		const messages = Object.entries(emails).map(([id, email]) => ({
			id,
			email,
			phone: `+49 30 ${id}`,
			text: `To ${id}`,
		}));

		await n8n.callWebhook('messages-to-send', { messages });

		const execution = await n8n.waitForExecution(await n8n.waitForStart(workflow.id));
		await n8n.deactivateWorkflow(workflow.id);
		expect(execution.status).toBe('success');
		const sent = (await receivedCalls(sandbox))
			.filter(({ accepted }) => accepted)
			.map(({ body }) => body as { channelId: string; content: { to: object; text: string } });
		const emailChannel = world.channel('Shop Newsletter').channelId;
		const phoneChannel = world.channel('Support WhatsApp').channelId;
		expect(
			sent.map(({ channelId, content: { to, text } }) => ({ channelId, to, text })).toSorted(byText),
		).toEqual([
			{ channelId: emailChannel, to: { type: 'EMAIL', email: 'ada@example.com' }, text: 'To ada' },
			{ channelId: phoneChannel, to: { type: 'PHONE', phone: '+49 30 bob' }, text: 'To bob' },
			{ channelId: phoneChannel, to: { type: 'PHONE', phone: '+49 30 cleo' }, text: 'To cleo' },
			// The answer was lost: the message arrived, but is in doubt for the node.
			{ channelId: emailChannel, to: { type: 'EMAIL', email: 'dan@example.com' }, text: 'To dan' },
		]);
		expect(outputOf(execution, 'Look at the Service First')).toMatchObject([
			{ json: { id: 'dan', error: { outcome: 'unknown' } } },
		]);
	});

	const byText = (one: { text: string }, other: { text: string }): number =>
		one.text.localeCompare(other.text);

	const asks = whereRuns('agent-asks-a-person');
	asks.it.each([
		['approve', 2],
		['decline', 1],
	])(`agent-asks-a-person acts only when it may: %s${asks.lacking}`, async (answer, messages) => {
		const world = await readWorld(sandbox, stage);
		const words = { recipient: 'ada@example.com', text: 'You get your money back.' };
		const model = await startScriptedModel([
			{ tool: /Promise_Refund/, arguments: { toolParameters: words } },
		]);
		try {
			// Earlier tests have made credentials with the name that the example looks for.
			const { id: modelId, name: modelName } = await n8n.createCredential({
				name: 'Model of this test',
				type: 'openAiApi',
				data: { apiKey: 'not needed', url: model.url, header: false },
			});
			const example = filledExamples['agent-asks-a-person'](world);
			const credentials = { openAiApi: { id: modelId, name: modelName } };
			const workflow = await n8n.createWorkflow({
				...example,
				nodes: example.nodes.map((node) =>
					node.name === 'OpenAI Chat Model' ? { ...node, credentials } : node,
				),
			});
			await n8n.activateWorkflow(workflow);
			await n8n.callWebhook('customer-complaint', {
				name: 'Ada',
				email: 'ada@example.com',
				complaint: 'My order broke on the way.',
			});
			const id = await n8n.waitForStart(workflow.id);
			expect((await n8n.waitUntilWaiting(id)).status).toBe('waiting');
			await n8n.deactivateWorkflow(workflow.id);
			const [question] = (await sandbox.state()).messages;
			expect(question?.text).toContain('You get your money back.');

			expect((await sendAnswer(linkIn(question?.text), { answer })).status).toBe(200);

			expect((await n8n.waitForExecution(id)).status).toBe('success');
			expect((await sandbox.state()).messages.map(({ recipient }) => recipient)).toEqual(
				['boss@example.com', 'ada@example.com'].slice(0, messages),
			);
		} finally {
			await model.close();
		}
	});
});
