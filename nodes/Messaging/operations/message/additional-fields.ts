import type { INodeProperties } from 'n8n-workflow';

import {
	flagField,
	numberField,
	objectField,
	textField,
	timestampField,
	uuidField,
} from '../../fields/builders';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import { DATA_IN_JSON } from '../../input/quoted-data';
import type { JsonObject } from '../../shared/json';
import { CONTENT, type Shape, typedField } from './package';

const OTHER_EXAMPLE = '{"subject": "Your order"}';

/** Fields of the content that the user's service has and the interface does not show. */
export const otherContent = objectField({
	displayName: 'Other Content Fields',
	name: 'otherContent',
	description: `A JSON object with content fields that your service accepts and this node has no field for, e.g. ${OTHER_EXAMPLE}. They are sent unchanged. ${DATA_IN_JSON}.`,
});

/** What people add to a message, sorted by label. */
export const additionalFields = [
	textField({
		name: 'contentType',
		description:
			'The kind of message, as your service spells it, such as IMAGE. Without this field it is TEXT. If you leave it empty, the message has no type.',
		placeholder: 'IMAGE',
		default: 'TEXT',
	}),
	textField({
		name: 'correlationId',
		description:
			'Your own ID for the message, such as an order number. Use it to find the message at the service later.',
		placeholder: 'order-1042',
	}),
	timestampField({
		name: 'deliveryDeadline',
		description:
			'When the message expires if it is not delivered. A date without a time means 00:00. Without a time zone, it is in that of the workflow. A message whose deadline has passed when its turn comes is not sent.',
	}),
	objectField({
		name: 'from',
		description:
			'The sender as a JSON object, e.g. {"type": "EMAIL", "email": "shop@example.com", "name": "Shop"}',
	}),
	flagField({ name: 'isGroupMessage', description: 'Whether the message goes to a group' }),
	otherContent,
	uuidField({
		name: 'packageId',
		description: 'UUID of the package. If you leave it empty, the node creates one.',
	}),
	numberField({ name: 'priority', description: 'Priority of the message, as your service defines it' }),
	objectField({ name: 'providerMetadata', description: "Data for the channel's provider as a JSON object" }),
	objectField({
		name: 'quotedMessage',
		description:
			'The message that this one replies to, as a JSON object with messageId, participant, body, type, thumbnail, isStatusReply',
	}),
	textField({
		name: 'toName',
		description: 'Name of the recipient',
		placeholder: 'Ada Lovelace',
		displayOptions: { show: { '/addressType': ['EMAIL'] } },
	}),
] as const satisfies INodeProperties[];

/** Everything else in the message package and its content that has no field of its own, sorted by label. */
export const rareFields = [
	uuidField({ name: 'accountId', description: 'UUID of the account that the message belongs to' }),
	textField({ name: 'accountName', description: 'Name of the account', placeholder: 'Customer Support' }),
	textField({
		name: 'contentMessageId',
		description: 'ID of the message itself',
		placeholder: '3EB0C767D26A1D8F',
	}),
	timestampField({ name: 'contentTimestamp', description: 'When the message was written' }),
	numberField({
		name: 'deliveryStrategy',
		description:
			"How the service delivers the message, a number that it defines, such as 1. Without this field, the service decides. Your service's documentation has the numbers.",
	}),
	flagField({ name: 'echoMessage', description: 'Whether the message is an echo of one sent elsewhere' }),
	flagField({ name: 'isAnnounceGroup', description: 'Whether the message goes to an announcement group' }),
	flagField({ name: 'isBroadcast', description: 'Whether the message is a broadcast' }),
	flagField({ name: 'isCommunityNotices', description: 'Whether the message is a notice to a community' }),
	flagField({ name: 'isForwarded', description: 'Whether the message was forwarded' }),
	flagField({ name: 'isFromMe', description: "Whether the message comes from the channel's own side" }),
	flagField({ name: 'isHistoryMessage', description: 'Whether the message is from the history of a chat' }),
	flagField({ name: 'isNewsletter', description: 'Whether the message is a newsletter' }),
	flagField({ name: 'isStatusMessage', description: 'Whether the message is a status message' }),
	uuidField({ name: 'organizationID', description: 'UUID of the organization that the message belongs to' }),
	textField({ name: 'organizationName', description: 'Name of the organization', placeholder: 'Acme' }),
	uuidField({ name: 'originPackageId', description: 'UUID of the package that this one originates from' }),
	objectField({
		name: 'referralAds',
		description:
			'The ad that led to the message, as a JSON object with sourceUrl, sourceType, sourceId, headline, body, mediaType, imageUrl, videoUrl, thumbnailUrl, ctwaClid',
	}),
	timestampField({
		name: 'timestamp',
		description: 'When the package was created (timestamp of the package)',
	}),
] as const satisfies INodeProperties[];

/** The parameters of the content fields whose names the package has, too. */
const PARAMETERS_OF_CONTENT: Readonly<Record<string, string>> = {
	messageId: 'contentMessageId',
	timestamp: 'contentTimestamp',
};

/** What is entered in a collection for the fields of a package, or of its content; empty ones are left out. */
export function extrasFor(
	shape: Shape,
	fields: Input<ReadonlyArray<(typeof additionalFields)[number] | (typeof rareFields)[number]>>,
): JsonObject {
	const added = fields.properties.map(({ name }) => name).filter((name) => fields.isAdded(name));
	// Most messages have none.
	if (added.length === 0) return {};
	const parameters = shape === CONTENT ? PARAMETERS_OF_CONTENT : {};
	const entered = Array.from(shape.keys()).flatMap((wireName): Array<[string, unknown]> => {
		const name = added.find((each) => each === (parameters[wireName] ?? wireName));
		if (name === undefined) return [];
		const value = typedField(wireName, shape, fields.raw(name), fields.label(name), fields.source.timezone);
		return value === undefined || value === '' ? [] : [[wireName, value]];
	});
	return Object.fromEntries(entered);
}

/**
 * The user's content fields that the interface does not show, unchanged.
 *
 * @param taken the fields that the form has, which are refused here
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
