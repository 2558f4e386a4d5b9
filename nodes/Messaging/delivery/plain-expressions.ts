/** An expression that means the same alone and as one of several in a list. */
export interface PlainExpression {
	/** What stands between the braces, without the blanks around it. */
	readonly code: string;
	/** Whether n8n may find a call of one of its own methods in it, and rewrite all that stands between the braces. */
	readonly calls: boolean;
	/** Whether it may mean something else once it is rewritten for the sake of another, or keep that from happening. */
	readonly fragile: boolean;
}

/** What n8n knows by these names is of the item and the execution, not of the parameter that is read. */
const VALUES = new Set([
	'$binary',
	'$execution',
	'$executionId',
	'$input',
	'$itemIndex',
	'$json',
	'$mode',
	'$now',
	'$prevNode',
	'$runIndex',
	'$today',
	'$vars',
	'$workflow',
	'DateTime',
	'JSON',
	'Math',
	'false',
	'null',
	'true',
	'undefined',
]);

/** Of functions, those that change nothing. */
const FUNCTIONS = new Set([
	'$',
	'$ifEmpty',
	'Boolean',
	'Number',
	'String',
	'decodeURIComponent',
	'encodeURIComponent',
	'parseFloat',
	'parseInt',
]);

/** Of methods, those that change nothing, whatever they are called on: JavaScript's, Luxon's and n8n's own. */
const METHODS = new Set(
	[
		// Texts and lists
		'at charAt concat endsWith includes indexOf join lastIndexOf match normalize padEnd padStart replace replaceAll',
		'slice split startsWith substr substring test toLocaleLowerCase toLocaleUpperCase toLowerCase toString',
		'toUpperCase trim trimEnd trimStart',
		'base64Decode base64Encode extractDomain extractEmail extractUrl hash isEmpty isNotEmpty quote removeMarkdown',
		'removeTags replaceSpecialChars toSentenceCase toSnakeCase toTitleCase urlDecode urlEncode',
		// Numbers
		'abs ceil floor max min round toBoolean toFixed toFloat toInt toLocaleString toNumber toPrecision trunc',
		// Times
		'endOf format fromFormat fromISO fromMillis local minus now plus setLocale setZone startOf toDateTime toFormat',
		'toISO toISODate toISOString toISOTime toLocal toMillis toRelative toSeconds toUTC utc',
		// Data of n8n, and JSON
		'all first itemMatching last stringify',
	].flatMap((names) => names.split(' ')),
);

const LETTER = String.raw`A-Za-z_$\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f`;

