import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { isPlainObject, type JsonObject } from '../json/plain-object';
import { changesNothing, type PlainExpression, plainText } from './plain-expressions';

/** After so many in a row that did not work out, nobody tries again in this run. */
const MAX_IN_A_ROW = 2;

/** What n8n hands over as it is, alone and in a list. */
type Simple = string | number | boolean | null;

/** What is made of expressions that may be evaluated among others. */
interface Made {
	readonly expressions: readonly PlainExpression[];
	/** The value when the expressions have these; a new one each time. */
	valueOf(values: readonly Simple[]): unknown;
}

/** A parameter with such expressions. */
interface Field extends Made {
	readonly name: string;
}

/** What is known of a parameter. */
interface Known {
	/** Missing for one that is always read alone. */
	readonly field: Field | undefined;
	/** Whether reading it may change what others find. */
	readonly mayChange: boolean;
	/** For how many items in a row an expression of it gave what can't be used. */
	missed: number;
}

/** What is evaluated at once for an item. */
interface Plan {
	readonly fields: readonly Field[];
	readonly expression: string;
}

/** Reads a parameter of one item: together with others, or the way that is given. */
export type ReadParameter = (name: string, alone: () => unknown) => unknown;

/**
 * The expressions of a run's items, those of one item evaluated together. n8n takes its time for each evaluation, much
 * more than for what most expressions do.
 *
 * What comes out is what `getNodeParameter` gives with `skipValidation`, errors included, because whatever is not
 * certain to be the same is read that way: expressions that are not plain, values that are not simple, and all of an
 * item for which the evaluation fails. Which parameters are read together is what items before have read; those of the
 * first are read one by one. Parameters that stand in the workflow and that no item reads are never evaluated.
 */
export class Together {
	/** The parameters that items have read, in the order in which that began. */
	private readonly names = new Set<string>();

	private readonly known = new Map<string, Known>();

	/** For how many items in a row the evaluation failed. */
	private failed = 0;

	/** How often an expression was evaluated that may have changed what others find. */
	private changes = 0;

	/** What is evaluated for the next item; `undefined` when that has to be looked at anew. */
	private plan: Plan | null | undefined = null;

	/** The node's parameters as they stand in the workflow. */
	private parameters: INodeParameters | undefined;

	constructor(private readonly context: IExecuteFunctions) {}

	/** Reads the parameters of one item; nothing is evaluated before the first of them is read. */
	ofItem(item: number): ReadParameter {
		let plan: Plan | null | undefined;
		let values: ReadonlyMap<string, unknown> | undefined;
		let changes = 0;
		return (name, alone) => {
			// What this item reads counts for the next ones only.
			if (plan === undefined) plan = this.planned();
			this.note(name);
			if (plan?.fields.some((field) => field.name === name) !== true) {
				// Nothing was evaluated before while nobody has looked at the parameters.
				if (this.parameters !== undefined && this.knownOf(name).mayChange) this.changes += 1;
				return alone();
			}
			if (values === undefined) {
				values = this.evaluated(plan, item);
				({ changes } = this);
			}
			return values.has(name) && changes === this.changes ? values.get(name) : alone();
		};
	}

	private note(name: string): void {
		if (this.names.has(name)) return;
		this.names.add(name);
		this.plan = undefined;
	}

	private planned(): Plan | null {
		if (this.plan === undefined) this.plan = this.newPlan();
		return this.plan;
	}

	private newPlan(): Plan | null {
		// A context of an n8n that is not known may lack it.
		const { evaluateExpression }: Partial<IExecuteFunctions> = this.context;
		if (evaluateExpression === undefined || this.failed >= MAX_IN_A_ROW) return null;
		const plans = this.stretches().map(planOf);
		return plans.reduce((best, plan) => (plan.size > best.size ? plan : best), NO_PLAN).plan;
	}

	/** The fields between those that may change something: only they find the same, whenever they are evaluated. */
	private stretches(): Field[][] {
		let stretch: Field[] = [];
		const all = [stretch];
		for (const name of this.names) {
			const { field, mayChange, missed } = this.knownOf(name);
			if (mayChange) all.push((stretch = []));
			else if (field !== undefined && missed < MAX_IN_A_ROW) stretch.push(field);
		}
		return all;
	}

	private knownOf(name: string): Known {
		let known = this.known.get(name);
		if (known === undefined) {
			// The copy of the node that n8n hands out is never resolved: nothing that an item holds is evaluated.
			this.parameters ??= this.context.getNode().parameters ?? {};
			const raw = Object.hasOwn(this.parameters, name) ? this.parameters[name] : undefined;
			known = { field: fieldOf(name, raw), mayChange: !changesNothing(raw), missed: 0 };
			this.known.set(name, known);
		}
		return known;
	}

