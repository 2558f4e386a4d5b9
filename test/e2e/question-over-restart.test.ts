import { linkIn, openLink, sendAnswer } from '../../dev/harness/answer-page.ts';
import { credentialContent } from '../../dev/harness/credential.ts';
import { N8nClient, outputOf } from '../../dev/harness/n8n/api.ts';
import { startFreshN8n } from '../../dev/harness/n8n/fresh-n8n.ts';
import { freePort } from '../../dev/harness/n8n/ports.ts';
import { startN8n } from '../../dev/harness/n8n/server.ts';
import { byId, messagingWorkflow, names } from '../../dev/harness/workflows.ts';
import { readWorld } from '../../dev/harness/world.ts';
import { n8nUnderTest } from './offer.ts';
import { enterStage } from './stage.ts';

const { stage, sandbox } = enterStage();
const atEnd: Array<() => Promise<void> | void> = [];

afterAll(async () => {
	for (const step of atEnd.reverse()) await step();
});

test('a question outlives a restart of n8n', async () => {
	await sandbox.reset();
	const installation = await n8nUnderTest();
	const options = { port: await freePort(), logFile: '.e2e/restarted-n8n.log' };
	const { server, client, userFolder } = await startFreshN8n(installation, options, (step) =>
		atEnd.push(step),
	);
	const { channelId } = (await readWorld(sandbox, stage)).channel('Support E-mail');
	const { id: workflowId } = await client.createWorkflow(
		messagingWorkflow({
			name: 'Ask',
			credential: await client.createCredential(
				credentialContent(stage.sandbox.url, stage.sandbox.tokens.org),
			),
			parameters: {
				resource: 'message',
				operation: 'sendAndWait',
				channelId: byId(channelId),
				toEmail: 'ada@example.com',
				message: '=Asked at {{ $now.toMillis() }}, {{ Math.random() }}',
			},
		}),
	);
	const { id, status } = await client.runUntilWaiting(workflowId, names.start);
	expect(status).toBe('waiting');
	const text = (await sandbox.state()).messages[0]?.text ?? '';
	const link = linkIn(text);

	await server.stop();
	const again = await startN8n(installation, { ...options, userFolder });
	atEnd.push(again.stop);
	await again.ready();

	// The page shows the question as it was asked, even if its expressions would now give another text.
	expect((await openLink(link)).html).toContain(text.split('\n')[0]);
	expect((await sendAnswer(link, { answer: 'approve' })).status).toBe(200);
	const ended = await new N8nClient(again.url, client.session).waitForExecution(id);
	expect(ended.status).toBe('success');
	expect(outputOf(ended, names.messaging)).toMatchObject([{ json: { data: { approved: true } } }]);
	expect((await sandbox.state()).messages).toHaveLength(1);
}, 600_000);
