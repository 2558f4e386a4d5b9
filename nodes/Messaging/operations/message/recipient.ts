import type { INodeProperties } from 'n8n-workflow';

import { textField } from '../../fields/builders';
import type { Sources } from '../../input/field-name';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import { isEmpty } from '../../input/values';
import { defined, type JsonObject } from '../../shared/json';
import type { Schemas } from '../../service/interface-types';
import { quoted } from '../../shared/text';
import { EXAMPLES, typedAddress } from './package';

const FIELDS_EXAMPLE = '{"phone": "+49 30 1234567"}';

/** The recipient: an email address, or an address of another type, whose fields the interface does not show. */
export const recipientFields = [
	{
		displayName: 'Address Type',
		name: 'addressType',
		type: 'options',
		options: [
			{ name: 'Email', value: 'EMAIL', description: 'An email address' },
			{ name: 'Other', value: 'other', description: 'An address of another kind, such as a phone number' },
		],
		default: 'EMAIL',
		description: 'The kind of address that the message goes to',
	},
	{
		...textField('To Email', 'toEmail', 'Email address of the recipient', 'ada@example.com'),
		displayOptions: { show: { addressType: ['EMAIL'] } },
		required: true,
	},
	{
		...textField('To Type', 'toType', 'The type of the address, as your service spells it', 'PHONE'),
		displayOptions: { show: { addressType: ['other'] } },
		required: true,
	},
	{
		displayName: 'To Fields Mode',
		name: 'toFieldsMode',
		type: 'options',
		displayOptions: { show: { addressType: ['other'] } },
		options: [
			{ name: 'Rows', value: 'rows', description: 'Enter the name and value of each field' },
			{ name: 'JSON', value: 'json', description: 'Enter all fields as one JSON object' },
		],
		default: 'rows',
		description: 'How to enter the address',
	},
	{
		displayName: 'To Fields',
		name: 'toRows',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		displayOptions: { show: { addressType: ['other'], toFieldsMode: ['rows'] } },
		required: true,
		placeholder: 'Add Field',
		default: { values: [{ name: '', value: '' }] },
		description:
			"The fields of the address, such as the phone number. See your service's documentation for their names.",
		options: [
			{
				displayName: 'Field',
				name: 'values',
				values: [
					{ displayName: 'Name', name: 'name', type: 'string', default: '', placeholder: 'e.g. phone' },
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						placeholder: 'e.g. +49 30 1234567',
					},
				],
			},
		],
	},
	{
		displayName: 'To Fields',
		name: 'toFields',
		type: 'json',
		displayOptions: { show: { addressType: ['other'], toFieldsMode: ['json'] } },
		required: true,
		default: '{}',
		description: `The fields of the address as a JSON object, e.g. ${FIELDS_EXAMPLE}. See your service's documentation for their names. Put phone numbers in quotes: as a number, +49 030 loses its plus sign and zeros.`,
	},
] as const satisfies INodeProperties[];

/** The part of an Input that reads these fields. */
type RecipientInput = Pick<
	Input<typeof recipientFields>,
	'choice' | 'jsonObject' | 'label' | 'requiredEmail' | 'requiredText' | 'rows' | 'timezone'
>;

/**
 * The address of the recipient.
 *
 * @param name the recipient's name, or ''; only email addresses use it
 * @throws InvalidParameter naming the field
 */
export function recipientOf(input: RecipientInput, name: string): Schemas['Address'] {
	if (input.choice('addressType') === 'EMAIL') {
		const email = input.requiredEmail('toEmail');
		return defined({ type: 'EMAIL', email, name: name === '' ? undefined : name });
	}
	const type = input.requiredText('toType').trim();
	const address = input.choice('toFieldsMode') === 'rows' ? addressFromRows(input) : addressFromJson(input);
	return { ...address, type };
}

function addressFromRows(input: RecipientInput): Schemas['Address'] {
	const field = input.label('toRows');
	const rows = input.rows('toRows');
	const seen = new Set<string>();
	for (const [name, value] of rows) {
		if (isEmpty(value)) {
			throw new InvalidParameter(
				`${field} > ${name}`,
				'is empty',
				'Enter a value or remove the row. If it is an expression, check that it finds a value for this item.',
			);
		}
		if (seen.has(name)) {
			throw new InvalidParameter(field, `has the name ${quoted(name)} twice`, 'Keep one row for each name.');
		}
		seen.add(name);
	}
	const hint =
		"Add a row, such as the name phone with the value +49 30 1234567. See your service's documentation for the name.";
	return checkedRecipient(Object.fromEntries(rows), field, hint, input.timezone);
}

function addressFromJson(input: RecipientInput): Schemas['Address'] {
	const given = input.jsonObject('toFields', FIELDS_EXAMPLE) ?? {};
	const hint = `Enter the address as a JSON object such as ${FIELDS_EXAMPLE}. If it is an expression, check that it finds a value for this item.`;
	return checkedRecipient(given, input.label('toFields'), hint, input.timezone);
}

/** An address without its type, which has a separate field in the editor. */
function checkedRecipient(given: JsonObject, field: string, hint: string, zone: string): Schemas['Address'] {
	const { type: _, ...own } = given;
	if (!tellsWhere(own)) throw new InvalidParameter(field, 'is empty', hint);
	return typedAddress(own, field, zone);
}

/** Whether any field but the type has a value. A name counts only if it is the only field. */
function tellsWhere({ type: _, name, ...others }: JsonObject): boolean {
	const telling = Object.keys(others).length > 0 ? Object.values(others) : [name];
	return telling.some((value) => !isEmpty(value));
}

/**
 * Refuses a message without an address.
 *
 * @param path the label of the parameter with the address
 * @throws InvalidParameter naming the address, or its missing email
 */
export function requireAddress(to: Schemas['Address'] = {}, path: string): void {
	const isEmail = to.type === 'EMAIL';
	if (isEmail ? !isEmpty(to.email) : tellsWhere(to)) return;
	throw new InvalidParameter(
		isEmail ? `${path} > email` : path,
		'is empty',
		`Enter the recipient, for example ${EXAMPLES.to}. If it is an expression, check that it finds a value for this item.`,
	);
}

/** Messages to one address of a channel are sent in order. The recipient's name is not part of the address. */
export function laneOf(channelId: string, to: Schemas['Address'] = {}): string {
	const { name: _, ...address } = to;
	const parts = Object.entries(address).map((part) => JSON.stringify(part));
	return `chat ${channelId} ${parts.sort().join()}`.toLowerCase();
}

/**
 * The parameters of an address's fields, where their names differ.
 *
 * @param addressType which address fields the editor shows
 */
export function recipientSources(addressType: 'EMAIL' | 'other'): Sources {
	return addressType === 'EMAIL'
		? {
				'content.to': 'toEmail',
				'content.to.email': 'toEmail',
				'content.to.type': 'addressType',
			}
		: { 'content.to': 'toFields', 'content.to.name': 'toFields', 'content.to.type': 'toType' };
}
