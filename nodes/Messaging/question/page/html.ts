import { asHtml } from '../../shared/text';

/** Text that is already HTML and is not escaped again. */
export class Html {
	constructor(readonly text: string) {}
}

/** The values of a template: text is escaped, HTML is not, false is left out. */
type Content = string | Html | readonly Html[] | false;

/**
 * The attributes of an element with the user's text: its direction follows from the text, and its language is unknown.
 * Without the empty language, a screen reader would read it as English.
 */
export const OWN_TEXT = new Html(' dir="auto" lang=""');

/** HTML from a template. Its texts are escaped for use between tags and in quoted attributes. */
export function markup(strings: TemplateStringsArray, ...parts: Content[]): Html {
	return new Html(String.raw({ raw: strings }, ...parts.map(written)));
}

/** A style element with the user's own rules, which can't close the element. */
export function styleSheet(css: string): Html {
	return new Html(`<style>${css.replaceAll('</', '<\\/')}</style>`);
}

function written(part: Content): string {
	if (part === false) return '';
	if (part instanceof Html) return part.text;
	if (typeof part === 'string') return asHtml(part);
	return part.map(({ text }) => text).join('');
}
