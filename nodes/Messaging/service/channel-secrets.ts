import { type Clock, systemClock } from '../shared/clock';
import { isPlainObject, type JsonObject, placesIn, textAt, valueAt } from '../shared/json';
import { HIDDEN_SECRET } from '../shared/masks';
import { Turns } from '../shared/turns';
import { DOCUMENT_TIMEOUT_MS } from './read-document';

/** How many schemas are read in one run. */
const MOST_SCHEMAS = 50;
/** How many schemas and parts of schemas are looked at for one channel. */
const MOST_STEPS = 20_000;
/** A reference within a document, of at most ten names. */
const REFERENCE = /^#(?:\/[^/]{0,100}){0,10}$/;

/**
 * Hides what the JSON Schema of a channel's type calls secret, in what a run returns. Each schema is read once per run,
 * and reading may hold up a run for ten seconds in all. Of a schema that can't be read, nothing is known: what names
 * give away is hidden already.
 */
export class ChannelSecrets {
	private readonly schemas = new Map<string, Promise<unknown>>();
	/** How many schemas are being read, since when, and how long reading has taken before, in milliseconds. */
	private reading = { count: 0, since: 0, tookMs: 0 };

	constructor(
		private readonly read: (address: string, timeoutMs: number) => Promise<unknown>,
		private readonly clock: Clock = systemClock,
	) {}

	/** Hides the secrets of all channels in the body of an answer, which is changed. Never rejects. */
	async hideIn(body: unknown): Promise<void> {
		const turns = new Turns(this.clock);
		const channels: Array<{ channel: JsonObject; schema: Promise<unknown> }> = [];
		for (const { value: channel } of placesIn(body)) {
			if (turns.over) await turns.next();
			if (!isPlainObject(channel) || !isPlainObject(channel.parameters)) continue;
			const address = textAt(channel, 'channelType.configurationSchemaUrl');
			if (address !== '') channels.push({ channel, schema: this.schemaAt(address) });
		}
		for (const { channel, schema } of channels) {
			channel.parameters = withoutSecrets(channel.parameters, await schema);
			if (turns.over) await turns.next();
		}
	}

	/** The schema at an address; `undefined` if it can't be read. */
	private async schemaAt(address: string): Promise<unknown> {
		const known = this.schemas.get(address);
		if (known !== undefined || this.schemas.size >= MOST_SCHEMAS) return await known;
		const schema = this.readInTime(address).catch(() => undefined);
		this.schemas.set(address, schema);
		return await schema;
	}

	private async readInTime(address: string): Promise<unknown> {
		const { reading, clock } = this;
		if (reading.count === 0) reading.since = clock.now();
		const leftMs = DOCUMENT_TIMEOUT_MS - reading.tookMs - (clock.now() - reading.since);
		if (leftMs <= 0) return undefined;
		reading.count += 1;
		try {
			return await this.read(address, Math.ceil(leftMs));
		} finally {
			reading.count -= 1;
			if (reading.count === 0) reading.tookMs += clock.now() - reading.since;
		}
	}
}

/**
 * The parameters of a channel with what their schema calls secret hidden; unchanged if the schema is too large to be
 * followed. The patterns of a schema come from the service and are never run.
 *
 * @param document the schema as parsed; anything else hides nothing
 */
export function withoutSecrets(parameters: unknown, document: unknown): unknown {
	let steps = 0;
	const count = (more: number): void => {
		steps += more;
		if (steps > MOST_STEPS) throw new RangeError('The schema is too large');
	};
	/** Schemas, with all those that apply to the same value. */
	const together = (schemas: readonly unknown[]): JsonObject[] => {
		const all = new Set<JsonObject>();
		const add = (more: readonly unknown[]): void => {
			const present = more.filter((schema) => schema !== undefined);
			count(present.length);
			for (const schema of present) if (isPlainObject(schema)) all.add(schema);
		};
		add(schemas);
		// What is added on the way is visited, too, each once.
		for (const schema of all) add(besides(schema, document));
		return [...all];
	};
	const shown = (value: unknown, schemas: readonly unknown[]): unknown => {
		// An empty one stays.
		if (value === null || value === '') return value;
		const rules = together(schemas);
		if (rules.some(isSecret)) return HIDDEN_SECRET;
		if (typeof value !== 'object' || rules.length === 0) return value;
		const schemasOf = Array.isArray(value) ? ofEntry : ofMember;
		const inside = (name: string, member: unknown): unknown => {
			count(rules.length);
			const own = rules.flatMap((rule) => schemasOf(rule, name));
			return shown(member, own);
		};
		if (Array.isArray(value)) return value.map((entry, n) => inside(String(n), entry));
		return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inside(name, member)]));
	};
	try {
		return shown(parameters, [document]);
	} catch {
		return parameters;
	}
}

/** Keywords with which a schema calls a value secret: that of JSON Schema, and those that form builders use. */
const SECRET_FLAGS = ['writeOnly', 'x-secret', 'x-sensitive', 'x-ms-secret', 'airbyte_secret'];

function isSecret(schema: JsonObject): boolean {
	return schema.format === 'password' || SECRET_FLAGS.some((flag) => schema[flag] === true);
}

/** The schemas that apply wherever a schema does. Conditions are not checked. */
function besides(schema: JsonObject, document: unknown): unknown[] {
	const { allOf, anyOf, oneOf, then: ifSo, else: ifNot, dependentSchemas, dependencies } = schema;
	return [
		...[referred(schema, document), ifSo, ifNot],
		...[allOf, anyOf, oneOf].filter(Array.isArray).flat(),
		...[dependentSchemas, dependencies].filter(isPlainObject).flatMap(Object.values),
	];
}

/** The schemas of a member of an object. What has no schema of its own may match any pattern. */
function ofMember(schema: JsonObject, name: string): unknown[] {
	const { additionalProperties, patternProperties, properties, unevaluatedProperties } = schema;
	if (isPlainObject(properties) && Object.hasOwn(properties, name)) return [properties[name]];
	const patterns = isPlainObject(patternProperties) ? Object.values(patternProperties) : [];
	return [...patterns, additionalProperties, unevaluatedProperties];
}

/** The schemas of an entry of a list, by its index. */
function ofEntry(schema: JsonObject, index: string): unknown[] {
	const { additionalItems, items, prefixItems, unevaluatedItems } = schema;
	const ofTuple = [prefixItems, items].map((each: unknown): unknown =>
		Array.isArray(each) ? each[Number(index)] : each,
	);
	return [...ofTuple, additionalItems, unevaluatedItems];
}

/** What the reference of a schema leads to in the same document; `undefined` if it has none that does. */
export function referred({ $ref }: JsonObject, document: unknown): unknown {
	if (typeof $ref !== 'string' || !REFERENCE.test($ref)) return undefined;
	const path = $ref.split('/').slice(1);
	return valueAt(
		document,
		path.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
	);
}
