import { isEmpty, stringsIn } from '../shared/json';
import { Recent } from '../shared/recent';
import { named } from '../shared/text';
import type { ParameterSource } from './parameter-source';
import { authorsTexts, isPath, joinsTexts, mayReadMore, type Path, pathOf, pathsIn } from './paths';

/** A field in Expression mode, as saved: fixed texts, and the code of the expressions between them. */
interface Template {
	readonly texts: readonly string[];
	readonly codes: readonly string[];
	/** The expressions as paths; `undefined` if one is no path, or if n8n may refuse or change the text. */
	readonly paths: readonly Path[] | undefined;
}

/** Most workflows have fewer fields with expressions. */
const templates = new Recent(1000, (saved: string): Template => {
	const code = saved.slice(1);
	// As in n8n, an expression ends at the first closing braces or at the end of the text. Braces after a backslash are
	// text, or do not end the expression. They are rare, so such a text is not checked.
	const pieces = /\\(?:\{\{|\}\})/.test(code) ? [code] : code.split(/\{\{([^]*?)(?:\}\}|$)/);
	const texts = pieces.filter((_piece, n) => n % 2 === 0);
	const codes = pieces.filter((_piece, n) => n % 2 === 1);
	const paths = codes.flatMap((each) => pathOf(each) ?? []);
	// n8n reads a backslash as an escape, and refuses the word constructor behind a point, even in fixed text.
	const isPlain = paths.length === codes.length && !/\\|\.\s*constructor/.test(code);
	return { texts, codes, paths: isPlain ? paths : undefined };
});

/** The template of a field in Expression mode, as saved: it begins with "=". */
export function templateOf(saved: string): Template {
	return templates.peek(saved) ?? templates.use(saved);
}

/** The code of the expressions in a field as saved; none for a fixed one. */
export function codesIn(saved: unknown): readonly string[] {
	return typeof saved === 'string' && saved.startsWith('=') ? templateOf(saved).codes : [];
}

/** Whether a field as saved has nothing around its only expression, or nothing but white space. */
export function isAlone(saved: unknown): saved is string {
	return codesIn(saved).length === 1 && fixedText(templateOf(String(saved))) === '';
}

/** The texts in quotes that have expressions in them, in a JSON field as saved. Quotes may be left open at the end. */
export function quotedExpressions(saved: unknown): string[] {
	const codes = codesIn(saved);
	if (codes.length === 0) return [];
	// Every second one is inside quotes.
	const parts = [''];
	for (const [n, text] of templateOf(String(saved)).texts.entries()) {
		for (const piece of text.match(/\\[^]?|"|[^"\\]+/g) ?? []) {
			if (piece === '"') parts.push('');
			else parts[parts.length - 1] += piece;
		}
		const code = codes[n];
		if (code !== undefined) parts[parts.length - 1] += `{{${code}}}`;
	}
	return parts.filter((part, n) => n % 2 === 1 && part.includes('{{'));
}

/** The expressions of a field, for one item. */
export class Expressions {
	private readonly template: Template;

	/**
	 * @param saved the field as saved, in Expression mode
	 * @param text what the whole field gives
	 */
	constructor(
		saved: string,
		private readonly text: string,
		readonly source: ParameterSource,
	) {
		this.template = templateOf(saved);
	}

	get codes(): readonly string[] {
		return this.template.codes;
	}

	/** What each expression gives, as text. */
	parts(): string[] {
		const [before = '', after = '', ...more] = this.template.texts;
		// A single expression gives what stands between the fixed texts, unless n8n has changed those.
		const isKept = more.length === 0 && this.text.startsWith(before) && this.text.endsWith(after);
		if (isKept) return [this.text.slice(before.length, this.text.length - after.length)];
		return this.codes.map((code) => templateText(this.valueOf(code)));
	}

	/** The code of the expressions that find nothing. They give nothing, or only their own text around data that is empty. */
	thatFindNothing(parts = this.parts()): readonly string[] {
		return this.codes.filter((code, n) => {
			if (isEmpty(parts[n])) return true;
			const data = this.source.resolve !== undefined && joinsTexts(code) ? this.dataOf(code) : [];
			return data.length > 0 && data.every((value) => isEmpty(templateText(value)));
		});
	}

