import type { INodeProperties } from 'n8n-workflow';

import { uuidField } from '../../fields/ids';
import type { Sources } from '../../input/field-name';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import { defined, type JsonObject } from '../../shared/json';
import type { Schemas } from '../../service/interface-types';
import { CONTENT_FIELDS, EXAMPLES, nonEmpty, typedObject } from './package';

const OTHER_EXAMPLE = '{"subject": "Your order"}';

/** Fields of the content that the user's service has and the interface does not show. */
export const otherContent = {
	displayName: 'Other Content Fields',
	name: 'otherContent',
	type: 'json',
	default: '{}',
	description: `Fields of the content that your service takes and this node has no field for, as a JSON object, e.g. ${OTHER_EXAMPLE}. They are sent as they are.`,
} as const satisfies INodeProperties;

/**
 * Every field of the message package and of its content that has no field of its own, by label, and the name of the
 * recipient.
 * `contentMessageId` and `contentTimestamp` are the content's `messageId` and `timestamp`: the package has fields
 * of the same names.
 */
export const additionalFields = [
	uuidField('Account ID', 'accountId', 'UUID of the account that the message belongs to'),
	{
		displayName: 'Account Name',
		name: 'accountName',
		type: 'string',
		default: '',
		placeholder: 'e.g. Customer Support',
		description: 'Name of the account that the message belongs to',
	},
	{
		displayName: 'Content Message ID',
		name: 'contentMessageId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 3EB0C767D26A1D8F',
		description: 'ID of the message itself (messageId of the content)',
	},
	{
		displayName: 'Content Timestamp',
		name: 'contentTimestamp',
		type: 'dateTime',
		default: '',
		description: 'When the message was written (timestamp of the content)',
	},
	{
		displayName: 'Content Type',
		name: 'contentType',
		type: 'string',
		default: 'TEXT',
		placeholder: 'e.g. TEXT',
		description:
			'The kind of content, as your service spells it. TEXT if you do not add this; left empty, the message has none.',
	},
	{
		displayName: 'Correlation ID',
		name: 'correlationId',
		type: 'string',
		default: '',
		placeholder: 'e.g. order-1042',
		description: 'An ID of your own that goes along with the message, to find it again later',
	},
	{
		displayName: 'Delivery Deadline',
		name: 'deliveryDeadline',
		type: 'dateTime',
		default: '',
		description: 'Until when the message may be delivered',
	},
	{
		displayName: 'Delivery Strategy',
		name: 'deliveryStrategy',
		type: 'number',
		typeOptions: { numberPrecision: 0 },
		default: 0,
		description: 'Number of the delivery strategy, as your service defines it',
	},
	{
		displayName: 'Echo Message',
		name: 'echoMessage',
		type: 'boolean',
		default: false,
		description: 'Whether the message is an echo of one that was sent elsewhere',
	},
	{
		displayName: 'From',
		name: 'from',
		type: 'json',
		default: '{}',
		description:
			'The sender as a JSON object, e.g. {"type": "EMAIL", "email": "shop@example.com", "name": "Shop"}',
	},
	{
		displayName: 'Is Announce Group',
		name: 'isAnnounceGroup',
		type: 'boolean',
		default: false,
		description: 'Whether the message goes to an announcement group',
	},
	{
		displayName: 'Is Broadcast',
		name: 'isBroadcast',
		type: 'boolean',
		default: false,
		description: 'Whether the message is a broadcast',
	},
	{
		displayName: 'Is Community Notices',
		name: 'isCommunityNotices',
		type: 'boolean',
		default: false,
		description: 'Whether the message is a notice to a community',
	},
	{
		displayName: 'Is Forwarded',
		name: 'isForwarded',
		type: 'boolean',
		default: false,
		description: 'Whether the message was forwarded',
	},
	{
		displayName: 'Is From Me',
		name: 'isFromMe',
		type: 'boolean',
		default: false,
		description: "Whether the message comes from the channel's own side",
	},
	{
		displayName: 'Is Group Message',
		name: 'isGroupMessage',
		type: 'boolean',
		default: false,
		description: 'Whether the message goes to a group',
	},
	{
		displayName: 'Is History Message',
		name: 'isHistoryMessage',
		type: 'boolean',
		default: false,
		description: 'Whether the message comes from the history of a chat',
	},
	{
		displayName: 'Is Newsletter',
		name: 'isNewsletter',
		type: 'boolean',
		default: false,
		description: 'Whether the message is a newsletter',
	},
	{
		displayName: 'Is Status Message',
		name: 'isStatusMessage',
		type: 'boolean',
		default: false,
		description: 'Whether the message is a status message',
	},
	uuidField('Organization ID', 'organizationID', 'UUID of the organization that the message belongs to'),
	{
		displayName: 'Organization Name',
		name: 'organizationName',
		type: 'string',
		default: '',
		placeholder: 'e.g. Acme',
		description: 'Name of the organization that the message belongs to',
	},
	uuidField('Origin Package ID', 'originPackageId', 'UUID of the package that this one goes back to'),
	otherContent,
	uuidField('Package ID', 'packageId', 'UUID of the package. The node makes one if you leave this empty.'),
	{
		displayName: 'Priority',
		name: 'priority',
		type: 'number',
		typeOptions: { numberPrecision: 0 },
		default: 0,
		description: 'Priority of the message, as your service defines it',
	},
	{
		displayName: 'Provider Metadata',
		name: 'providerMetadata',
		type: 'json',
		default: '{}',
		description: "Data for the channel's provider as a JSON object",
	},
	{
		displayName: 'Quoted Message',
		name: 'quotedMessage',
		type: 'json',
		default: '{}',
		description:
			'The message that this one answers, as a JSON object with messageId, participant, body, type, thumbnail, isStatusReply',
	},
	{
		displayName: 'Referral Ads',
		name: 'referralAds',
		type: 'json',
		default: '{}',
		description:
			'The advertisement that led to the message, as a JSON object with sourceUrl, sourceType, sourceId, headline, body, mediaType, imageUrl, videoUrl, thumbnailUrl, ctwaClid',
	},
	{
		displayName: 'Timestamp',
		name: 'timestamp',
		type: 'dateTime',
		default: '',
		description: 'When the package was made (timestamp of the package)',
	},
	{
		displayName: 'To Name',
		name: 'toName',
		type: 'string',
		displayOptions: { show: { '/addressType': ['EMAIL'] } },
		default: '',
		placeholder: 'e.g. Ada Lovelace',
		description: 'Name of the recipient',
	},
] as const satisfies INodeProperties[];

