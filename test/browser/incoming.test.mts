import { credentialContent } from '../../dev/harness/credential.mts';
import { readExample } from '../../dev/harness/examples.mts';
import type { Editor } from './editor.mts';
import { useEditor } from './stage.mts';

/** The examples that answer customers, as somebody sees them who imports one. */

let editor: Editor;
const { stage, n8n, sandbox } = useEditor((opened) => (editor = opened));

beforeAll(async () => {
	await sandbox.reset();
	await n8n.createCredential(credentialContent(stage.sandbox.url, stage.sandbox.tokens.org));
	await n8n.createCredential({ name: 'OpenAI account', type: 'openAiApi', data: { apiKey: 'none' } });
});

test.each<[string, issues: number]>([
	['answer-a-customer', 0],
	['agent-answers-a-customer', 0],
	// It needs a channel.
	['webhook-to-message', 1],
])('%s opens with so many nodes that lack something: %i', async (name, issues) => {
	const { id } = await n8n.createWorkflow(readExample(name));
	await editor.openWorkflow(id);
	const marks = editor.page.getByTestId('node-issues');
	if (issues > 0) await marks.first().waitFor();
	else await editor.page.waitForTimeout(1000);
	expect(await marks.count()).toBe(issues);
});
