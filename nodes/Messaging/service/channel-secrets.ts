import { type Clock, systemClock } from '../shared/clock';
import { isPlainObject, type JsonObject, placesIn, textAt, valueAt } from '../shared/json';
import { HIDDEN_SECRET } from '../shared/masks';
import { Turns } from '../shared/turns';
import { DOCUMENT_TIMEOUT_MS } from './read-document';

/** How many schemas are read in one run. */
const MOST_SCHEMAS = 50;
/** A reference within a document, of at most ten names. */
const REFERENCE = /^#(?:\/[^/]{0,100}){0,10}$/;

/** Whether a parameter with this name is a secret. */
type IsSecret = (name: string) => boolean;

/**
 * Hides what the JSON Schema of a channel's type calls secret, in what a run returns. Each schema is read once per run. If
 * one does not come in time, no other is read. Of a schema that can't be read, nothing is known: what names give away is
 * hidden already.
 */
export class ChannelSecrets {
	private readonly schemas = new Map<string, Promise<IsSecret>>();
	private isSlow = false;

	constructor(
		private readonly read: (address: string) => Promise<unknown>,
		private readonly clock: Clock = systemClock,
	) {}

	/**
	 * Hides the secrets of all channels in the body of an answer, which is changed. Never rejects: deeper answers than 500
	 * levels have become a text.
	 */
	async hideIn(body: unknown): Promise<void> {
		const turns = new Turns(this.clock);
		const channels: Array<{ channel: JsonObject; schema: Promise<IsSecret> }> = [];
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

	private async schemaAt(address: string): Promise<IsSecret> {
		const known = this.schemas.get(address);
		if (known !== undefined) return await known;
		if (this.isSlow || this.schemas.size >= MOST_SCHEMAS) return () => false;
		const schema = this.secretsAt(address);
		this.schemas.set(address, schema);
		return await schema;
	}

	private async secretsAt(address: string): Promise<IsSecret> {
		const began = this.clock.now();
		try {
			return secretsIn(await this.read(address));
		} catch {
			this.isSlow ||= this.clock.now() - began >= DOCUMENT_TIMEOUT_MS;
			return () => false;
		}
	}
}

/** The same parameters without the values of secrets, at any depth. Empty ones stay. */
function withoutSecrets(value: unknown, isSecret: IsSecret): unknown {
	if (Array.isArray(value)) return value.map((entry) => withoutSecrets(entry, isSecret));
	if (!isPlainObject(value)) return value;
	const members = Object.entries(value).map(([name, member]) => {
		const isHidden = member !== null && member !== '' && isSecret(name);
		return [name, isHidden ? HIDDEN_SECRET : withoutSecrets(member, isSecret)];
	});
	return Object.fromEntries(members) as object;
}

/** Keywords with which a schema calls a value secret: those of JSON Schema, and of form builders. */
const isMarked = (schema: JsonObject): boolean =>
	schema.format === 'password' ||
	['writeOnly', 'x-secret', 'x-sensitive', 'airbyte_secret'].some((keyword) => schema[keyword] === true);

/**
 * Which parameters a JSON Schema calls secret: those whose schema has a mark, or refers to one that has, also one for the
 * entries of a list. If members that it does not name are secret, all such are. A name is a secret wherever it stands.
 *
 * @param document as parsed. Its patterns are never run
 * @throws RangeError if its references are nested too deeply
 */
export function secretsIn(document: unknown): IsSecret {
	const known = new Map<object, boolean>();
	const hasMark = (schema: unknown): boolean => {
		if (typeof schema !== 'object' || schema === null) return false;
		const before = known.get(schema);
		if (before !== undefined) return before;
		// A reference may lead back.
		known.set(schema, false);
		const parts = Object.entries(schema).filter(([keyword]) => keyword !== 'properties');
		const isOwn = isPlainObject(schema) && (isMarked(schema) || hasMark(referred(schema, document)));
		const has = isOwn || parts.some(([, part]) => hasMark(part));
		known.set(schema, has);
		return has;
	};
	const named = new Map<string, boolean>();
	let areOthers = false;
	for (const { value: schema } of placesIn(document)) {
		if (!isPlainObject(schema)) continue;
		areOthers ||= hasMark(schema.additionalProperties) || hasMark(schema.patternProperties);
		if (!isPlainObject(schema.properties)) continue;
		for (const [name, property] of Object.entries(schema.properties)) {
			named.set(name, named.get(name) === true || hasMark(property));
		}
	}
	return (name) => named.get(name) ?? areOthers;
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
