import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { additionalFieldsOf } from '../../fields/builders';
import { channelLocator } from '../../fields/locators';
import type { Properties } from '../../input/parameter-types';
import { additionalFields } from './additional-fields';
import { recipientFields } from './recipient';

const inFieldsMode = { inputMode: ['fields'] };

/**
 * Whether a content type was added, empty or not: until then it is TEXT, which needs a text. No pattern decides it: n8n
 * gives one a quarter of a second by the clock, and fails the workflow when a busy server takes longer. The leading
 * slash looks from the top of the node: without it, older versions of n8n wait forever for a parameter of that name.
 */
const hasContentType = { '/additionalFields.contentType': [{ _cnd: { exists: true as const } }, ''] };

/** What a message says, whom it goes to and through which channel, as fields or as a whole package. */
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
	{ ...channelLocator, displayOptions: { show: inFieldsMode } },
	{
		...channelLocator,
		displayOptions: { show: { inputMode: ['json'] } },
		required: false,
		description: 'The channel to send through when the package does not name one',
	},
	...shownIn(inFieldsMode, recipientFields),
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		displayOptions: { show: inFieldsMode, hide: hasContentType },
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
		displayOptions: { show: { ...inFieldsMode, ...hasContentType } },
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. Your order is on its way',
		description: 'Text of the message. The content type TEXT needs one.',
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
	{ ...additionalFieldsOf(additionalFields), displayOptions: { show: inFieldsMode } },
] as const satisfies INodeProperties[];

/** Fields with their names and types as they were. */
type Shown<P extends Properties> = {
	readonly [I in keyof P]: P[I] extends INodeProperties
		? Omit<P[I], 'displayOptions'> & { displayOptions: IDisplayOptions }
		: never;
};

/** Fields that are shown only in a mode of the form, beside what they depend on themselves. */
function shownIn<const P extends Properties>(mode: NonNullable<IDisplayOptions['show']>, fields: P) {
	return fields.map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...mode, ...field.displayOptions?.show } },
	})) as unknown as Shown<P>;
}
