import type { INodeProperties } from 'n8n-workflow';

import { additionalFields } from './additional-fields';

const inFieldsMode = { inputMode: ['fields'] };

/** What a message says and whom it goes to, as fields or as a whole package. */
export const sendFields = [
	{
		displayName: 'Input Mode',
		name: 'inputMode',
		type: 'options',
		options: [
			{ name: 'Fields', value: 'fields', description: 'Fill in one field after the other' },
			{ name: 'JSON', value: 'json', description: 'Give the whole message package as JSON' },
		],
		default: 'fields',
		description: 'How to enter the message',
	},
	{
		displayName: 'Address Type',
		name: 'addressType',
		type: 'options',
		displayOptions: { show: inFieldsMode },
		options: [
			{ name: 'Email', value: 'EMAIL', description: 'An email address' },
			{ name: 'Other', value: 'other', description: 'An address of another kind, given as JSON' },
		],
		default: 'EMAIL',
		description: 'The kind of address that the message goes to',
	},
	{
		displayName: 'To Email',
		name: 'toEmail',
		type: 'string',
		displayOptions: { show: { ...inFieldsMode, addressType: ['EMAIL'] } },
		required: true,
		default: '',
		placeholder: 'e.g. ada@example.com',
		description: 'Email address of the recipient',
	},
	{
		displayName: 'To Name',
		name: 'toName',
		type: 'string',
		displayOptions: { show: { ...inFieldsMode, addressType: ['EMAIL'] } },
		default: '',
		placeholder: 'e.g. Ada Lovelace',
		description: 'Name of the recipient',
	},
	{
		displayName: 'To Type',
		name: 'toType',
		type: 'string',
		displayOptions: { show: { ...inFieldsMode, addressType: ['other'] } },
		required: true,
		default: '',
		placeholder: 'e.g. PHONE',
		description: 'The type of the address, as your service spells it',
	},
	{
		displayName: 'To Fields',
		name: 'toFields',
		type: 'json',
		displayOptions: { show: { ...inFieldsMode, addressType: ['other'] } },
		default: '{}',
		description: 'The other fields of the address as a JSON object, as your service names them',
	},
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		displayOptions: { show: { ...inFieldsMode, contentType: ['TEXT'] } },
		typeOptions: { rows: 3 },
		required: true,
		default: '',
		placeholder: 'e.g. Your order is on its way',
		description: 'Text of the message',
	},
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		displayOptions: { show: inFieldsMode, hide: { contentType: ['TEXT'] } },
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. Your order is on its way',
		description: 'Text of the message, if content of this type has one',
	},
	{
		displayName: 'Content Type',
		name: 'contentType',
		type: 'string',
		displayOptions: { show: inFieldsMode },
		default: 'TEXT',
		placeholder: 'e.g. TEXT',
		description: 'The kind of content, as your service spells it',
	},
	{
		displayName: 'Package',
		name: 'package',
		type: 'json',
		displayOptions: { show: { inputMode: ['json'] } },
		typeOptions: { rows: 8 },
		required: true,
		default:
			'{\n\t"content": {\n\t\t"type": "TEXT",\n\t\t"text": "",\n\t\t"to": { "type": "EMAIL", "email": "" }\n\t}\n}',
		description:
			'The whole message package as a JSON object. Its channelId wins over the channel chosen above, which fills it in when it is missing.',
	},
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'collection',
		displayOptions: { show: inFieldsMode },
		placeholder: 'Add Field',
		default: {},
		options: [...additionalFields],
	},
] as const satisfies INodeProperties[];
