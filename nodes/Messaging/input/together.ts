import type { IExecuteFunctions } from 'n8n-workflow';

const QUOTED = String.raw`(?:'[^'"\\{}\r\n]*'|"[^'"\\{}\r\n]*")`;
/** What drag and drop in the editor writes: a path into the item, or into another node's item. */
const PATH = String.raw`(?:\$json|\$\(${QUOTED}\)\.(?:item|(?:first|last)\(\))\.json)(?:\.[A-Za-z_$][\w$]*|\[(?:0|[1-9]\d{0,8}|${QUOTED})\])+`;
const EXPRESSION = new RegExp(String.raw`\{\{[ \n]*(${PATH})[ \n]*\}\}`);
const WHOLE_PATH = new RegExp(String.raw`^\s*${PATH}\s*$`);
/** Text around paths that is left to n8n: another expression, single braces, or a word that n8n refuses anywhere. */
const LEFT_TO_N8N = /\\|\{\{|\{$|\.\s*constructor/;

/** Values that n8n returns unchanged in a list. */
type Simple = string | number | boolean | null;

/** A parameter as saved in the workflow, and the paths in it. */
interface Template {
	readonly raw: unknown;
	readonly paths: readonly string[];
}

/** Reads a parameter of one item: together with others, or with `alone`. */
export type ReadParameter = (name: string, alone: () => unknown) => unknown;

/**
 * Evaluates the paths in an item's parameters together, because starting an evaluation takes n8n much longer than the
 * evaluation itself. The result is the same as from `getNodeParameter` with `skipValidation`, errors included: a
 * parameter whose paths fail, or give anything but simple values, is read alone.
 *
 * The first item's parameters are read alone, and the ones read are then evaluated together for the other items.
 */
export class Together {
	/** The parameters read so far. */
	private readonly templates = new Map<string, Template>();

	/** False once a parameter contains any other expression: it might change what the paths return. */
	private isSafe = true;

	constructor(private readonly context: IExecuteFunctions) {}

	/** Reads the parameters of one item; nothing is evaluated before the first read. */
	ofItem(item: number): ReadParameter {
		let values: ReadonlyMap<string, unknown> | undefined;
		return (name, alone) => {
			const template = this.templates.get(name);
			if (template === undefined) this.learn(name, item);
			if (!this.isSafe || template === undefined || template.paths.length === 0) return alone();
			values ??= this.valuesFor(item);
			return values.has(name) ? values.get(name) : alone();
		};
	}

	private learn(name: string, item: number): void {
		const raw: unknown = this.context.getNodeParameter(name, item, null, { rawExpressions: true });
		const paths = pathsIn(raw);
		this.isSafe &&= paths !== undefined;
		this.templates.set(name, { raw, paths: paths ?? [] });
	}

	/** The values of an item's parameters whose paths all give simple values. */
	private valuesFor(item: number): Map<string, unknown> {
		const values = new Map<string, unknown>();
		const results = this.evaluate(
			[...this.templates.values()].flatMap(({ paths }) => paths),
			item,
		);
		let at = 0;
		for (const [name, { raw, paths }] of this.templates) {
			const own = results.slice(at, (at += paths.length));
			if (own.length > 0 && own.every(isSimple)) values.set(name, filled(raw, own.values()));
			// Objects are slow to pass on: from now on, this parameter is read alone.
			else if (own.some((value) => typeof value === 'object' && value !== null)) {
				this.templates.set(name, { raw, paths: [] });
			}
		}
		return values;
	}

	/** The values of these paths; none if one fails, or if there is only one. */
	private evaluate(paths: readonly string[], item: number): readonly unknown[] {
		if (paths.length < 2) return [];
		try {
			const results: unknown = this.context.evaluateExpression(`{{ [${paths.join(', ')}] }}`, item);
			return Array.isArray(results) && results.length === paths.length ? results : [];
		} catch {
			// The parameter is then read alone, and n8n's error names the expression and the field.
			return [];
		}
	}
}

/** Whether the code between an expression's braces is only a path. */
export function isPath(code: string): boolean {
	return WHOLE_PATH.test(code);
}

/** The paths in a parameter, in order; `undefined` if it contains any other expression. */
function pathsIn(raw: unknown): string[] | undefined {
	if (typeof raw === 'object' && raw !== null) {
		const paths: string[] = [];
		for (const member of Object.values(raw)) {
			const own = pathsIn(member);
			if (own === undefined) return undefined;
			paths.push(...own);
		}
		return paths;
	}
	if (typeof raw !== 'string' || !raw.startsWith('=')) return [];
	const parts = raw.slice(1).split(EXPRESSION);
	if (parts.some((part, n) => n % 2 === 0 && LEFT_TO_N8N.test(part))) return undefined;
	return parts.filter((_part, n) => n % 2 === 1);
}

/** A parameter with its paths replaced by their values; as in n8n, lists and collections are copied. */
function filled(raw: unknown, values: Iterator<Simple>): unknown {
	if (typeof raw === 'object' && raw !== null) {
		const members: Record<string, unknown> = {};
		for (const [key, member] of Object.entries(raw)) members[key] = filled(member, values);
		return Array.isArray(raw) ? Object.values(members) : members;
	}
	if (typeof raw !== 'string' || !raw.startsWith('=')) return raw;
	const parts = raw.slice(1).split(EXPRESSION);
	const next = (): Simple => values.next().value as Simple;
	// Only an expression without text around it keeps its type.
	if (parts.length === 3 && parts[0] === '' && parts[2] === '') return next();
	return parts.map((part, n) => (n % 2 === 0 ? part : (next() ?? ''))).join('');
}

function isSimple(value: unknown): value is Simple {
	return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}