const BLANKS = /[ \t]*/y;
const NAME = new RegExp(`[${LETTER}][${LETTER}\\d]*`, 'y');
const MEMBER = new RegExp(`(\\?)?\\.([${LETTER}][${LETTER}\\d]*)(\\()?`, 'y');
const INDEX = /(\?\.)?\[/y;
const NUMBER = new RegExp(`(?:0|[1-9]\\d{0,14})(?:\\.\\d{1,14})?(?![${LETTER}\\d.])`, 'y');
const TEXT = /"(?:[^"\\]|\\[nrt\\'"])*"|'(?:[^'\\]|\\[nrt\\'"])*'/y;
const PATTERN = new RegExp(
	`/(?![*/])(?:[^/\\\\[]|\\\\.|\\[(?:[^\\]\\\\]|\\\\.)*\\])+/[gimsu]*(?![${LETTER}\\d])`,
	'y',
);
const TEMPLATE_TEXT = /(?:[^`\\$]|\$(?!\{))*/y;
const SIGN = /!|-(?!-)|\+(?!\+)/y;
/** Between two values; what assigns, counts or comments looks like some of them. */
const OPERATOR =
	/===|!==|==|!=|<=|>=|(?:&&|\|\||\?\?)(?!=)|\+(?![+=])|-(?![-=])|\*(?![*=])|\/(?![/*=])|%(?!=)|<(?![<!])|>(?!>)/y;
const CHOICE = /\?(?![.?])/y;

/** What may look like the call of a method, also in a text, and where n8n leaves out a text before it looks. */
const CALL = /[\w"'`]\s*(?:\?\.)?\s*\(/;

/** Deeper ones are left to n8n. */
const MAX_DEPTH = 30;

/** A parameter's text, and the expressions in it. */
export interface PlainText {
	/** What stands before, between and after them: one more than there are. */
	readonly texts: readonly string[];
	readonly expressions: readonly PlainExpression[];
}

/**
 * The expressions that a parameter holds, where it is certain that n8n makes the same of each among others:
 * `={{ [(one), (other)] }}`. `undefined` for everything else, and for what holds none.
 *
 * It is certain for a small part of JavaScript, which is read here in full: values of the item and of the execution,
 * their members, texts, numbers, operators, and calls of what is known to change nothing. Left out is what depends on
 * the parameter that is read (`$parameter`, `$fromAI`), comments, statements, assignments, functions, objects, and
 * whatever else is not listed.
 *
 * @param raw the parameter as it stands in the workflow
 */
export function plainText(raw: string): PlainText | undefined {
	// n8n refuses this word wherever it stands.
	if (!raw.startsWith('=') || /\.\s*constructor/.test(raw)) return undefined;
	const [first = '', ...parts] = raw.slice(1).split('{{');
	const texts = [first];
	const expressions: PlainExpression[] = [];
	for (const part of parts) {
		const end = part.indexOf('}}');
		const expression = end < 0 ? undefined : plainCode(part.slice(0, end));
		if (expression === undefined) return undefined;
		expressions.push(expression);
		texts.push(part.slice(end + 2));
	}
	// One before braces means that they are none.
	const isCertain = expressions.length > 0 && texts.every((text) => !text.includes('\\'));
	return isCertain ? { texts, expressions } : undefined;
}

/**
 * Whether it is certain that n8n changes nothing when it evaluates the expressions in a parameter: those within a text
 * and deep in an object too. One that assigns to what an item holds changes it for all that are evaluated after it,
 * where n8n evaluates them in its own code.
 *
 * @param raw the parameter as it stands in the workflow
 */
export function changesNothing(raw: unknown): boolean {
	if (typeof raw === 'object' && raw !== null) return Object.values(raw).every(changesNothing);
	if (typeof raw !== 'string' || !raw.startsWith('=')) return true;
	const [, ...others] = raw.split('{{');
	return others.every((part) => {
		const end = part.indexOf('}}');
		return end >= 0 && plainCode(part.slice(0, end)) !== undefined;
	});
}

/** What stands between the braces, when it is a plain expression. */
function plainCode(inner: string): PlainExpression | undefined {
	const code = inner.trim();
	// n8n looks for braces in texts too, and a line that ends may end a statement.
	if (/\{\{|\}\}|[\r\n\u2028\u2029]/.test(code)) return undefined;
	const reader = new Reader(code);
	if (!reader.isOneExpression()) return undefined;
	return { code, calls: CALL.test(code), fragile: reader.isFragile };
}

/** Reads one expression from its beginning to its end; each part says whether it stands there. */
class Reader {
	isFragile = false;

	private at = 0;

	private depth = 0;

	private inTemplate = false;

	constructor(private readonly code: string) {}

	isOneExpression(): boolean {
		return this.expression() && this.at === this.code.length;
	}

	/** With the blanks around it. */
	private expression(): boolean {
		if (++this.depth > MAX_DEPTH) return false;
		const is = this.operation() && (!this.take(CHOICE) || this.rest());
		this.depth -= 1;
		return is;
	}

	/** What follows the question mark of a choice. */
	private rest(): boolean {
		return this.expression() && this.takeText(':') && this.expression();
	}

	private operation(): boolean {
		const operators = new Set<string>();
		for (;;) {
			if (!this.operand()) return false;
			const operator = this.take(OPERATOR)?.[0];
			if (operator === undefined) break;
			operators.add(operator);
		}
		// JavaScript wants brackets there.
		return !operators.has('??') || !(operators.has('&&') || operators.has('||'));
	}

	private operand(): boolean {
		this.take(BLANKS);
		while (this.take(SIGN)) this.take(BLANKS);
		const is = this.value() && this.members();
		this.take(BLANKS);
		return is;
	}

	private value(): boolean {
		if (this.take(NUMBER) ?? this.take(TEXT)) return true;
		const pattern = this.take(PATTERN)?.[0];
		if (pattern !== undefined) {
			this.noteQuotes(pattern);
			return true;
		}
		if (this.takeText('`')) return this.template();
		if (this.takeText('(')) return this.expression() && this.takeText(')');
		if (this.takeText('[')) return this.list(']');
		const name = this.take(NAME)?.[0] ?? '';
		return VALUES.has(name) || (FUNCTIONS.has(name) && this.takeText('(') && this.list(')'));
	}

	/** What stands between the backticks, and the second one. */
	private template(): boolean {
		// Not one in another.
		if (this.inTemplate) return false;
		this.inTemplate = true;
		do {
			this.noteQuotes(this.take(TEMPLATE_TEXT)?.[0] ?? '');
			if (this.takeText('`')) {
				this.inTemplate = false;
				return true;
			}
		} while (this.takeText('${') && this.expression() && this.takeText('}'));
		return false;
	}

	/** n8n takes quotes for those of a text, wherever they are. */
	private noteQuotes(part: string): void {
		this.isFragile ||= /["']/.test(part);
	}

	/** Members and calls that follow a value. */
	private members(): boolean {
		for (;;) {
			const index = this.take(INDEX);
			const member = index === null ? this.take(MEMBER) : null;
			if (index === null && member === null) return true;
			if ((index?.[1] ?? member?.[1]) !== undefined) this.isFragile = true;
			if (index !== null && !(this.expression() && this.takeText(']'))) return false;
			if (member?.[3] === undefined) continue;
			if (!METHODS.has(member[2] ?? '') || !this.list(')')) return false;
		}
	}

	/** Expressions with commas between them, and what ends them. */
	private list(end: string): boolean {
		this.take(BLANKS);
		if (this.takeText(end)) return true;
		for (;;) {
			if (!this.expression()) return false;
			if (this.takeText(end)) return true;
			if (!this.takeText(',')) return false;
		}
	}

	private take(pattern: RegExp): RegExpExecArray | null {
		pattern.lastIndex = this.at;
		const found = pattern.exec(this.code);
		if (found !== null) this.at = pattern.lastIndex;
		return found;
	}

	private takeText(text: string): boolean {
		if (!this.code.startsWith(text, this.at)) return false;
		this.at += text.length;
		return true;
	}
}
