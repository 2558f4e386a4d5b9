import type { INodeProperties } from 'n8n-workflow';

import {
	flagField,
	int32Field,
	objectField,
	textField,
	timestampField,
	uuidField,
} from '../../fields/builders';
import type { Sources } from '../../input/field-name';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import { DATA_IN_JSON } from '../../input/quoted-data';
import type { JsonObject } from '../../shared/json';
import { CONTENT, type Shape, typedField } from './package';

const OTHER_EXAMPLE = '{"subject": "Your order"}';

/** Fields of the content that the user's service has and the interface does not show. */
export const otherContent = objectField(
	'Other Content Fields',
	'otherContent',
	`A JSON object with content fields that your service accepts and this node has no field for, e.g. ${OTHER_EXAMPLE}. They are sent unchanged. ${DATA_IN_JSON}.`,
);

/**
 * The optional fields: everything in the message package and its content that has no field of its own, sorted by label,
 * and the recipient's name.
 */
export const additionalFields = [
	uuidField('Account ID', 'accountId', 'UUID of the account that the message belongs to'),
	textField('Account Name', 'accountName', 'Name of the account', 'Customer Support'),
	textField('Content Message ID', 'contentMessageId', 'ID of the message itself', '3EB0C767D26A1D8F'),
	timestampField('Content Timestamp', 'contentTimestamp', 'When the message was written'),
	textField(
		'Content Type',
		'contentType',
		'The kind of content, as your service spells it. Without this field it is TEXT. If you leave it empty, the message has no type.',
		'TEXT',
		'TEXT',
	),
	textField(
		'Correlation ID',
		'correlationId',
		'Your own ID for the message. Use it to find the message at the service later.',
		'order-1042',
	),
	timestampField('Delivery Deadline', 'deliveryDeadline', 'When the message expires if it is not delivered'),
	int32Field('Delivery Strategy', 'deliveryStrategy', 'Delivery strategy, as your service defines it'),
	flagField('Echo Message', 'echoMessage', 'Whether the message is an echo of one sent elsewhere'),
	objectField(
		'From',
		'from',
		'The sender as a JSON object, e.g. {"type": "EMAIL", "email": "shop@example.com", "name": "Shop"}',
	),
	flagField('Is Announce Group', 'isAnnounceGroup', 'Whether the message goes to an announcement group'),
	flagField('Is Broadcast', 'isBroadcast', 'Whether the message is a broadcast'),
	flagField('Is Community Notices', 'isCommunityNotices', 'Whether the message is a notice to a community'),
	flagField('Is Forwarded', 'isForwarded', 'Whether the message was forwarded'),
	flagField('Is From Me', 'isFromMe', "Whether the message comes from the channel's own side"),
	flagField('Is Group Message', 'isGroupMessage', 'Whether the message goes to a group'),
	flagField('Is History Message', 'isHistoryMessage', 'Whether the message is from the history of a chat'),
	flagField('Is Newsletter', 'isNewsletter', 'Whether the message is a newsletter'),
	flagField('Is Status Message', 'isStatusMessage', 'Whether the message is a status message'),
	uuidField('Organization ID', 'organizationID', 'UUID of the organization that the message belongs to'),
	textField('Organization Name', 'organizationName', 'Name of the organization', 'Acme'),
	uuidField('Origin Package ID', 'originPackageId', 'UUID of the package that this one originates from'),
	otherContent,
	uuidField('Package ID', 'packageId', 'UUID of the package. If you leave it empty, the node creates one.'),
	int32Field('Priority', 'priority', 'Priority of the message, as your service defines it'),
	objectField('Provider Metadata', 'providerMetadata', "Data for the channel's provider as a JSON object"),
	objectField(
		'Quoted Message',
		'quotedMessage',
		'The message that this one replies to, as a JSON object with messageId, participant, body, type, thumbnail, isStatusReply',
	),
	objectField(
		'Referral Ads',
		'referralAds',
		'The ad that led to the message, as a JSON object with sourceUrl, sourceType, sourceId, headline, body, mediaType, imageUrl, videoUrl, thumbnailUrl, ctwaClid',
	),
	timestampField('Timestamp', 'timestamp', 'When the package was created (timestamp of the package)'),
	{
		...textField('To Name', 'toName', 'Name of the recipient', 'Ada Lovelace'),
		displayOptions: { show: { '/addressType': ['EMAIL'] } },
	},
] as const satisfies INodeProperties[];

/** The additional fields of an operation: some of these, or all. */
export type ExtraFields = ReadonlyArray<(typeof additionalFields)[number]>;

/** The parameters of the content fields whose names also exist in the package. */
export const CONTENT_SOURCES: Sources = {
	'content.messageid': 'contentMessageId',
	'content.timestamp': 'contentTimestamp',
};

/**
 * The additional fields of a package or its content; empty ones are left out.
 *
 * @param sources the parameters of fields whose parameter has another name
 */
export function extrasFor(shape: Shape, fields: Input<ExtraFields>, sources: Sources = {}): JsonObject {
	const { timezone } = fields.source;
	const entered = Array.from(shape.keys()).flatMap((wireName): Array<[string, unknown]> => {
		const parameter = sources[`content.${wireName.toLowerCase()}`] ?? wireName;
		const name = fields.properties.find((field) => field.name === parameter)?.name;
		if (name === undefined) return [];
		return [[wireName, typedField(wireName, shape, fields.raw(name), fields.label(name), timezone)]];
	});
	return Object.fromEntries(entered.filter(([, value]) => value !== undefined && value !== ''));
}

/**
 * The user's content fields that the interface does not show, unchanged.
 *
 * @param taken the names of fields that the form has fields for
 * @throws InvalidParameter naming a field that the form has
 */
export function otherContentFrom(
	fields: Pick<Input<[typeof otherContent]>, 'jsonObject' | 'label'>,
	taken: Iterable<string> = CONTENT.keys(),
): JsonObject {
	const other = fields.jsonObject('otherContent', OTHER_EXAMPLE) ?? {};
	const lowerCase = Array.from(taken, (name) => name.toLowerCase());
	const twice = Object.keys(other).find((name) => lowerCase.includes(name.toLowerCase()));
	if (twice === undefined) return other;
	throw new InvalidParameter(
		`${fields.label('otherContent')} > ${twice}`,
		'has its own field in this node',
		'Remove it here and fill in that field.',
	);
}
