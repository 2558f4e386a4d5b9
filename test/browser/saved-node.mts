import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { credentialContent } from '../../dev/harness/credential.mts';
import { byId, messagingWorkflow, names } from '../../dev/harness/workflows.mts';
import { eventually } from '../waiting.mts';
import type { Editor } from './editor.mts';
import { useEditor } from './stage.mts';

/** Opens n8n's editor for the tests of a file, and in it workflows that are saved with one node. */
export function useSavedNode() {
	let current: Editor;
	const entered = useEditor((opened) => (current = opened));
	const { n8n, sandbox, stage } = entered;
	const editor = (): Editor => current;

	/** Opens a node that sends a message, with these parameters. Returns the ID of its workflow. */
	async function opened(change: INodeParameters, items?: readonly IDataObject[]): Promise<string> {
		const { channels } = await sandbox.state();
		const channelId = channels.find(({ name }) => name === 'Support WhatsApp')?.channelId ?? '';
		const content = credentialContent(stage.sandbox.url, stage.sandbox.tokens.org);
		const parameters = {
			resource: 'message',
			operation: 'send',
			channelId: byId(channelId),
			toEmail: 'ada@example.com',
			text: 'Hi',
			...change,
		};
		const credential = await n8n.createCredential(content);
		const { id } = await n8n.createWorkflow(
			messagingWorkflow({ name: 'Saved', credential, parameters, ...(items && { items }) }),
		);
		await reopen(id);
		return id;
	}

	/** Opens the node of a workflow as it is saved. */
	async function reopen(id: string): Promise<void> {
		await editor().openWorkflow(id);
		await editor().openNode(names.messaging);
	}

	/** Saves the workflow, and waits until its node has these parameters, apart from those that are empty. */
	async function expectSaved(id: string, expected: object): Promise<void> {
		await editor().closeNode();
		await editor().page.keyboard.press('Control+s');
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

	return { ...entered, editor, opened, reopen, expectSaved };
}
