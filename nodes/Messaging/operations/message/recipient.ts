import type { INodeProperties } from 'n8n-workflow';

import { choiceField, groupField, textField } from '../../fields/builders';
import { mailboxIn } from '../../input/address';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import { refuseMembers } from '../../input/refuse';
import { asEmail, refuseRepeated } from '../../input/values';
import { isEmpty, type JsonObject, without } from '../../shared/json';
import type { Schemas } from '../../service/api-call';
import { named } from '../../shared/text';
import { ADDRESS, EXAMPLES, typedObject } from './package';

const ROWS_EXAMPLE =
	'the name phone with the value +49 30 1234567 ("toRows": { "values": [{ "name": "phone", "value": "+49 30 1234567" }] })';

const ENTER_TYPE = 'Enter the kind of address, such as PHONE ("toType": "PHONE").';

const emptyRow = (name: string) => ({ name, value: '' });

const isOther = { show: { addressType: ['other'] } };

/** The recipient: an email address, or an address of another type, whose fields the interface does not show. */
export const recipientFields = [
	choiceField({
		name: 'addressType',
		description: 'The kind of address that the message goes to',
		default: 'EMAIL',
		builderHint: {
			propertyHint:
				'"EMAIL" with toEmail, or "other" for everything else, such as a phone number: then set toType ("PHONE" by default) and toRows: { "values": [{ "name": "phone", "value": expr("{{ $json.phone }}") }] }, with the names that the service uses. "PHONE" is no value of addressType.',
		},
		choices: {
			EMAIL: ['Email', 'An email address'],
			other: ['Phone or Other', 'A phone number, or an address of another kind'],
		},
	}),
	textField({
		name: 'toEmail',
		description: 'Email address of the recipient',
		placeholder: 'ada@example.com',
		displayOptions: { show: { addressType: ['EMAIL'] } },
		required: true,
	}),
	textField({
		name: 'toType',
		description:
			'The kind of address, as your service spells it. Many use PHONE for a phone number; some use other names.',
		placeholder: 'PHONE',
		default: 'PHONE',
		displayOptions: isOther,
		required: true,
	}),
	groupField({
		displayName: 'To Fields',
		name: 'toRows',
		description:
			'The parts of the address, a row for each: its name, such as phone, and its value, such as +49 30 1234567. Your service may use other names: see its documentation.',
		typeOptions: { multipleValues: true },
		displayOptions: { show: isOther.show },
		required: true,
		placeholder: 'Add Field',
		default: { values: [emptyRow('phone')] },
		values: [
			textField({ name: 'name', description: 'Name of the field', placeholder: 'phone' }),
			textField({ name: 'value', description: 'Value of the field', placeholder: '+49 30 1234567' }),
		],
	}),
] as const satisfies INodeProperties[];

/**
 * The address of the recipient.
 *
 * @param toName the recipient's name; without it, the one before the email address. Others have none
 */
export function recipientOf(item: Pick<Input<[]>, 'part'>, toName?: string): Schemas['Address'] {
	const input = item.part(recipientFields);
	if (input.choice('addressType') === 'EMAIL') {
		const email = asEmail(input.requiredText('toEmail'), input.label('toEmail'));
		const name = toName ?? mailboxIn(String(input.source.read('toEmail'))).name;
		return { type: 'EMAIL', email, ...(name !== '' && { name }) };
	}
	const label = input.label('toRows');
	const rows = input.rows('toRows', 'all');
	refuseRepeated(
		rows.map(([name]) => name),
		label,
		'Keep one row for each name.',
	);
	const address = { ...Object.fromEntries(rows), type: input.requiredText('toType', ENTER_TYPE).trim() };
	refuseMembers('address', address, label, undefined, input.source);
	requireAddress(address, label, ROWS_EXAMPLE);
	return typedObject(address, ADDRESS, label, input.source.timezone);
}

/** Refuses a message without an address. The error names the path and shows the example. */
export function requireAddress(to: Schemas['Address'] = {}, path: string, example = EXAMPLES.to): void {
	if (isAddress(to)) return;
	throw new InvalidParameter(
		to.type === 'EMAIL' ? `${path} > email` : path,
		'is empty, false or 0',
		`Enter the recipient, for example ${example}. If it is an expression, check that it finds a value for this item.`,
	);
}

/**
 * Whether any field but the type has a value that can be an address: a database gives `false` or 0 where there is none. A
 * name counts only if it is the only field.
 */
export function isAddress({ type, name, ...others }: JsonObject): boolean {
	if (type === 'EMAIL') return typeof others.email !== 'object' && !isEmpty(others.email);
	const telling = Object.keys(others).length > 0 ? Object.values(others) : [name];
	return telling.some((value) => !isEmpty(value) && !NO_ADDRESS.includes(value));
}

const NO_ADDRESS: readonly unknown[] = [false, 0, 'false', '0'];

/** The address as an error may show it. */
export function recipientText(to: Schemas['Address'] = {}): string {
	const values = Object.values(without(to, 'type', 'name')).filter(
		(value) => typeof value === 'string' || typeof value === 'number',
	);
	return named((values.length > 0 ? values : [to.name ?? '']).join(', '));
}

/**
 * Messages to one address of a channel are sent in order. The recipient's name is not part of the address, and how a phone
 * number is written does not matter.
 */
export function laneOf(channelId: string, to: Schemas['Address'] = {}): string {
	const parts = Object.entries(without(to, 'name')).map(([name, value]) => {
		const isPhone = /phone|tel(?!eg)|mobile|sms|whatsapp/i.test(`${to.type} ${name}`);
		return JSON.stringify([name, digitsOf(value, isPhone) ?? value]);
	});
	return `chat ${channelId} ${parts.sort().join()}`.toLowerCase();
}

/** The digits of a phone number: "+49 (0)30 12-34" and "0049301234" are 49301234. Other IDs may have hyphens that count. */
function digitsOf(value: unknown, isPhone: boolean): string | undefined {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	const pattern = isPhone ? /^[+(\d][\d\s()./-]*$/ : /^(?:\+|00)[\d\s()./-]+$/;
	return pattern.test(text) ? text.replace('(0)', '').replace(/\D/g, '').replace(/^00/, '') : undefined;
}
