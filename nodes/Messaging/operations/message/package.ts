import * as values from '../../input/values';
import type { JsonObject } from '../../shared/json';

const ADDRESS_EXAMPLE = '{"type": "EMAIL", "email": "ada@example.com"}';

/** Examples of the objects in a message package, for errors. */
export const EXAMPLES: Readonly<Record<string, string>> = {
	content: `{"type": "TEXT", "text": "Hello", "to": ${ADDRESS_EXAMPLE}}`,
	to: ADDRESS_EXAMPLE,
	from: ADDRESS_EXAMPLE,
};

/** How to read a field of each type, given its value, its path for errors, and the zone of timestamps without one. */
const READ = {
	text: values.asText,
	email: values.asEmail,
	uuid: (value: unknown, path: string) => values.asUuid(value, path),
	int32: (value: unknown, path: string) => values.asNumber(value, path, { numberPrecision: 0 }),
	boolean: values.asBoolean,
	timestamp: values.asTimestamp,
	object: (value: unknown, path: string) => nonEmpty(values.asJsonObject(value, path)),
} as const;

type Kind = keyof typeof READ;

/** The fields that the interface shows for an object, each with its type or with fields of its own. */
export type Shape = ReadonlyMap<string, Kind | Shape>;

/** @param names the names of the fields of each type, separated by spaces */
function shape(names: Partial<Record<Kind, string>>, objects: Readonly<Record<string, Shape>> = {}): Shape {
	const plain = Object.entries(names).flatMap(([kind, all]) =>
		all.split(' ').map((name) => [name, kind as Kind] as const),
	);
	return new Map<string, Kind | Shape>([...plain, ...Object.entries(objects)]);
}

export const ADDRESS = shape({ text: 'type name', email: 'email' });

export const CONTENT = shape(
	{
		text: 'text type messageId',
		int32: 'deliveryStrategy priority',
		boolean:
			'isFromMe isGroupMessage isForwarded isStatusMessage isHistoryMessage isNewsletter isBroadcast isAnnounceGroup isCommunityNotices',
		timestamp: 'deliveryDeadline timestamp',
	},
	{
		to: ADDRESS,
		from: ADDRESS,
		quotedMessage: shape({ text: 'messageId participant body type thumbnail', boolean: 'isStatusReply' }),
		referralAds: shape({
			text: 'sourceUrl sourceType sourceId headline body mediaType imageUrl videoUrl thumbnailUrl ctwaClid',
		}),
	},
);

export const PACKAGE = shape(
	{
		uuid: 'packageId originPackageId channelId organizationID accountId',
		text: 'correlationId organizationName accountName',
		timestamp: 'timestamp',
		boolean: 'echoMessage',
		object: 'providerMetadata',
	},
	{ content: CONTENT },
);

/**
 * A message package, or an object in it, with its fields converted to the interface's types. Nulls and empty objects are
 * left out. Fields that the interface does not show pass through unchanged.
 *
 * @param path its name in errors
 * @param zone IANA name of the zone for timestamps without one
 */
export function typedObject(value: JsonObject, fields: Shape, path: string, zone: string): JsonObject {
	const members = Object.entries(value).map(([name, member]): [string, unknown] =>
		fields.has(name) ? [name, typedField(name, fields, member, `${path} > ${name}`, zone)] : [name, member],
	);
	// An assignment would take a field named __proto__ for the object's prototype.
	return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** The value of one field in the interface's type; `undefined` if it is null or an object without fields. */
export function typedField(name: string, fields: Shape, value: unknown, path: string, zone: string): unknown {
	const kind = fields.get(name);
	if (kind === undefined || value === undefined || value === null) return undefined;
	if (typeof kind === 'string') return READ[kind](value, path, zone);
	return nonEmpty(typedObject(values.asJsonObject(value, path, EXAMPLES[name]) ?? {}, kind, path, zone));
}

/** The object, or `undefined` if it has no fields: empty objects are not sent. */
export function nonEmpty<T extends object>(value: T | undefined): T | undefined {
	return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}
