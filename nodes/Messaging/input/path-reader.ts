import { type IExecuteFunctions, type INodeExecutionData, isSafeObjectProperty } from 'n8n-workflow';

import { isPlainObject } from '../shared/json';

const QUOTED = String.raw`(?:'[^'"\\{}\r\n\u2028\u2029]*'|"[^'"\\{}\r\n\u2028\u2029]*")`;
const STEP = String.raw`(?:\.[A-Za-z_$][\w$]*|\[(?:0|[1-9]\d{0,8}|${QUOTED})\])`;
/** What drag and drop in the editor writes: a path into the item, or into another node's item. */
const PATH = String.raw`(?:\$json|\$\(${QUOTED}\)\.(?:item|(?:first|last)\(\))\.json)${STEP}+`;
const STEPS = new RegExp(STEP, 'g');
/** Steps that n8n refuses, whatever the item contains. */
const REFUSED = String.raw`\.\s*constructor|\.(?:globalThis|\$)(?![\w$])`;
const EXPRESSION = new RegExp(String.raw`\{\{[ \n]*(?![^}]*(?:${REFUSED}))(${PATH})[ \n]*\}\}`);
/** Text around paths that is left to n8n: another expression, single braces, or a word that n8n refuses anywhere. */
const LEFT_TO_N8N = /\\|\{\{|\{$|\.\s*constructor/;

/**
 * Reads parameters without expressions, and those whose expressions are paths, with as few evaluations as possible,
 * because n8n takes long to start one. A path into the item is looked up in its JSON. Paths into other nodes' items are
 * evaluated together. The result is the same as from `getNodeParameter` with `skipValidation`, errors included: a
 * parameter whose paths fail, or give anything but simple values, is read alone.
 *
 * What is evaluated together is learned from the items before: other nodes' items are read alone for the first item.
 */
export class PathReader {
	/** What is saved in the workflow, by path. */
	private readonly savedAt = new Map<string, unknown>();

	/** The parameters read so far, as saved in the workflow, and the paths in them; none if they are read alone. */
	private readonly templates = new Map<string, { raw: unknown; paths: readonly string[] | undefined }>();

	/** The paths found so far, with the names in those that can be looked up; the others are evaluated together. */
	private readonly paths = new Map<string, readonly string[] | undefined>();

	/** False once a parameter contains any other expression: it might change other nodes' items. */
	private isSafe = true;

	/** The items whose JSON is what `$json` stands for; empty if n8n shows expressions something else. */
	private items: INodeExecutionData[] | undefined;

	constructor(private readonly context: IExecuteFunctions) {}

	/** Reads the parameters of one item, if need be with `alone`; nothing is evaluated before the first read. */
	ofItem(item: number): (name: string, alone: () => unknown) => unknown {
		let evaluated: ReadonlyMap<string, unknown> | undefined;
		return (name, alone) => {
			const known = this.templates.get(name);
			const { raw, paths } = known ?? this.learn(name);
			const values = paths?.map((path) => {
				const names = this.paths.get(path);
				if (names !== undefined) return this.lookedUp(item, names);
				if (known === undefined || !this.isSafe) return undefined;
				return (evaluated ??= this.evaluate(item)).get(path);
			});
			return values?.every(isSimple) === true ? filled(raw, values.values()) : alone();
		};
	}

	/** A parameter as saved in the workflow, or what is at a path in it: the same for all items. */
	saved(path: string): unknown {
		if (!this.savedAt.has(path)) this.savedAt.set(path, savedIn(this.context, path));
		return this.savedAt.get(path);
	}

	private learn(name: string) {
		const raw = this.saved(name) ?? null;
		const texts: string[][] = [];
		replaced(raw, (parts) => texts.push(parts));
		const isPlain = texts.every((parts) => parts.every((part, n) => n % 2 === 1 || !LEFT_TO_N8N.test(part)));
		this.isSafe &&= isPlain;
		const found = texts.flatMap((parts) => parts.filter((_part, n) => n % 2 === 1));
		const template = { raw, paths: isPlain && raw !== null ? found : undefined };
		for (const path of template.paths ?? []) this.paths.set(path, namesIn(path));
		this.templates.set(name, template);
		return template;
	}

	/** What `$json` itself has under these names; `undefined` if that is nothing, or a getter. */
	private lookedUp(item: number, names: readonly string[]): unknown {
		try {
			return valueIn(this.jsonOf(item), names);
		} catch {
			return undefined;
		}
	}

	/** What `$json` stands for. n8n takes long to say so, but mostly it is the item's JSON itself. */
	private jsonOf(item: number): unknown {
		if (this.items === undefined) {
			const items = this.context.getInputData();
			this.items = items[0]?.json === this.context.getWorkflowDataProxy(0)['$json'] ? items : [];
		}
		return this.items[item]?.json ?? this.context.getWorkflowDataProxy(item)['$json'];
	}

	/** The values of all paths that can't be looked up; none if one of them fails, or if there is only one. */
	private evaluate(item: number): ReadonlyMap<string, unknown> {
		const paths = [...this.paths].flatMap(([path, names]) => (names === undefined ? [path] : []));
		if (paths.length < 2) return new Map();
		try {
			const results: unknown = this.context.evaluateExpression(`{{ [${paths.join(', ')}] }}`, item);
			if (!Array.isArray(results) || results.length !== paths.length) return new Map();
			for (const [n, path] of paths.entries()) {
				// Objects are slow to pass on: from now on, this path is read alone.
				if (typeof results[n] === 'object' && results[n] !== null) this.paths.delete(path);
			}
			return new Map(paths.map((path, n) => [path, results[n]]));
		} catch {
			// The parameter is then read alone, and n8n's error names the expression and the field.
			return new Map();
		}
	}
}

/** A parameter as saved in the workflow, or what is at a path in it; `undefined` if it is not saved by itself. */
export function savedIn(context: IExecuteFunctions, path: string): unknown {
	return context.getNodeParameter(path, 0, null, { rawExpressions: true }) ?? undefined;
}

/** The names in a path, if n8n finds there what the item itself has under these names. */
function namesIn(path: string): string[] | undefined {
	if (!path.startsWith('$json')) return undefined;
	const names = path.match(STEPS)?.map((step) => step.replace(/^\.|^\[['"]?|['"]?\]$/g, ''));
	// In the engine "vm", what every object inherits hides what the item has under the same name.
	return names?.every((name) => isSafeObjectProperty(name) && !(name in {})) ? names : undefined;
}

function valueIn(json: unknown, names: readonly string[]): unknown {
	return names.reduce<unknown>((value, name) => {
		if (!isPlainObject(value) && !(Array.isArray(value) && /^\d+$/.test(name))) return undefined;
		const own = Object.getOwnPropertyDescriptor(value, name);
		// Not the descriptor's value: a proxy may give another one.
		return own !== undefined && 'value' in own ? Reflect.get(value, name) : undefined;
	}, json);
}

/** A copy of a parameter, with each text that n8n would evaluate replaced; it is given in parts, every second one a path. */
function replaced(raw: unknown, by: (parts: string[]) => unknown): unknown {
	if (typeof raw === 'object' && raw !== null) {
		const members: Record<string, unknown> = {};
		for (const [key, member] of Object.entries(raw)) members[key] = replaced(member, by);
		return Array.isArray(raw) ? Object.values(members) : members;
	}
	return typeof raw === 'string' && raw.startsWith('=') ? by(raw.slice(1).split(EXPRESSION)) : raw;
}

/** A parameter with its paths replaced by their values. */
function filled(raw: unknown, values: Iterator<unknown>): unknown {
	const next = () => values.next().value as string | number | boolean | null;
	return replaced(raw, (parts) =>
		// Only an expression without text around it keeps its type.
		parts.length === 3 && parts[0] === '' && parts[2] === ''
			? next()
			: parts.map((part, n) => (n % 2 === 0 ? part : (next() ?? ''))).join(''),
	);
}

function isSimple(value: unknown): boolean {
	return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}
