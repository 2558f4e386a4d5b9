/** @jest-environment node */

import { credentialContent } from '../../dev/harness/credential.mts';
import { importExample, publishAnswering } from '../../dev/harness/deliver-to.mts';
import { filledExample } from '../../dev/harness/fill-examples.mts';
import { type Execution, N8nClient, outputOf } from '../../dev/harness/n8n/api.mts';
import { ensureN8n } from '../../dev/harness/n8n/install.mts';
import { freePort } from '../../dev/harness/n8n/ports.mts';
import { startN8n } from '../../dev/harness/n8n/server.mts';
import { DataTables } from '../../dev/harness/n8n/tables.mts';
import { buildStage } from '../../dev/harness/stage.mts';
import { onTeardown, tearDown } from '../../dev/harness/teardown-list.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import { eventually } from '../waiting.mts';

/** An n8n of its own, because it is stopped while customers write. */

afterAll(tearDown);

test('messages that came while n8n was down arrive after scheduled-outbox-requeue, and are answered once', async () => {
	const installation = await ensureN8n();
	const port = await freePort();
	const logFile = '.e2e/n8n-was-down.log';
	const { sandbox: service, n8n } = await buildStage(installation, {
		n8n: { port, logFile },
	});
	const sandbox = new SandboxClient(service.control);
	await n8n.client.createCredential(credentialContent(service.url, service.tokens.org));
	const { deliveringChannelId: channelId } = await publishAnswering(
		'answer-a-customer',
		['Support E-mail'],
		n8n.client,
		sandbox,
		service,
	);
	const { channels } = await sandbox.state();
	const customers = channels.find(({ name }) => name === 'Support E-mail')?.channelId ?? '';

	await n8n.server.stop();
	const entryIds: Array<string | null> = [];
	for (const from of ['ada@example.com', 'bob@example.com']) {
		const { outboxEntryId } = await sandbox.receive({
			channelId: customers,
			from,
			text: 'When do you open?',
		});
		entryIds.push(outboxEntryId);
	}
	await sandbox.deliverOutbox();
	const entries = async () => (await sandbox.state()).outbox.filter((entry) => entry.channelId === channelId);
	const failed = { statusName: 'Failed', responseStatusCode: null, sentAt: null };
	expect(await entries()).toMatchObject([failed, failed]);

	const server = await startN8n(installation, { userFolder: n8n.userFolder, port, logFile });
	onTeardown(server.stop);
	await server.ready();
	const client = new N8nClient(server.url, n8n.client.session);
	const world = await readWorld(sandbox, { sandbox: service });
	const { id } = await importExample(client, filledExample('scheduled-outbox-requeue', world));
	await new DataTables(client).insert(
		'Messaging watched entries',
		entryIds.map((entryId) => ({ channelId, entryId, tries: 0, state: 'watched', note: '' })),
	);
	const run = async () => await client.runWorkflow(id, 'Every 15 Minutes');
	const requeued = (execution: Execution) => outputOf(execution, 'Requeue Entry');
	expect(requeued(await run()).map(({ json }) => json['ids'])).toEqual(entryIds.map((each) => [each]));

	const answers = async () => (await sandbox.state()).messages.filter(({ sender }) => sender === null);
	await eventually(async () => (await answers()).length === 2, 'both answers', 200);
	const sent = { statusName: 'Sent', responseStatusCode: 200, retryCount: 1 };
	expect(await entries()).toMatchObject([sent, sent]);
	expect((await answers()).map(({ recipient }) => recipient).sort()).toEqual([
		'ada@example.com',
		'bob@example.com',
	]);
	// Nothing is left to requeue.
	expect(requeued(await run())).toEqual([]);
});