	/** The values for an item, of those fields for which they are certain. */
	private evaluated({ fields, expression }: Plan, item: number): ReadonlyMap<string, unknown> {
		const values = new Map<string, unknown>();
		const results = this.resultsOf(expression, item);
		const expected = fields.reduce((sum, field) => sum + field.expressions.length, 0);
		if (!Array.isArray(results) || results.length !== expected) {
			this.failed += 1;
			if (this.failed >= MAX_IN_A_ROW) this.plan = null;
			return values;
		}
		this.failed = 0;
		let at = 0;
		for (const { expressions, name, valueOf } of fields) {
			const own: readonly unknown[] = results.slice(at, (at += expressions.length));
			const isUsable = own.every(isSimple);
			if (isUsable) values.set(name, valueOf(own));
			this.noteUse(name, isUsable);
		}
		return values;
	}

	private noteUse(name: string, isUsable: boolean): void {
		const known = this.knownOf(name);
		known.missed = isUsable ? 0 : known.missed + 1;
		if (known.missed >= MAX_IN_A_ROW) this.plan = undefined;
	}

	private resultsOf(expression: string, item: number): unknown {
		try {
			return this.context.evaluateExpression(expression, item);
		} catch {
			// Which of them it was, and in which field, says the one that is read alone.
			return undefined;
		}
	}
}

const NO_PLAN: { readonly plan: Plan | null; readonly size: number } = { plan: null, size: 1 };

/** What evaluates these fields at once, and how many expressions that are. */
function planOf(stretch: readonly Field[]): { plan: Plan; size: number } {
	const anyCalls = stretch.some(({ expressions }) => expressions.some(({ calls }) => calls));
	const fields = stretch.filter(
		({ expressions }) => !anyCalls || expressions.every(({ fragile }) => !fragile),
	);
	const codes = fields.flatMap(({ expressions }) => expressions.map(({ code }) => `(${code})`));
	return { plan: { fields, expression: `{{ [${codes.join(', ')}] }}` }, size: codes.length };
}

/** The parameter with this raw value, when its expressions may be evaluated among others; `undefined` when not. */
function fieldOf(name: string, raw: unknown): Field | undefined {
	if (typeof raw === 'string') {
		const made = madeFrom(raw);
		return made && { name, ...made };
	}
	// A collection, or a locator: n8n resolves each of its members, and makes a new object of them.
	if (!isPlainObject(raw)) return undefined;
	const members: Array<[string, Made | string | number | boolean]> = [];
	for (const [key, member] of Object.entries(raw)) {
		if (typeof member !== 'number' && typeof member !== 'boolean' && typeof member !== 'string')
			return undefined;
		const made = isExpression(member) ? madeFrom(String(member)) : member;
		if (made === undefined) return undefined;
		members.push([key, made]);
	}
	const expressions = members.flatMap(([, made]) => (typeof made === 'object' ? made.expressions : []));
	if (expressions.length === 0) return undefined;
	const valueOf = (values: readonly Simple[]): unknown => {
		const object: JsonObject = {};
		let next = 0;
		for (const [key, made] of members) {
			if (typeof made !== 'object') object[key] = made;
			else object[key] = made.valueOf(values.slice(next, (next += made.expressions.length)));
		}
		return object;
	};
	return { name, expressions, valueOf };
}

/** What is made of a text with expressions in it, as n8n makes it. */
function madeFrom(raw: string): Made | undefined {
	const plain = plainText(raw);
	if (plain === undefined) return undefined;
	const { texts, expressions } = plain;
	// One that stands alone keeps its type.
	const isAlone = expressions.length === 1 && texts.every((text) => text === '');
	const joined = (values: readonly Simple[]): string =>
		texts.map((text, n) => `${n === 0 ? '' : (values[n - 1] ?? '')}${text}`).join('');
	return { expressions, valueOf: isAlone ? ([value = null]) => value : joined };
}

/** For n8n, a text that begins like this is one. */
function isExpression(raw: unknown): boolean {
	return typeof raw === 'string' && raw.startsWith('=');
}

function isSimple(value: unknown): value is Simple {
	return (
		value === null ||
		typeof value === 'string' ||
		typeof value === 'boolean' ||
		(typeof value === 'number' && Number.isFinite(value))
	);
}