	/** Whether no expression finds anything. */
	findNothing(): boolean {
		// n8n may shorten the fixed texts, but never lengthens them: a longer text shows at once that something was found.
		const isLonger = withoutSpaces(this.text).length > fixedText(this.template).length;
		if (isLonger && !this.codes.some(joinsTexts)) return false;
		return this.thatFindNothing().length === this.codes.length;
	}

	/** What the paths in the expressions lead to. */
	data(): unknown[] {
		return this.codes.flatMap((code) => this.dataOf(code));
	}

	/** What code reads and may change. A plain path shows all that it finds, and takes long to evaluate once more. */
	dataOfCode(): unknown[] {
		return this.codes.filter((code) => !isPath(code.trim())).flatMap((code) => this.dataOf(code));
	}

	private dataOf(code: string): unknown[] {
		return pathsIn(code).map((path) => this.valueOf(path));
	}

	/**
	 * The code of the first expression that has made one of these words of an object, a date or a missing value: it gives the
	 * word, and its data does not have it.
	 *
	 * @param words without the flag "g"
	 * @param isCertain whether to pass over expressions that may have the word from elsewhere: from a text of the author, such
	 *   as "annulled-", or from data to which none of its paths leads
	 */
	thatMakes(words: RegExp, isCertain: boolean): string | undefined {
		// Within a text, an object shows as text. An expression that stands alone gives the object.
		const isWithin = this.template.texts.some((text) => text !== '') || this.codes.length > 1;
		return this.codes.find((each) => {
			const code = each.trim();
			const value = this.valueOf(code);
			// n8n refuses a function that stands alone, and shows its code within a text.
			if (value === undefined) return !isEmpty(this.valueOf(code, ' '));
			const [word] = words.exec(isWithin ? templateText(value) : textsIn(value)) ?? [];
			if (word === undefined) return false;
			const isObject = typeof value === 'object';
			if (isPath(code) && !isObject) return false;
			if (isCertain && (authorsTexts(code).includes(word) || (!isObject && mayReadMore(code)))) return false;
			return !this.dataOf(code).some((data) => textsIn(data).toLowerCase().includes(word.toLowerCase()));
		});
	}

	private valueOf(code: string, end = ''): unknown {
		try {
			return this.source.resolve?.(`{{ ${code} }}${end}`);
		} catch {
			return undefined;
		}
	}
}

/** The fixed texts of a template, without white space. */
function fixedText({ texts }: Template): string {
	return withoutSpaces(texts.join(''));
}

function withoutSpaces(text: string): string {
	return text.replace(/\s+/g, '');
}

/** A value as a template shows it. */
function templateText(value: unknown): string {
	return Number.isNaN(value) ? '' : `${(value ?? '') as string}`;
}

/** Whether a value is a number with more digits than a number can hold. */
export function isRounded(value: unknown): value is number {
	return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** A value as text, or all texts in it. */
export function textsIn(value: unknown): string {
	return typeof value === 'object' ? stringsIn(value).join('\n') : templateText(value);
}

/** The name under which a model that calls the tool gives a value. */
const FROM_MODEL = /\$from(?:AI|ai|Ai)\(\s*['"`]([^'"`]+)/;

/** How many fields of an item are named. */
const MOST_FIELDS = 20;

/** The words on expressions that find nothing: what to call the tool with, or which fields the item has. */
export function nothingFound(codes: readonly string[], source: ParameterSource): string {
	const given = codes.flatMap((code) => FROM_MODEL.exec(code)?.[1] ?? []);
	if (given.length > 0) return `call the tool with ${named(given.join(' and '), 100)}`;
	const each = codes.map((code) => `{{ ${named(code.trim())} }}`);
	const fields = (source.itemFields ?? []).slice(0, MOST_FIELDS);
	const isSent = fields.includes('alreadySent') ? ' was sent before, so it' : '';
	const has = fields.length > 0 ? `. This item${isSent} has: ${named(fields.join(', '), 200)}` : '';
	return `${each.join(', ')} find${each.length === 1 ? 's' : ''} nothing for this item${has}`;
}
