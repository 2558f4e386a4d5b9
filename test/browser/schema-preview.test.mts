import { words } from '../cases/values.mts';
import type { Editor } from './editor.mts';
import { dragField, offeredFields } from './input-panel.mts';
import { useEditor } from './stage.mts';

/** The output schema of a node that has never run, as the next node shows it. */

let editor: Editor;
const { sandbox } = useEditor((opened) => (editor = opened));

describe('a node behind one that has never run', () => {
	test('offers the fields of its output, in the order in which they will come', async () => {
		await sandbox.clearRequests();
		await editor.newWorkflow();
		await editor.addNode('Get many channels');
		await editor.closeNode();
		await editor.addNode('Send a message');

		expect(await offeredFields(editor, 'Get many channels')).toEqual(
			words(
				'channelId name channelType provider isConnected status canSendAndReceiveMessage accountId accountName stateUpdatedAt',
			),
		);
	});

	test('takes one of them by dragging, as the expression that will find it', async () => {
		await dragField(editor, 'stateUpdatedAt', 'text');
		expect(await editor.parameter('text').innerText()).toContain('{{ $json.stateUpdatedAt }}');
		expect(await sandbox.requests()).toEqual([]);
	});
});
