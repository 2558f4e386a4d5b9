/** An ID of 19 digits that is a number in what a webhook receives: the way that the docs name keeps all digits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';

import { outputOf } from '../../dev/harness/n8n/api.mts';
import { inARow, messagingType, node, withCredential } from '../../dev/harness/workflows.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { enterStage } from './stage.mts';

const { stage, n8n, sandbox } = enterStage();

const path = 'long-numbers';

/** The expression in the docs. */
const [readsAllDigits = ''] =
	/^\{\{ JSON\.parse.+\}\}$/m.exec(readFileSync(join(process.cwd(), 'docs/texts.md'), 'utf8')) ?? [];

/** Answers what the webhook receives: read as n8n reads it, or with all digits. */
async function answerOf(keepsDigits: boolean, body: string) {
	const reading = keepsDigits
		? [
				node('Text', 'n8n-nodes-base.extractFromFile', 2, { operation: 'text' }),
				node('Message', 'n8n-nodes-base.set', 3, { mode: 'raw', jsonOutput: `=${readsAllDigits}` }, 3.4),
			]
		: [node('Message', 'n8n-nodes-base.set', 3, { mode: 'raw', jsonOutput: '={{ $json.body }}' }, 3.4)];
	const webhook = { httpMethod: 'POST', path, options: keepsDigits ? { rawBody: true } : {} };
	const reply = { resource: 'message', operation: 'reply', text: 'Hello', options: { answerOnce: true } };
	const nodes = [
		{ ...node('Webhook', 'n8n-nodes-base.webhook', 1, webhook, 2), webhookId: path },
		...reading,
		{
			...node('Reply', messagingType, 4, reply),
			...withCredential(stage.credential),
			onError: 'continueRegularOutput' as const,
		},
	];
	const stored = await n8n.createWorkflow({
		name: path,
		nodes,
		connections: inARow(...nodes.map(({ name }) => name)),
		settings: { executionOrder: 'v1' },
	});
	await n8n.activateWorkflow(stored);
	try {
		const headers = { 'content-type': 'application/json' };
		await (await request(`${stage.n8nUrl}/webhook/${path}`, { method: 'POST', headers, body })).body.dump();
		const execution = await n8n.waitForFirstExecution(stored.id);
		return outputOf(execution, 'Reply')[0]?.json;
	} finally {
		await n8n.deactivateWorkflow(stored.id);
	}
}

test('n8n rounds it, which is refused; read from the raw body, it has all digits', async () => {
	await sandbox.reset();
	const { channelId } = (await readWorld(sandbox, stage)).channel('Support E-mail');
	const body = `{"channelId": "${channelId}", "content": {"messageId": 7412589630147258963, "n": [1.5, -2], "text": "at: 7412589630147258963,", "from": {"type": "EMAIL", "email": "ada@example.com"}}}`;

	expect(JSON.stringify(await answerOf(false, body))).toMatch(/rounded number: 741258963014725\d+.*Raw Body/);
	expect(await answerOf(true, body)).toMatchObject({
		onceKey: expect.stringContaining('"7412589630147258963"') as string,
	});
});
