/** In the editor, nothing is left of another operation, which the node would refuse; what it refuses is named. */
import type { INodeParameters } from 'n8n-workflow';

import { credentialContent } from '../../dev/harness/credential.mts';
import { messagingWorkflow, names } from '../../dev/harness/workflows.mts';
import { eventually } from '../waiting.mts';
import type { Editor } from './editor.mts';
import { useEditor } from './stage.mts';

let editor: Editor;
const { n8n, sandbox, stage } = useEditor((opened) => (editor = opened));

/** Opens a node that sends a message, with these parameters. Returns the ID of its workflow. */
async function opened(change: INodeParameters): Promise<string> {
	const { channels } = await sandbox.state();
	const value = channels.find(({ name }) => name === 'Support WhatsApp')?.channelId ?? '';
	const content = credentialContent(stage.sandbox.url, stage.sandbox.tokens.org);
	const parameters = {
		resource: 'message',
		operation: 'send',
		channelId: { __rl: true, mode: 'id', value },
		toEmail: 'ada@example.com',
		text: 'Hi',
		...change,
	};
	const credential = await n8n.createCredential(content);
	const { id } = await n8n.createWorkflow(messagingWorkflow({ name: 'Misplaced', credential, parameters }));
	await editor.openWorkflow(id);
	await editor.openNode(names.messaging);
	return id;
}

/** Saves the workflow, and waits until its node has these parameters, apart from those that are empty. */
async function expectSaved(id: string, expected: object): Promise<void> {
	await editor.closeNode();
	await editor.page.keyboard.press('Control+s');
	const saved = async (): Promise<INodeParameters> => {
		const { nodes } = (await n8n.call('GET', `/rest/workflows/${id}`)) as {
			nodes: Array<{ name: string; parameters: INodeParameters }>;
		};
		const { channelId: _, ...rest } = nodes.find(({ name }) => name === names.messaging)?.parameters ?? {};
		return Object.fromEntries(Object.entries(rest).filter(([, each]) => JSON.stringify(each) !== '{}'));
	};
	const wanted = JSON.stringify(expected);
	await eventually(async () => JSON.stringify(await saved()) === wanted, wanted).catch(async () => {
		expect(await saved()).toEqual(expected);
	});
}

test('an operation that is chosen in place of another one has nothing of it', async () => {
	const id = await opened({ additionalFields: { priority: 3 }, options: { onceKey: 'k1' } });
	await editor.choose('operation', 'Edit');
	await editor.type('newText', 'Changed');
	await expectSaved(id, { operation: 'edit', newText: 'Changed' });
});

test('what both have stays', async () => {
	const additionalFields = { correlationId: 'c-1', priority: 3 };
	const id = await opened({ additionalFields, options: { onceKey: 'k1', timeout: 20 } });
	await editor.choose('operation', 'Edit');
	await editor.type('newText', 'Changed');
	await expectSaved(id, {
		operation: 'edit',
		newText: 'Changed',
		additionalFields: { correlationId: 'c-1' },
		options: { timeout: 20 },
	});
});

test('a Send that is previewed, and switched back, has lost nothing, and nothing was sent', async () => {
	const fields = {
		text: 'Hi',
		additionalFields: { correlationId: 'c-1', priority: 3 },
		options: { onceKey: 'k1', pauseBetween: 2.5 },
	};
	const id = await opened(fields);
	await editor.choose('operation', 'Preview');
	await sandbox.clearRequests();
	await editor.execute('wouldSend');
	await editor.choose('operation', 'Send a message to a recipient');
	await expectSaved(id, { toEmail: 'ada@example.com', ...fields });
	expect((await sandbox.requests()).filter(({ path }) => path.endsWith('/SendMessage'))).toEqual([]);
});

test('JSON that is switched off is gone', async () => {
	const id = await opened({ inputMode: 'json', package: '{"content": {"text": "x"}}' });
	await editor.choose('inputMode', 'Fields');
	await editor.type('toEmail', 'grace@example.com');
	await editor.type('text', 'Hello');
	await expectSaved(id, { toEmail: 'grace@example.com', text: 'Hello' });
});

test('a name that no field has does no harm to the editor, and the error says where it belongs', async () => {
	await opened({ options: { sendOnlyOncePer: 'k1', timeout: 5 }, additionalFields: { foo: 1 } });
	await editor.type('text', 'Hello');
	expect(await editor.page.getByText('Timeout').count()).toBeGreaterThan(0);
	await sandbox.clearRequests();
	await editor.execute('does not exist here');
	expect((await sandbox.requests()).filter(({ path }) => path.endsWith('/SendMessage'))).toEqual([]);
	await editor.closeNode();
});
