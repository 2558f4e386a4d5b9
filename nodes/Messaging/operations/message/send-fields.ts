import type { INodeProperties } from 'n8n-workflow';

import { choiceField, collectionField, shownFor } from '../../fields/builders';
import { channelLocator } from '../../fields/locators';
import { additionalFields } from './additional-fields';
import { textFields } from './outgoing';
import { recipientFields } from './recipient';
import { DATA_IN_JSON } from '../../input/quoted-data';
import { asSentence } from '../../shared/text';

const inFieldsMode = { inputMode: ['fields'] };

/** In a tool, a model may write the package, so the recipient can be set beside it. */
const inPlaceOfPackage = recipientFields.map((field) => ({
	...field,
	required: false,
	description: `${asSentence(field.description)} Replaces the recipient in the package.`,
}));

/** Channel, recipient and content of a message, as fields or as a whole package. */
export const sendFields = [
	choiceField({
		name: 'inputMode',
		description: 'How to enter the message',
		default: 'fields',
		options: [
			{ name: 'Fields', value: 'fields', description: 'Fill in the fields below' },
			{ name: 'JSON', value: 'json', description: 'Enter the whole message package as JSON' },
		],
	}),
	{ ...channelLocator, displayOptions: { show: inFieldsMode } },
	{
		...channelLocator,
		displayOptions: { show: { inputMode: ['json'] } },
		required: false,
		description:
			'The channel to send through if the package has no channelId. In a tool of an AI agent, it replaces the one in the package.',
	},
	...shownFor({ inputMode: ['json'], '@tool': [true] }, inPlaceOfPackage),
	...shownFor(inFieldsMode, recipientFields),
	...shownFor(inFieldsMode, textFields),
	{
		displayName: 'Package',
		name: 'package',
		type: 'json',
		displayOptions: { show: { inputMode: ['json'] } },
		typeOptions: { rows: 8 },
		required: true,
		default:
			'{\n\t"content": {\n\t\t"type": "TEXT",\n\t\t"text": "",\n\t\t"to": { "type": "EMAIL", "email": "" }\n\t}\n}',
		description: `The whole message package as a JSON object. If it has no channelId, the channel above is used. Put phone numbers in quotes: as a number, +49 030 loses its plus sign and zeros. ${DATA_IN_JSON}.`,
	},
	{
		...collectionField('additionalFields', additionalFields),
		displayOptions: { show: inFieldsMode },
	},
] as const satisfies INodeProperties[];
