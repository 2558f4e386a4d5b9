import type { IDataObject } from 'n8n-workflow';

import type { Form, Question, QuestionField } from './question';
import { isEmail } from '../input/address';
import { isPlainObject } from '../shared/json';

/** What was entered, by input name. */
export type Entries = Readonly<Record<string, readonly string[]>>;

/** What is wrong with an answer, by input name. */
export type Faults = Readonly<Record<string, string>>;

/** What was entered, and what is wrong with it. */
export interface WrongEntries {
	readonly entries: Entries;
	readonly faults: Faults;
}

/** The name of the buttons that approve and decline. */
export const BUTTON = 'answer';

/** The name of the input for a form's field, by the field's position. */
export function inputName(place: number): string {
	return `field-${place}`;
}

/** A valid answer: its output fields and the button clicked. Otherwise, what is wrong with it. */
export type Answer = { data: IDataObject; said: string | null } | { faults: Faults };

/** How many characters an answer may have, all its fields together. */
const MOST_CHARACTERS = 1_000_000;

/**
 * The entries that a browser sent, with line breaks as the workflow has them. n8n gives a text for a field with one
 * value, a list for several.
 *
 * @returns `undefined` if they are too long to be looked at
 */
export function entriesIn(body: unknown): Entries | undefined {
	const sent = isPlainObject(body) && isPlainObject(body.data) ? body.data : {};
	const entries = Object.entries(sent).map(([name, value]): [string, string[]] => [
		name,
		[value].flat().filter((each) => typeof each === 'string'),
	]);
	const characters = entries.reduce(
		(sum, [name, texts]) => texts.reduce((most, text) => most + text.length, sum + name.length),
		0,
	);
	if (characters > MOST_CHARACTERS) return undefined;
	return Object.fromEntries(
		entries.map(([name, texts]) => [name, texts.map((text) => text.replace(/\r\n?/g, '\n'))]),
	);
}

/** Reads an answer, and checks it against the question. */
export function readAnswer(entries: Entries, { answer }: Question): Answer {
	if (answer.kind === 'form') return formAnswer(entries, answer);
	const [button] = entries[BUTTON] ?? [];
	if (button === 'approve') return { data: { approved: true }, said: answer.approve };
	if (button === 'decline' && answer.decline !== null) {
		return { data: { approved: false }, said: answer.decline };
	}
	return { faults: { [BUTTON]: 'Click one of the buttons.' } };
}

function formAnswer(entries: Entries, { fields }: Form): Answer {
	const read = fields.map((field, place) => {
		const name = inputName(place);
		return { field, name, ...valueOf(entries[name] ?? [], field) };
	});
	const faults = read.flatMap(({ name, fault }) => (fault === undefined ? [] : [[name, fault] as const]));
	if (faults.length > 0) return { faults: Object.fromEntries(faults) };
	// An assignment would set the prototype for a field named __proto__.
	const data = Object.fromEntries(read.map(({ field, value }) => [field.name, value ?? null]));
	return { data, said: null };
}

type Value = { value?: IDataObject[string]; fault?: string };

function valueOf(entered: readonly string[], field: QuestionField): Value {
	if (field.options.length > 0) return chosen(entered, field);
	const [typed = ''] = entered;
	const text = typed.trim();
	if (text === '') return field.required ? { fault: 'Please fill this in.' } : {};
	switch (field.type) {
		case 'number':
			return numberIn(text);
		case 'email':
			return isEmail(text)
				? { value: text }
				: { fault: 'Please enter an email address, such as ada@example.com.' };
		case 'date':
			return isDay(text)
				? { value: text }
				: { fault: 'Please enter a date as year, month and day, such as 2030-01-31.' };
		default:
			return { value: typed };
	}
}

/** How many characters a number may have, and how many of a wrong one are given back. */
export const MOST_OF_NUMBER = 100;

const NUMBER = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d+)?$/i;

/** A number that one country reads as a thousand times what another one does. */
const EITHER = /^([+-]?[1-9]\d{0,2})[.,](\d{3})$/;

/** Reads a number with a decimal point or comma, if it can be only one number, and JavaScript keeps all of it. */
function numberIn(typed: string): Value {
	const text = typed.length > MOST_OF_NUMBER ? '' : inAscii(typed);
	const value = Number(text.replace(',', '.'));
	if (!NUMBER.test(text) || !Number.isFinite(value)) {
		return { fault: 'Please enter a number alone, without signs between thousands, such as 1250 or 2.5.' };
	}
	const [, whole = '', rest = ''] = EITHER.exec(text) ?? [];
	if (rest !== '') {
		return {
			fault: `Please enter ${whole}${rest} for a whole number, or ${whole}.${rest}0 for one with decimals: ${text} can be either.`,
		};
	}
	const digits = text.replace(/e.*/i, '').replace(/\D/g, '');
	if (digits.length > 15 || /^[+-]?0\d/.test(text)) {
		return {
			fault:
				'Please enter at most 15 digits, without a 0 at the beginning. If yours is longer or begins with 0, ask the sender of this question for a text field.',
		};
	}
	return { value };
}

/** A number in the digits of any script, with 0 to 9. Unicode has them in sets of ten, some directly behind others. */
function inAscii(text: string): string {
	return text.replace(/[\u066b\uff0e]/g, '.').replace(/\p{Nd}/gu, (digit) => {
		const code = digit.codePointAt(0) ?? 0;
		let zero = code;
		while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
		return String((code - zero) % 10);
	});
}

function chosen(entered: readonly string[], { type, options, required }: QuestionField): Value {
	const values = [...new Set(entered)].filter((value) => value !== '');
	const isOffered = values.every((value) => options.includes(value));
	if (!isOffered || (type !== 'checkbox' && values.length > 1)) {
		return { fault: 'Please choose one of the options.' };
	}
	if (values.length === 0 && required) {
		return { fault: type === 'checkbox' ? 'Please choose at least one.' : 'Please choose one.' };
	}
	return type === 'checkbox' ? { value: values } : { ...(values[0] !== undefined && { value: values[0] }) };
}

/** Whether a text is an existing date in the format that browsers send. */
function isDay(text: string): boolean {
	// February 30 would become March 2.
	return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(text).toJSON()?.startsWith(text) === true;
}
