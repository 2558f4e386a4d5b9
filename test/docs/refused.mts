/** The page about what is refused before anything is sent, with tables made from the node's rules. */
import type { Kind } from '../../nodes/Messaging/input/reading.ts';
import { RULES } from '../../nodes/Messaging/input/rules.ts';
import { UNANSWERED } from '../../nodes/Messaging/operations/message/reply.ts';
import { type Example, EXAMPLES } from './refused-examples.mts';
import { markdownTable } from '../bench/tables.mts';
import { cell, code } from './markdown.mts';

/** The name of the page. */
export const refusedPageName = 'refused.md';

/** What the page calls the fields of each kind. */
const FIELDS: Readonly<Record<Kind, string>> = {
	message: 'messages',
	text: 'texts',
	json: 'JSON',
	email: 'To Email',
	address: 'To Fields',
	id: 'IDs',
	path: 'paths of endpoints',
	key: 'Send Only Once Per, Create Only Once Per',
	other: 'numbers, dates, switches',
	sent: 'all that is sent',
};

/** The fields that a rule is about. */
function fieldsOf(kinds: readonly Kind[]): string {
	if (kinds.includes('other')) return 'All fields';
	const names = (kinds.includes('sent') ? (['sent'] as const) : kinds).map((kind) => FIELDS[kind]).join(', ');
	return names.charAt(0).toUpperCase() + names.slice(1);
}

/** Text with code between backticks as a cell. Links stay. */
function marked(text: string): string {
	return text
		.split('`')
		.map((part, n) => (n % 2 === 0 ? part.replace(/[\\|*_<]/g, '\\$&') : code(part)))
		.join('');
}

/** A hint as a cell, with its expressions as code. */
const cure = (hint: string): string => marked(hint.replace(/"=\{\{.*?\}\}"|\{\{.*?\}\}|\.\w+\(\)/g, '`$&`'));

/** An example as a cell: what is in the field, and in which item. */
function exampleCell({ value, isFixed, isTool, item, shown }: Example): string {
	if (shown !== undefined) return marked(shown);
	if (isTool === true) return `${code(value)} from the model`;
	if (isFixed === true) return `${code(value)} in Fixed`;
	return `${code(value)} with the item ${code(JSON.stringify(item))}`;
}

/** The tables that the rules make, by the name of their place in the page. */
function tables(): Readonly<Record<string, string>> {
	const rules = RULES.map((rule, n) => {
		const example = EXAMPLES[n];
		if (example === undefined) throw new Error(`There is no example for: ${rule.hint}`);
		const [what, why] = [example.what, example.why].map(marked);
		return [`${what}. ${why}`, fieldsOf(rule.kinds), exampleCell(example), cure(rule.hint)];
	});
	const flags = UNANSWERED.map(({ flags: names, reason }) => [names.map(code).join(', '), cell(reason)]);
	return {
		rules: markdownTable(['What is refused, and why', 'Where', 'For example', 'What to do'], rules),
		flags: markdownTable(['Field', 'The message'], flags),
	};
}

/**
 * The page, which is written by hand: with the tables that the rules make.
 *
 * @throws when it has lost a place of a table
 */
export function refusedPage(page: string): string {
	return Object.entries(tables()).reduce((text, [name, made]) => {
		const [begin, end] = [`<!-- ${name}: written by "npm run docs" -->`, `<!-- end of ${name} -->`];
		const [before = '', rest] = text.split(begin);
		const [, after] = rest?.split(end) ?? [];
		if (after === undefined) throw new Error(`${refusedPageName} has lost the place of the table of ${name}`);
		return `${before}${begin}\n\n${made}\n\n${end}${after}`;
	}, page);
}
