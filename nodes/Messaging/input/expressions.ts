import { placesIn } from '../shared/json';
import { Recent } from '../shared/recent';
import type { ParameterSource } from './parameter-source';

/** A field in Expression mode, as saved: fixed texts, and the code of the expressions between them. */
export interface Template {
	readonly texts: readonly string[];
	readonly codes: readonly string[];
	/** Whether n8n may change the fixed texts, because a backslash is an escape there. */
	readonly isEscaped: boolean;
}

/** Most workflows have fewer fields with expressions. */
const templates = new Recent(1000, (saved: string): Template => {
	const code = saved.slice(1);
	// As in n8n, an expression ends at the first closing braces or at the end of the text. Braces after a backslash are
	// text, or do not end the expression. They are rare, so such a text is not checked.
	const pieces = /\\(?:\{\{|\}\})/.test(code) ? [code] : code.split(/\{\{([^]*?)(?:\}\}|$)/);
	const texts = pieces.filter((_piece, n) => n % 2 === 0);
	return {
		texts,
		codes: pieces.filter((_piece, n) => n % 2 === 1),
		isEscaped: texts.some((text) => text.includes('\\')),
	};
});

/** The template of a field as saved; `undefined` if it has no expression. */
export function templateOf(saved: unknown): Template | undefined {
	if (typeof saved !== 'string' || !saved.startsWith('=')) return undefined;
	const template = templates.peek(saved) ?? templates.use(saved);
	return template.codes.length > 0 ? template : undefined;
}

/** Whether a template has no text around its only expression, or nothing but white space. */
export function isAlone({ codes, texts }: Template): boolean {
	return codes.length === 1 && texts.every((text) => text.trim() === '');
}

/** The texts in quotes that have expressions in them, in a JSON field as saved. */
export function literalsIn(saved: unknown): string[] {
	if (templateOf(saved) === undefined) return [];
	const inQuotes = String(saved).matchAll(/"((?:\\.|\{\{[^]*?\}\}|[^"\\])*)"|\{\{[^]*?\}\}/g);
	return Array.from(inQuotes, ([, literal = '']) => literal).filter((literal) => literal.includes('{{'));
}

/** Separates the values of expressions that are resolved together: ASCII's unit separator. */
const SEPARATOR = '\u001f';

/** What each expression gives, as text. A single one need not be resolved again. */
export function partsOf(
	{ codes, isEscaped, texts }: Template,
	value: string,
	source: ParameterSource,
): string[] {
	const [before = '', after = ''] = texts;
	if (codes.length === 1 && !isEscaped) return [value.slice(before.length, value.length - after.length)];
	const together = codes.map((code) => `${SEPARATOR}{{${code}}}`).join('');
	return String(source.resolve?.(together)).split(SEPARATOR).slice(1);
}

/**
 * The code of each expression that finds nothing, if they all do; none otherwise.
 *
 * @param value the whole field, expressions resolved
 */
export function emptyParts(template: Template, value: string, source: ParameterSource): readonly string[] {
	const { codes, texts } = template;
	// Mostly the length shows that something was found. n8n may have shortened the fixed texts, but never lengthens them.
	if (lengthOf(value) > lengthOf(texts.join(''))) return [];
	return partsOf(template, value, source).every((part) => part.trim() === '') ? codes : [];
}

/** The length of a text without white space. */
function lengthOf(text: string): number {
	return text.replace(/\s+/g, '').length;
}

const STEP = String.raw`(?:\?\.|\.)[A-Za-z_$][\w$]*|(?:\?\.)?\[(?:\d+|'[^']*'|"[^"]*")\]`;
/** Paths into the data of the workflow, without the method that is called on what they give. */
const PATHS = new RegExp(
	String.raw`\$(?:json|\((?:'[^']*'|"[^"]*")\)\.(?:item|(?:first|last)\(\))\.json|input\.(?:item|(?:first|last)\(\))\.json|node\[[^\]]*\]\.json)(?![\w$])(?:${STEP})*(?![\w$]*\s*\()`,
	'g',
);

/**
 * Whether expressions have made such a text themselves, as they do of an object or of nothing. A text of the data may
 * have it as well: then a path of the expression leads to it.
 *
 * @param words what to look for, without the flag "g"
 */
export function hasMade(words: RegExp, { codes }: Template, source: ParameterSource): boolean {
	const valueOf = (code: string): unknown => {
		try {
			return source.resolve?.(`{{ ${code} }}`);
		} catch {
			return undefined;
		}
	};
	return codes.some((each) => {
		const code = each.trim();
		const value = valueOf(code);
		if (typeof value === 'object' && words.test(`${(value ?? '') as string}`)) return true;
		const [found] = words.exec(textsIn(value)) ?? [];
		if (found === undefined) return false;
		const paths = code.match(PATHS) ?? [];
		if (paths[0] === code) return typeof value === 'number';
		return !paths.some((path) => textsIn(valueOf(path)).includes(found));
	});
}

/** A value as text, or all texts in it. */
function textsIn(value: unknown): string {
	if (typeof value !== 'object') return `${(value ?? '') as string}`;
	return [...placesIn(value)].map((place) => (typeof place.value === 'string' ? place.value : '')).join('\n');
}
