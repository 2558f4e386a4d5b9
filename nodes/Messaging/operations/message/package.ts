import * as values from '../../input/values';
import type { Schemas } from '../../service/interface-types';
import type { JsonObject } from '../../shared/json';

const ADDRESS_EXAMPLE = '{"type": "EMAIL", "email": "ada@example.com"}';

/** What the objects of a message package look like, for errors. */
export const EXAMPLES: Readonly<Record<string, string>> = {
	content: `{"type": "TEXT", "text": "Hello", "to": ${ADDRESS_EXAMPLE}}`,
	to: ADDRESS_EXAMPLE,
	from: ADDRESS_EXAMPLE,
	quotedMessage: '{"messageId": "3EB0C767D26A1D8F", "body": "What was said"}',
	referralAds: '{"sourceUrl": "https://ads.example.com/1", "headline": "Spring sale"}',
};

/** How a field of each type is read. Each takes a value, its path for errors, and the zone of timestamps without one. */
const READ = {
	text: values.asText,
	email: values.asEmail,
	uuid: (value: unknown, path: string) => values.asUuid(value, path),
	int32: values.asInt32,
	boolean: values.asBoolean,
	timestamp: values.asTimestamp,
	object: (value: unknown, path: string) => values.asJsonObject(value, path),
} as const;

type Kind = keyof typeof READ;

/** The fields that the interface shows of an object, by their types or by fields of their own. */
type Shape = ReadonlyMap<string, Kind | Shape>;

/** @param names the names of the fields of each type, with spaces between them */
function shape(names: Partial<Record<Kind, string>>, objects: Readonly<Record<string, Shape>> = {}): Shape {
	const typed = Object.entries(names).flatMap(([kind, all]) =>
		all.split(' ').map((name) => [name, kind as Kind] as const),
	);
	return new Map<string, Kind | Shape>([...typed, ...Object.entries(objects)]);
}

const ADDRESS = shape({ text: 'type name', email: 'email' });

const SHAPES = {
	to: ADDRESS,
	from: ADDRESS,
	quotedMessage: shape({ text: 'messageId participant body type thumbnail', boolean: 'isStatusReply' }),
	referralAds: shape({
		text: 'sourceUrl sourceType sourceId headline body mediaType imageUrl videoUrl thumbnailUrl ctwaClid',
	}),
};

const CONTENT = shape(
	{
		text: 'text type messageId',
		int32: 'deliveryStrategy priority',
		boolean:
			'isFromMe isGroupMessage isForwarded isStatusMessage isHistoryMessage isNewsletter isBroadcast isAnnounceGroup isCommunityNotices',
		timestamp: 'deliveryDeadline timestamp',
	},
	SHAPES,
);

const PACKAGE = shape(
	{
		uuid: 'packageId originPackageId channelId organizationID accountId',
		text: 'correlationId organizationName accountName',
		timestamp: 'timestamp',
		boolean: 'echoMessage',
		object: 'providerMetadata',
	},
	{ content: CONTENT },
);

/** The fields of a message's content that the interface shows. */
export const CONTENT_FIELDS: readonly string[] = [...CONTENT.keys()];

/**
 * A message package whose fields have the types of the interface. Nulls and empty objects are left out. Fields that
 * the interface does not show pass through unchanged.
 *
 * @param value the package as the user gave it
 * @param path the label of the parameter that it comes from
 * @param zone IANA name of the zone for timestamps without one
 * @throws InvalidParameter naming the path of a field that does not fit
 */
export function typedPackage(value: JsonObject, path: string, zone: string): Schemas['MessagePackage'] {
	return typed(value, PACKAGE, path, zone);
}

/** The same for an object of a message's content. */
export function typedObject(
	name: keyof typeof SHAPES,
	value: JsonObject,
	path: string,
	zone: string,
): JsonObject {
	return typed(value, SHAPES[name], path, zone);
}

/** The object, `undefined` when it has no field: what is left empty is not sent. */
export function nonEmpty<T extends object>(value: T | undefined): T | undefined {
	return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

function typed(value: JsonObject, fields: Shape, path: string, zone: string): JsonObject {
	const members = Object.entries(value).map(([name, member]): [string, unknown] => {
		const kind = fields.get(name);
		if (kind === undefined) return [name, member];
		const place = `${path} > ${name}`;
		if (member === null) return [name, undefined];
		if (typeof kind === 'string') return [name, READ[kind](member, place, zone)];
		const object = values.asJsonObject(member, place, EXAMPLES[name]) ?? {};
		return [name, nonEmpty(typed(object, kind, place, zone))];
	});
	// An assignment would take a field named __proto__ for the object's prototype.
	return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
