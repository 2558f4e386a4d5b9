import { setTimeout as sleep } from 'node:timers/promises';

import type { Editor } from './editor.mts';

/** The fields of a node in the input panel, from top to bottom, once the panel stops changing. */
export async function offeredFields(editor: Editor, node: string): Promise<string[]> {
	const panel = editor.part('ndv-input-panel');
	await panel.getByTestId('run-data-schema-header').filter({ hasText: node }).first().waitFor();
	await panel.getByTestId('run-data-schema-node-name').first().waitFor();
	let before: string[] = [];
	for (;;) {
		const fields = await shownFields(editor, node);
		if (fields.length > 0 && fields.join() === before.join()) return fields;
		before = fields;
		await sleep(500);
	}
}

async function shownFields(editor: Editor, node: string): Promise<string[]> {
	const rows = editor
		.part('ndv-input-panel')
		.locator('[data-test-id="run-data-schema-header"], [data-test-id="run-data-schema-item"]');
	// The panel recycles its rows, so their order in the page is arbitrary.
	const shown = await rows.evaluateAll((elements) =>
		elements
			.map((element) => ({
				top: element.getBoundingClientRect().top,
				isHeader: element.getAttribute('data-test-id') === 'run-data-schema-header',
				text: element.textContent.trim(),
			}))
			.sort((one, other) => one.top - other.top),
	);
	const below = shown.slice(shown.findIndex(({ isHeader, text }) => isHeader && text.includes(node)) + 1);
	const next = below.findIndex(({ isHeader }) => isHeader);
	return below.slice(0, next === -1 ? undefined : next).map(({ text }) => text);
}

/** Drags a field of the input panel into a parameter. */
export async function dragField(editor: Editor, field: string, parameter: string): Promise<void> {
	const from = editor
		.part('ndv-input-panel')
		.getByTestId('run-data-schema-node-name')
		.filter({ hasText: field })
		.first();
	await from.hover();
	await editor.page.mouse.down();
	await editor.parameter(parameter).hover();
	await editor.page.mouse.up();
	await editor.parameter(parameter).filter({ hasText: '{{' }).waitFor();
}
