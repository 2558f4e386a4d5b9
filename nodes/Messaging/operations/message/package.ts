import { InvalidParameter } from '../../fields/invalid-parameter';
import * as values from '../../fields/values';
import type { JsonObject } from '../../json/plain-object';
import type { Schemas } from '../../service/interface-types';
import { named } from '../../text/readable';

/**
 * The message package of the interface as data: which fields it has, and of which kind each is.
 * The compiler keeps the list complete: a field that the interface has and this file lacks is an error.
 */

type Kind = 'text' | 'email' | 'uuid' | 'int32' | 'boolean' | 'timestamp' | 'object';
type Shape<T> = { readonly [F in keyof Required<T>]: Kind | Shape<NonNullable<T[F]>> | OpenShape };

/** An object that has these fields and may have others. */
interface OpenShape {
	readonly open: Readonly<Record<string, Kind>>;
}

const ADDRESS: OpenShape = { open: { type: 'text', email: 'email', name: 'text' } };

const ADDRESS_EXAMPLE = '{"type": "EMAIL", "email": "ada@example.com"}';

/** What the objects inside a package look like, for errors. */
export const EXAMPLES: Readonly<Record<string, string>> = {
	content: `{"type": "TEXT", "text": "Hello", "to": ${ADDRESS_EXAMPLE}}`,
	to: ADDRESS_EXAMPLE,
	from: ADDRESS_EXAMPLE,
	quotedMessage: '{"messageId": "3EB0C767D26A1D8F", "body": "What was said"}',
	referralAds: '{"sourceUrl": "https://ads.example.com/1", "headline": "Spring sale"}',
};

/** What a whole package looks like in JSON, for errors. */
export const PACKAGE_EXAMPLE = `{"content": ${EXAMPLES.content}}`;

const QUOTED_MESSAGE = {
	messageId: 'text',
	participant: 'text',
	body: 'text',
	type: 'text',
	thumbnail: 'text',
	isStatusReply: 'boolean',
} as const satisfies Shape<Schemas['QuotedMessage']>;

const REFERRAL_ADS = {
	sourceUrl: 'text',
	sourceType: 'text',
	sourceId: 'text',
	headline: 'text',
	body: 'text',
	mediaType: 'text',
	imageUrl: 'text',
	videoUrl: 'text',
	thumbnailUrl: 'text',
	ctwaClid: 'text',
} as const satisfies Shape<Schemas['ReferralAds']>;

const CONTENT = {
	text: 'text',
	to: ADDRESS,
	type: 'text',
	from: ADDRESS,
	messageId: 'text',
	isFromMe: 'boolean',
	isGroupMessage: 'boolean',
	deliveryStrategy: 'int32',
	priority: 'int32',
	deliveryDeadline: 'timestamp',
	isForwarded: 'boolean',
	isStatusMessage: 'boolean',
	isHistoryMessage: 'boolean',
	isNewsletter: 'boolean',
	isBroadcast: 'boolean',
	isAnnounceGroup: 'boolean',
	isCommunityNotices: 'boolean',
	quotedMessage: QUOTED_MESSAGE,
	referralAds: REFERRAL_ADS,
	timestamp: 'timestamp',
} as const satisfies Shape<Schemas['MessageContent']>;

const PACKAGE = {
	packageId: 'uuid',
	correlationId: 'text',
	originPackageId: 'uuid',
	channelId: 'uuid',
	organizationID: 'uuid',
	organizationName: 'text',
	accountId: 'uuid',
	accountName: 'text',
	content: CONTENT,
	timestamp: 'timestamp',
	echoMessage: 'boolean',
	providerMetadata: 'object',
} as const satisfies Shape<Schemas['MessagePackage']>;

/**
 * A message package with every value checked and brought into the interface's form. Nulls and empty objects are
 * left out; a field that the interface does not have is refused.
 *
 * @param value the package as the user gave it
 * @param field the label of the parameter that it stands in
 * @param zone IANA name of the zone for timestamps without one
 * @throws InvalidParameter naming the field inside the package
 */
export function checkedPackage(value: JsonObject, field: string, zone: string): Schemas['MessagePackage'] {
	return checked(value, PACKAGE, field, zone);
}

/** The fields of a quoted message, checked like a package's. */
export function checkedQuotedMessage(
	value: JsonObject,
	field: string,
	zone: string,
): Schemas['QuotedMessage'] {
	return checked(value, QUOTED_MESSAGE, field, zone);
}

/** The fields of a referral ad, checked like a package's. */
export function checkedReferralAds(value: JsonObject, field: string, zone: string): Schemas['ReferralAds'] {
	return checked(value, REFERRAL_ADS, field, zone);
}

/** The fields of an address, checked like a package's; fields of other kinds of address pass as they are. */
export function checkedAddress(value: JsonObject, field: string, zone: string): Schemas['Address'] {
	return checked(value, ADDRESS, field, zone);
}

type AnyShape = { readonly [name: string]: Kind | AnyShape | OpenShape };

function checked(value: JsonObject, shape: AnyShape | OpenShape, field: string, zone: string): JsonObject {
	const open = isOpen(shape);
	const kinds: AnyShape = open ? shape.open : shape;
	const members: Array<[name: string, content: unknown]> = [];
	for (const [name, member] of Object.entries(value)) {
		const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
		const label = `${field} > ${name}`;
		if (kind === undefined && !open) {
			throw new InvalidParameter(
				field,
				`has a field that the service does not know: ${named(name)}`,
				`Check its spelling, upper and lower case included. Known here: ${Object.keys(kinds).join(', ')}.`,
			);
		}
		const content =
			kind === undefined ? member : checkedMember(member, kind, { label, zone, example: EXAMPLES[name] });
		if (content !== undefined && content !== null) members.push([name, content]);
	}
	// An assignment would take a field named __proto__ for the object's prototype.
	return Object.fromEntries(members);
}

function checkedMember(
	member: unknown,
	kind: Kind | AnyShape | OpenShape,
	{ label, zone, example }: { label: string; zone: string; example: string | undefined },
): unknown {
	if (member === null) return undefined;
	switch (kind) {
		case 'text':
			return values.asText(member, label);
		case 'email':
			return values.asEmail(member, label);
		case 'uuid':
			return values.asUuid(member, label);
		case 'int32':
			return values.asInt32(member, label);
		case 'boolean':
			return values.asBoolean(member, label);
		case 'timestamp':
			return values.asTimestamp(member, label, zone);
		case 'object':
			return memberObject(member, label);
		default:
			return nonEmpty(checked(memberObject(member, label, example) ?? {}, kind, label, zone));
	}
}

/** An object inside JSON. Text there may hold JSON, as some nodes give it; other text is no attempt at an object. */
function memberObject(member: unknown, label: string, example?: string): JsonObject | undefined {
	if (typeof member === 'string' && /^\s*[^{\s]/.test(member)) {
		throw values.noJsonObject(label, `needs a JSON object, but ${values.shownKind(member)}`, example);
	}
	return values.asJsonObject(member, label, example);
}

/** The object, `undefined` when it has no field: what is left empty is not on the wire. */
export function nonEmpty<T extends object>(value: T | undefined): T | undefined {
	return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

function isOpen(shape: AnyShape | OpenShape): shape is OpenShape {
	return typeof shape.open === 'object';
}
