import type { IExecuteFunctions } from 'n8n-workflow';

import { isPlainObject, type JsonObject } from '../shared/json';

/** After this many failures in a row, the rest of the run is read one by one. */
const MAX_FAILURES = 2;

const QUOTED = String.raw`(?:'[^'"\\{}\r\n]*'|"[^'"\\{}\r\n]*")`;
/** What drag and drop in the editor writes: a path into the item, or into another node's item. */
const PATH = String.raw`(?:\$json|\$\(${QUOTED}\)\.(?:item|(?:first|last)\(\))\.json)(?:\.[A-Za-z_$][\w$]*|\[(?:0|[1-9]\d{0,8}|${QUOTED})\])+`;
const EXPRESSION = new RegExp(String.raw`\{\{[ \n]*(${PATH})[ \n]*\}\}`);
const WHOLE_PATH = new RegExp(String.raw`^\s*${PATH}\s*$`);
/** Beside expressions: another one, braces that are none, or a word that n8n refuses anywhere. */
const LEFT_TO_N8N = /\\|\{\{|\{$|\.\s*constructor/;

/** Stands for the value of a parameter that is read by itself. */
const ALONE = Symbol('alone');

/** What n8n gives unchanged in a list. */
type Simple = string | number | boolean | null;

/** A parameter that holds paths and fixed values only. */
interface Template {
	/** The paths, in order. */
	readonly paths: readonly string[];
	/** The parameter's value, made of the values of its paths. */
	fill(values: readonly Simple[]): unknown;
}

const NO_PATHS: Template = { paths: [], fill: () => undefined };

/** Reads a parameter of one item: together with others, or `alone`. */
export type ReadParameter = (name: string, alone: () => unknown) => unknown;

/**
 * Evaluates the expressions of an item together, because n8n takes much longer to start an evaluation than for the
 * evaluation itself. The result is what `getNodeParameter` gives with `skipValidation`, errors included: only paths are
 * read this way, and if one fails or gives anything but a simple value, it is read as n8n does.
 *
 * The parameters of the first item are read one by one. Those that it has read are evaluated together for the others.
 */
export class Together {
	/** The parameters that have been read, in that order; ALONE for one that may change what the others give. */
	private readonly read = new Map<string, Template | typeof ALONE>();

	/** The values of the item that is being read. */
	private current: { readonly item: number; readonly values: ReadonlyMap<string, unknown> } | undefined;

	/** How many evaluations in a row have failed. */
	private failures = 0;

	constructor(private readonly context: IExecuteFunctions) {}

	/** Reads the parameters of one item; nothing is evaluated before it is read. */
	ofItem(item: number): ReadParameter {
		return (name, alone) => {
			const known = this.read.get(name);
			const template = known ?? this.templateFor(name, item);
			// An expression may assign to the item's fields: what follows it has to be evaluated after it.
			if (template === ALONE) this.current = undefined;
			if (template === ALONE || template.paths.length === 0) return alone();
			if (known === undefined || this.failures >= MAX_FAILURES) return alone();
			if (this.current?.item !== item || !this.current.values.has(name)) {
				this.current = { item, values: this.valuesFrom(name, item) };
			}
			const value = this.current.values.get(name);
			return value === ALONE ? alone() : value;
		};
	}

	private templateFor(name: string, item: number): Template | typeof ALONE {
		const raw: unknown = this.context.getNodeParameter(name, item, null, { rawExpressions: true });
		const template = templateOf(raw);
		this.read.set(name, template);
		return template;
	}

	/** The values of this parameter and those after it, up to one that may change them. */
	private valuesFrom(first: string, item: number): Map<string, unknown> {
		const names = [...this.read.keys()];
		const values = new Map<string, unknown>();
		const templates: Array<[string, Template]> = [];
		for (const name of names.slice(names.indexOf(first))) {
			const template = this.read.get(name);
			if (template === undefined || template === ALONE) break;
			values.set(name, ALONE);
			templates.push([name, template]);
		}
		const paths = templates.flatMap(([, template]) => template.paths);
		const results = paths.length > 1 ? this.evaluate(paths, item) : [];
		let next = 0;
		for (const [name, template] of templates) {
			const own = results.slice(next, (next += template.paths.length));
			if (own.length > 0 && own.every(isSimple)) values.set(name, template.fill(own));
			// Objects take time to hand over: from now on, this one is read alone.
			else if (own.some((value) => typeof value === 'object' && value !== null))
				this.read.set(name, NO_PATHS);
		}
		return values;
	}

	/** The values of these paths; none if one of them fails. */
	private evaluate(paths: readonly string[], item: number): readonly unknown[] {
		try {
			const results: unknown = this.context.evaluateExpression(`{{ [${paths.join(', ')}] }}`, item);
			if (Array.isArray(results) && results.length === paths.length) {
				this.failures = 0;
				return results;
			}
		} catch {
			// The one that is read alone says which it was, and in which field.
		}
		this.failures += 1;
		return [];
	}
}

/** Whether the code between the braces of an expression is nothing but a path. */
export function isPath(code: string): boolean {
	return WHOLE_PATH.test(code);
}

/** @param raw the parameter as it is in the workflow */
function templateOf(raw: unknown): Template | typeof ALONE {
	if (Array.isArray(raw) || isPlainObject(raw)) return templateOfMembers(raw);
	if (typeof raw !== 'string' || !raw.startsWith('=')) return { paths: [], fill: () => raw };
	const parts = raw.slice(1).split(EXPRESSION);
	const texts = parts.filter((_part, n) => n % 2 === 0);
	if (texts.some((text) => LEFT_TO_N8N.test(text))) return ALONE;
	// Only an expression without any text around it keeps its type.
	const isWhole = parts.length === 3 && texts.every((text) => text === '');
	return {
		paths: parts.filter((_part, n) => n % 2 === 1),
		fill: (values) =>
			isWhole ? values[0] : texts.map((text, n) => `${n === 0 ? '' : (values[n - 1] ?? '')}${text}`).join(''),
	};
}

/** A list, a collection or a locator: n8n makes a new one, with each of its members resolved. */
function templateOfMembers(raw: unknown[] | JsonObject): Template | typeof ALONE {
	const members: Array<[string, Template]> = [];
	for (const [key, member] of Object.entries(raw)) {
		const template = templateOf(member);
		if (template === ALONE) return ALONE;
		members.push([key, template]);
	}
	return {
		paths: members.flatMap(([, { paths }]) => paths),
		fill(values) {
			let next = 0;
			const filled: JsonObject = {};
			for (const [key, { paths, fill }] of members) {
				filled[key] = fill(values.slice(next, (next += paths.length)));
			}
			return Array.isArray(raw) ? Object.values(filled) : filled;
		},
	};
}

function isSimple(value: unknown): value is Simple {
	return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}
