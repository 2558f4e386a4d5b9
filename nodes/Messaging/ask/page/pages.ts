import type { Approval, Form, Question, QuestionField } from '../../contract/question';
import type { Entries, Faults } from '../entries';
import { BUTTON, fieldName } from '../entries';
import { Html, html, styleSheet } from './html';
import { STYLE } from './style';

/** What a page may load: nothing, of nobody. Its styles stand in it, and its form goes where it came from. */
export const LOADS_NOTHING = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:";

/** The page of a question. */
export interface QuestionPage {
	readonly question: Question;
	/** What was entered before, and what is wrong with it; none when it is asked for the first time. */
	readonly again?: { readonly entries: Entries; readonly faults: Faults };
}

/** The page on which a question is answered. */
export function questionPage({ question, again }: QuestionPage): string {
	const { page, answer } = question;
	const faults = again?.faults ?? {};
	const wrong = Object.keys(faults).length > 0;
	return document(question.page, [
		heading(page.title),
		html`<p class="message" dir="auto">${page.text}</p>`,
		wrong && html`<p class="alert" role="alert">${alertFor(answer)}</p>`,
		html`<form method="post" enctype="multipart/form-data">
			${answer.kind === 'approval' ? approval(answer) : form(answer, again?.entries, faults)}
		</form>`,
	]);
}

/**
 * The page that says that an answer counts.
 *
 * @param said the label of the button that was clicked, or null
 */
export function answeredPage({ page }: Question, said: string | null): string {
	return document(page, [
		heading('Thank you, your answer has been recorded'),
		said !== null && html`<p dir="auto">Your answer: <strong>${said}</strong></p>`,
		html`<p class="note">You can close this page.</p>`,
	]);
}

/** The page for a link that nobody can answer on any more. */
export function overPage(): string {
	return document({ title: '', css: '', text: '' }, [
		heading('This question is over'),
		html`<p>The link belongs to a question that is not open any more. Nothing was changed.</p>`,
		html`<p class="note">If you got the question again, use the link in the latest message.</p>`,
	]);
}

/** The page for a link that is not as it was sent. */
export function changedLinkPage(): string {
	return document({ title: '', css: '', text: '' }, [
		heading('This link does not work'),
		html`<p>It is not as it was sent. Nothing was changed.</p>`,
		html`<p class="note">Open it from the message once more, or copy all of it.</p>`,
	]);
}

function document(
	{ title, text, css }: Question['page'],
	content: ReadonlyArray<Html | false | null>,
): string {
	const name = title || text.split('\n')[0] || 'Your answer';
	const main = content.filter((part) => part instanceof Html);
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta http-equiv="Content-Security-Policy" content="${LOADS_NOTHING}" />
				<meta name="robots" content="noindex, nofollow" />
				<meta name="referrer" content="no-referrer" />
				<meta name="color-scheme" content="light dark" />
				<link rel="icon" href="data:," />
				<title>${name}</title>
				${styleSheet(STYLE)} ${css !== '' && styleSheet(css)}
			</head>
			<body>
				<main class="card">${main}</main>
			</body>
		</html> `.text;
}

function heading(title: string): Html | null {
	return title === '' ? null : html`<h1 dir="auto">${title}</h1>`;
}

function alertFor({ kind }: Question['answer']): string {
	return kind === 'approval'
		? 'Your answer has not been recorded yet. Click one of the buttons.'
		: 'Your answer has not been recorded yet. Correct what is marked below, and send it again.';
}

function approval({ approve, decline }: Approval): Html {
	return html`<div class="buttons">
		<button type="submit" name="${BUTTON}" value="approve">${approve}</button>${
			decline !== null &&
			html`<button type="submit" name="${BUTTON}" value="decline" class="secondary">${decline}</button>`
		}
	</div>`;
}

function form({ fields, button }: Form, entries: Entries | undefined, faults: Faults): Html {
	const first = fields.findIndex((_, index) => faults[fieldName(index)] !== undefined);
	const shown = fields.map((field, index) => {
		const name = fieldName(index);
		const entered = entries === undefined ? initial(field) : (entries[name] ?? []);
		return fieldset({ field, name, entered, fault: faults[name], focus: index === first });
	});
	return html`${shown}
		<div class="buttons"><button type="submit">${button}</button></div>`;
}

/** What stands in a field at first, as a browser would send it: of options, their places. */
function initial({ initial: values, options }: QuestionField): readonly string[] {
	if (options.length === 0) return values;
	return values
		.map((value) => options.indexOf(value))
		.filter((place) => place >= 0)
		.map(String);
}

/** A field as it stands on the page. */
interface Shown {
	readonly field: QuestionField;
	readonly name: string;
	readonly entered: readonly string[];
	readonly fault: string | undefined;
	/** Whether the page opens with the cursor in it. */
	readonly focus: boolean;
}

function fieldset(shown: Shown): Html {
	const { field, name, fault } = shown;
	const error = fault !== undefined && html`<p class="error" id="${name}-error">${fault}</p>`;
	if (field.type === 'checkbox' || field.type === 'radio') {
		return html`<fieldset${described(shown)}><legend dir="auto">${field.label}${mark(field)}</legend>${choices(shown)}${error}</fieldset>`;
	}
	return html`<div class="field">
		<label for="${name}" dir="auto">${field.label}${mark(field)}</label>${control(shown)}${error}
	</div>`;
}

function mark({ required }: QuestionField): Html | false {
	return required && html` <span class="required" aria-hidden="true">*</span>`;
}

/** What a screen reader says of the field besides. */
function described({ name, fault }: Shown): Html | false {
	return fault !== undefined && html` aria-invalid="true" aria-describedby="${name}-error"`;
}

function control(shown: Shown): Html {
	const { field, name, entered } = shown;
	const [value = ''] = entered;
	const common = html` class="control" id="${name}"
	name="${name}"${field.required && html` required`}${described(shown)}${shown.focus && html` autofocus`}`;
	const hint = field.placeholder !== '' && html` placeholder="${field.placeholder}"`;
	switch (field.type) {
		case 'textarea':
			// A browser drops the first line end of what stands in it.
			return html`<textarea${common}${hint} rows="5" dir="auto">${new Html('\n')}${value}</textarea>`;
		case 'dropdown':
			return html`<select${common}><option value="">Choose…</option>${field.options.map(
				(option, place) =>
					html`<option value="${String(place)}" ${entered.includes(String(place)) && html` selected`}>
						${option}
					</option>`,
			)}</select>`;
		case 'number':
			return html`<input type="number" step="any" inputmode="decimal" ${common}${hint} value="${value}" />`;
		case 'date':
			return html`<input type="date" ${common} value="${value}" />`;
		case 'email':
			return html`<input type="email" autocomplete="email" ${common}${hint} value="${value}" />`;
		default:
			return html`<input type="text" dir="auto" ${common}${hint} value="${value}" />`;
	}
}

function choices({ field, name, entered, focus }: Shown): Html[] {
	return field.options.map((option, place) => {
		const type = field.type === 'radio' ? 'radio' : 'checkbox';
		// No browser knows "at least one of these": of checkboxes, the answer is checked when it comes.
		const required = field.required && type === 'radio' && html` required`;
		const ticked = entered.includes(String(place)) && html` checked`;
		const cursor = focus && place === 0 && html` autofocus`;
		return html`<label class="choice"
			><input type="${type}" name="${name}" value="${String(place)}" ${required}${ticked}${cursor} /><span
				dir="auto"
				>${option}</span
			></label
		>`;
	});
}