type Fields = Input<typeof additionalFields>;

/** The package's own additional fields; what the user left empty is not in it. */
export function packageExtras(fields: Fields): Schemas['MessagePackage'] {
	return defined({
		packageId: fields.uuid('packageId'),
		correlationId: fields.optionalText('correlationId'),
		originPackageId: fields.uuid('originPackageId'),
		organizationID: fields.uuid('organizationID'),
		organizationName: fields.optionalText('organizationName'),
		accountId: fields.uuid('accountId'),
		accountName: fields.optionalText('accountName'),
		timestamp: fields.timestamp('timestamp'),
		echoMessage: fields.optionalFlag('echoMessage'),
		providerMetadata: nonEmpty(fields.jsonObject('providerMetadata')),
	});
}

/** The content's additional fields; what the user left empty is not in it. */
export function contentExtras(fields: Fields): Schemas['MessageContent'] {
	const object = (name: 'from' | 'quotedMessage' | 'referralAds'): JsonObject | undefined =>
		nonEmpty(
			typedObject(name, fields.jsonObject(name, EXAMPLES[name]) ?? {}, fields.label(name), fields.timezone),
		);
	return defined({
		from: object('from'),
		messageId: fields.optionalText('contentMessageId'),
		timestamp: fields.timestamp('contentTimestamp'),
		isFromMe: fields.optionalFlag('isFromMe'),
		isGroupMessage: fields.optionalFlag('isGroupMessage'),
		deliveryStrategy: fields.int32('deliveryStrategy'),
		priority: fields.int32('priority'),
		deliveryDeadline: fields.timestamp('deliveryDeadline'),
		isForwarded: fields.optionalFlag('isForwarded'),
		isStatusMessage: fields.optionalFlag('isStatusMessage'),
		isHistoryMessage: fields.optionalFlag('isHistoryMessage'),
		isNewsletter: fields.optionalFlag('isNewsletter'),
		isBroadcast: fields.optionalFlag('isBroadcast'),
		isAnnounceGroup: fields.optionalFlag('isAnnounceGroup'),
		isCommunityNotices: fields.optionalFlag('isCommunityNotices'),
		quotedMessage: object('quotedMessage'),
		referralAds: object('referralAds'),
	});
}

/**
 * The content's fields that the interface does not show, as they were given.
 *
 * @param taken the names of fields that the form has fields for
 * @throws InvalidParameter naming a field that the form has
 */
export function otherContentFrom(
	fields: Pick<Input<[typeof otherContent]>, 'jsonObject' | 'label'>,
	taken: readonly string[] = CONTENT_FIELDS,
): JsonObject {
	const other = fields.jsonObject('otherContent', OTHER_EXAMPLE) ?? {};
	const lowerCase = taken.map((name) => name.toLowerCase());
	const twice = Object.keys(other).find((name) => lowerCase.includes(name.toLowerCase()));
	if (twice === undefined) return other;
	throw new InvalidParameter(
		`${fields.label('otherContent')} > ${twice}`,
		'has a field of its own in this node',
		'Remove it here, and fill in that field.',
	);
}

/** Where the fields of such an object come from: all from one parameter. */
export function otherContentSources(other: JsonObject): Sources {
	return Object.fromEntries(
		Object.keys(other).map((name) => [`content.${name.toLowerCase()}`, otherContent.name]),
	);
}
