import { triggerSchema } from '../../api/output-schemas.mts';
import { MessagingTrigger } from '../../nodes/Messaging/MessagingTrigger.node.ts';
import { exampleChapter, lines, NODE_TYPE, outputTable, WRITTEN } from './chapters.mts';
import { fieldTables } from './fields.mts';
import { code } from './markdown.mts';
import type { Example } from './record.mts';

/** What the trigger does: its own description is about the whole package. */
export const TRIGGER =
	'Starts a workflow when a channel drops, comes back, is created or removed, or changes its status or feedback channel';

/** The page of the trigger. */
export function triggerPage(example: Example): string {
	const { displayName, properties } = new MessagingTrigger().description;
	return lines(
		WRITTEN,
		`# ${displayName}\n`,
		`${TRIGGER}.\n`,
		'[All operations](README.md) · [Documentation](../README.md)\n',
		'What counts as a change, what the trigger remembers, and what happens if a poll fails: [Channel alarms](../trigger.md).\n',
		`In the JSON of a workflow: ${code('type')} ${code(`${NODE_TYPE}Trigger`)}. A whole node: [Example](#example).\n`,
		'## Fields\n',
		"**Poll Times**, n8n's own field, says how often the trigger polls.\n",
		...fieldTables(properties).first,
		'## Output\n',
		'One item for each change. `before` and `after` have the fields that changed.\n',
		...outputTable(triggerSchema()),
		'## Example\n',
		'A channel of the [embedded messaging service](../internals/sandbox.md) dropped between two polls. The second one:\n',
		...exampleChapter(example, `${NODE_TYPE}Trigger`),
	);
}

/** The name of the trigger's page. */
export const triggerPageName = 'trigger.md';
