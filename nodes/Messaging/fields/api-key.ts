import type { INodeProperties } from 'n8n-workflow';

/** The API key that an operation works on; the interface shows no list to pick one from. */
export const apiKeyIdField = {
	displayName: 'API Key ID',
	name: 'apiKeyId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
	description: 'UUID of the API key, not its token',
} as const satisfies INodeProperties;
