import { isSafeObjectProperty } from 'n8n-workflow';

import { isPlainObject } from '../shared/json';

/** An item as expressions see it. */
type Seen = { readonly json: unknown } | undefined;

/** The items of one node. */
interface Items {
	readonly item: Seen;
	first(): Seen;
	last(): Seen;
	all(): readonly Seen[];
}

/** What n8n looks expressions up in: its own data proxy. */
export interface ExpressionData {
	readonly $json: unknown;
	readonly $input: Items;
	readonly $node: Readonly<Record<string, Seen>>;
	$(node: string): Items;
}

/** A path into the data of a workflow, as drag and drop in the editor writes it: `$('Webhook').item.json.email`. */
export interface Path {
	/** What it begins with: `$json`, or an item of a node. */
	readonly root: string;
	readonly names: readonly string[];
	/** The item that it begins with. */
	itemIn(data: ExpressionData): Seen;
}

const QUOTED = String.raw`(?:'[^'\\{}\r\n\u2028\u2029]*'|"[^"\\{}\r\n\u2028\u2029]*")`;
const INDEX = String.raw`\[(?:0|[1-9]\d{0,8})\]`;
const STEP = String.raw`(?:\??\.[A-Za-z_$][\w$]*|(?:\?\.)?(?:${INDEX}|\[${QUOTED}\]))`;
const ITEM = String.raw`(?:\$input|\$\((?<node>${QUOTED})\))\.(?<which>item|first\(\)|last\(\)|all\(\)${INDEX})`;
const ROOT = String.raw`(?<root>\$json|(?:${ITEM}|\$node\[(?<old>${QUOTED})\])\.json)(?![\w$])`;
const PATH = new RegExp(String.raw`^[ \n]*${ROOT}(?<steps>${STEP}*)[ \n]*$`);
const PATHS = new RegExp(String.raw`${ROOT}${STEP}*(?![\w$])(?!\s*\()`, 'g');
const ALL_ITEMS = new RegExp(String.raw`\$(?:input|\(${QUOTED}\))\.all\(\)(?!\s*\()`, 'g');
const STEPS = new RegExp(STEP, 'g');

/** The path that an expression consists of; `undefined` for other code, and for a path that n8n may refuse. */
export function pathOf(code: string): Path | undefined {
	const { root, node, which = '', old, steps = '' } = PATH.exec(code)?.groups ?? {};
	if (root === undefined) return undefined;
	const names = (steps.match(STEPS) ?? []).map(nameIn);
	const nodeName = nameIn(node ?? old ?? '');
	if (![nodeName, ...names].every(isSafe)) return undefined;
	return {
		root,
		names,
		itemIn(data) {
			if (root === '$json') return { json: data.$json };
			if (old !== undefined) return data.$node[nodeName];
			return itemAt(node === undefined ? data.$input : data.$(nodeName), which);
		},
	};
}

/** The paths within code, without the methods that are called on what they give. */
export function pathsIn(code: string): string[] {
	return [...(code.match(PATHS) ?? []), ...(code.match(ALL_ITEMS) ?? [])];
}

/** Whether code is nothing but a path, which gives a value as the data has it. */
export function isPath(code: string): boolean {
	return pathsIn(code)[0] === code.trim();
}

const QUOTED_TEXTS = /'[^'\n]*'|"[^"\n]*"/g;
/** What gives no words of an item: dates, numbers, functions. */
const WITHOUT_DATA =
	/\$(?:now|today|if|ifEmpty|min|max|average|not|itemIndex|runIndex|workflow|jmes[Pp]ath)\b/g;

/** Code without its paths and its quoted texts. */
function withoutPaths(code: string): string {
	return code.replace(PATHS, '').replace(ALL_ITEMS, '').replace(/\\[^]/g, '').replace(QUOTED_TEXTS, '');
}

/** Whether code may have words from data that none of its paths leads to, or that it decodes. */
export function mayReadMore(code: string): boolean {
	return /\$[a-z_(]|base64|btoa|decode|atob|Buffer/i.test(withoutPaths(code).replace(WITHOUT_DATA, ''));
}

/** The texts that the author wrote into code, in quotes of any kind. */
export function authorsTexts(code: string): string {
	return (code.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []).join('\n');
}

/** Whether code only puts texts around paths: `"order-" + $json.id`. */
export function joinsTexts(code: string): boolean {
	if (isPath(code)) return false;
	return /^[\s+()]*$/.test(withoutPaths(code).replace(/`(?:[^`$\\]|\$\{\s*\})*`/g, ''));
}

/** Whether code ends with an empty text for what is missing: `$json.title ?? ""`. Then the author wants nothing there. */
export function isOptional(code: string): boolean {
	return /(?:\?\?|\|\||:)\s*(["'`])\1[\s)]*$/.test(code);
}

/** What the own fields with these names hold; `undefined` if there is nothing, or something that is no JSON. */
export function valueIn(json: unknown, names: readonly string[]): unknown {
	return names.reduce<unknown>((value, name) => {
		if (!isPlainObject(value) && !(Array.isArray(value) && /^\d+$/.test(name))) return undefined;
		const own = Object.getOwnPropertyDescriptor(value, name);
		// Not the descriptor's value: a proxy may give another one.
		return own?.enumerable === true && 'value' in own ? Reflect.get(value, name) : undefined;
	}, json);
}

function itemAt(items: Items, which: string): Seen {
	if (which === 'item') return items.item;
	if (which === 'first()') return items.first();
	if (which === 'last()') return items.last();
	return items.all()[Number(nameIn(which.slice('all()'.length)))];
}

/** The name in a step such as `.name`, `["name"]` or `[0]`, or in quotes. */
function nameIn(step: string): string {
	return step.replace(/^[?.]*\[?['"]?|['"]?\]?$/g, '');
}

/** Whether n8n finds under a name what the object itself has there. */
function isSafe(name: string): boolean {
	// n8n's expression engine "vm" gives what every object inherits, such as toString, and not the item's field of that name.
	return isSafeObjectProperty(name) && !(name in {}) && name !== 'globalThis' && name !== '$';
}
