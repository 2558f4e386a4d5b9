import type { INodeProperties } from 'n8n-workflow';

/** The outbox entry that an operation works on. */
export const entryIdField = {
	displayName: 'Entry ID',
	name: 'entryId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
	description: 'UUID of the outbox entry (httpSenderOutboxEntryId)',
} as const satisfies INodeProperties;
