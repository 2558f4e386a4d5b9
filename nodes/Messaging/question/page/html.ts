/** Text that is HTML, and may stand in a page as it is. */
export class Html {
	constructor(readonly text: string) {}
}

/** What stands in a template: text is escaped, HTML is not, and nothing leaves no trace. */
type Part = string | Html | readonly Html[] | null | false;

const ESCAPES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

/**
 * The attributes of an element that holds text of the user's own: its direction is that of the text, and its language
 * is not known. Without the second, a screen reader would read every language as English.
 */
export const OWN = new Html(' dir="auto" lang=""');

/** HTML from a template; text in it shows as it is, between tags and in quoted attributes. */
export function markup(strings: TemplateStringsArray, ...parts: Part[]): Html {
	return new Html(String.raw({ raw: strings }, ...parts.map(written)));
}

/** Style rules of the user's own: what ends a style element does not end this one. */
export function styleSheet(css: string): Html {
	return new Html(`<style>${css.replaceAll('</', '<\\/')}</style>`);
}

function written(part: Part): string {
	if (part === null || part === false) return '';
	if (part instanceof Html) return part.text;
	if (typeof part === 'string') return part.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
	return part.map(({ text }) => text).join('');
}
