import { Effort } from '../../json/effort';
import { HIDDEN_SECRET } from '../../fields/form-field';
import { isSecret } from '../../fields/json-schema';
import { matches } from '../../fields/pattern';
import { isEmpty } from '../../fields/values';
import { isPlainObject, type JsonObject } from '../../json/plain-object';
import type { FormSchema } from './schema';
import type { References } from './references';

/** How many pairs of a value and a schema may be looked at. */
const MOST_STEPS = 100_000;
/** How many choices between schemas are followed one into the other. */
const DEEPEST = 10;

/** Where the schemas of a choice stand, of which each may be the one that counts. */
const CHOICES = ['allOf', 'anyOf', 'oneOf', 'then', 'else'] as const;

/**
 * The present parameters with those hidden that the schema calls a secret, however deep they lie: what a form shows is
 * saved in the workflow.
 *
 * @returns `undefined` when it takes too much to tell which are
 */
export function withHiddenSecrets(
	current: JsonObject,
	{ root, references }: FormSchema,
): JsonObject | undefined {
	const effort = new Effort(MOST_STEPS);
	const shown = new Hiding(references, effort).shown(current, [root]);
	// Where no effort was left for a reference, nobody has seen what it leads to.
	return effort.spent || references.effort.spent || !isPlainObject(shown) ? undefined : shown;
}

class Hiding {
	constructor(
		private readonly references: References,
		private readonly effort: Effort,
	) {}

	/** A value with what is secret in it hidden. */
	shown(value: unknown, schemas: readonly unknown[]): unknown {
		const all = schemas.flatMap((schema) => this.spreadOut(schema, DEEPEST));
		this.effort.spend(1 + all.length);
		if (this.effort.spent) return undefined;
		if (all.some(isSecret)) return isEmpty(value) ? value : HIDDEN_SECRET;
		if (Array.isArray(value)) {
			return value.map((entry: unknown, index) =>
				this.shown(
					entry,
					all.flatMap((schema) => entrySchemas(schema, index)),
				),
			);
		}
		if (!isPlainObject(value)) return value;
		const members = Object.entries(value).map(([name, member]) => {
			const own = all.flatMap((schema) => memberSchemas(schema, name));
			return [name, this.shown(member, own)] as const;
		});
		// An assignment would take a field named __proto__ for the object's prototype.
		return Object.fromEntries(members);
	}

	/** A schema, its references resolved, and all that it leaves a choice between. */
	private spreadOut(schema: unknown, depth: number): JsonObject[] {
		this.effort.spend(1);
		if (!isPlainObject(schema) || depth === 0 || this.effort.spent) return [];
		const flat = this.references.resolve(schema);
		const choices = CHOICES.flatMap((name) => flat[name] ?? []);
		return [flat, ...choices.flatMap((choice) => this.spreadOut(choice, depth - 1))];
	}
}

function entrySchemas({ items, prefixItems }: JsonObject, index: number): unknown[] {
	return [items, prefixItems].flatMap((schemas: unknown) =>
		Array.isArray(schemas) ? [schemas[index]] : [schemas],
	);
}

function memberSchemas(schema: JsonObject, name: string): unknown[] {
	const { properties, patternProperties, additionalProperties } = schema;
	const patterns = isPlainObject(patternProperties) ? Object.entries(patternProperties) : [];
	const found = [
		...(isPlainObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : []),
		// One that can't be checked may be meant.
		...patterns.filter(([pattern]) => matches(pattern, name) !== false).map(([, member]) => member),
	];
	return found.length > 0 ? found : [additionalProperties];
}
