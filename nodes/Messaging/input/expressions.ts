import { stringsIn } from '../shared/json';
import { Recent } from '../shared/recent';
import type { ParameterSource } from './parameter-source';
import { isPath, onlyAddsText, type Path, pathOf, pathsIn, readsMore, textsOfCode } from './paths';

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

	/** Whether there is fixed text around the expressions, and not only white space. */
	get hasText(): boolean {
		return fixedText(this.template) !== '';
	}

	/** Whether the field begins with an expression. */
	get comesFirst(): boolean {
		return this.template.texts[0] === '';
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
	empty(parts = this.parts()): readonly string[] {
		return this.codes.filter((code, n) => parts[n]?.trim() === '' || this.addsToNothing(code));
	}

	/** The code of all expressions if they all find nothing; none otherwise. */
	allEmpty(): readonly string[] {
		// n8n may shorten the fixed texts, but never lengthens them: a longer text shows at once that something was found.
		const isLonger = withoutSpaces(this.text).length > fixedText(this.template).length;
		if (isLonger && !this.codes.some(onlyAddsText)) return [];
		return this.empty().length === this.codes.length ? this.codes : [];
	}

	private addsToNothing(code: string): boolean {
		const data = this.source.resolve !== undefined && onlyAddsText(code) ? this.dataOf(code) : [];
		return data.length > 0 && data.every((value) => templateText(value).trim() === '');
	}

	/** What the paths lead to in those expressions that make something of it. */
	madeOf(): unknown[] {
		return this.codes.filter((code) => !isPath(code)).flatMap((code) => this.dataOf(code));
	}

	private dataOf(code: string): unknown[] {
		return pathsIn(code).map((path) => this.valueOf(path));
	}

	/**
	 * The code of the first expression that gives such words although they are not in its data: it has made them, from an
	 * object, a date or from nothing.
	 *
	 * @param words what to look for, without the flag "g"
	 * @param proven whether they also may not be what the expression itself writes ("annulled-"), or reads elsewhere
	 */
	makerOf(words: RegExp, proven = false): string | undefined {
		// Within a text, an object shows as text. An expression that stands alone gives the object.
		const isWithin = this.template.texts.some((text) => text !== '') || this.codes.length > 1;
		return this.codes.find((each) => {
			const code = each.trim();
			const value = this.valueOf(code);
			const [found] = words.exec(isWithin ? templateText(value) : textsIn(value)) ?? [];
			if (found === undefined) return false;
			// A path alone makes nothing: it gives a text as the data has it.
			if (isPath(code) && typeof value !== 'object') return false;
			const mayBeRead = typeof value !== 'object' && readsMore(code);
			if (proven && (textsOfCode(code).includes(found) || mayBeRead)) return false;
			const isInData = (data: unknown): boolean => textsIn(data).toLowerCase().includes(found.toLowerCase());
			return !this.dataOf(code).some(isInData);
		});
	}

	/** The first number in the data of the expressions that has lost digits, if the text shows it. */
	roundedIn(text: string): number | undefined {
		return this.codes
			.flatMap((code) => this.dataOf(code))
			.find((value): value is number => isRounded(value) && text.includes(String(value)));
	}

	private valueOf(code: string): unknown {
		try {
			return this.source.resolve?.(`{{ ${code} }}`);
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
