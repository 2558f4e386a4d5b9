import type { Approval, Form, Question, QuestionField } from '../question';
import { BUTTON, inputName, MOST_OF_NUMBER, type WrongEntries } from '../entries';
import { Html, markup, OWN_TEXT } from './html';

/** The form of a question. n8n accepts a form with fields only as multipart. It is sent to the page's own address. */
export function answerForm(answer: Question['answer'], wrong?: WrongEntries): Html {
	const content = answer.kind === 'approval' ? buttons(answer) : fieldsAndButton(answer, wrong);
	return markup`<form method="post" enctype="multipart/form-data">${content}</form>`;
}

function buttons({ approve, decline }: Approval): Html {
	const second =
		decline !== null &&
		markup`<button type="submit" name="${BUTTON}" value="decline" class="secondary"${OWN_TEXT}>${decline}</button>`;
	return markup`<div class="buttons"><button type="submit" name="${BUTTON}" value="approve"${OWN_TEXT}>${approve}</button>${second}</div>`;
}

function fieldsAndButton({ fields: all, button }: Form, wrong?: WrongEntries): Html {
	const shown = all.map((field, index) => {
		const name = inputName(index);
		const entered = wrong === undefined ? field.initial : (wrong.entries[name] ?? []);
		return group({ field, name, entered, fault: wrong?.faults[name] });
	});
	return markup`${shown}<div class="buttons"><button type="submit"${OWN_TEXT}>${button}</button></div>`;
}

interface ShownField {
	readonly field: QuestionField;
	readonly name: string;
	readonly entered: readonly string[];
	readonly fault: string | undefined;
}

function group(shown: ShownField): Html {
	const { field, name, fault } = shown;
	const mark = field.required && markup` <span class="required" aria-hidden="true">*</span>`;
	// A radio button already announces that it is required.
	const needed =
		field.required && field.type === 'checkbox' && markup`<span class="unseen" lang="en"> (required)</span>`;
	const error = fault !== undefined && markup`<p class="error" id="${name}-error">${fault}</p>`;
	if (field.type === 'checkbox' || field.type === 'radio') {
		return markup`<fieldset${described(shown)}><legend${OWN_TEXT}>${field.label}${mark}${needed}</legend>${choices(shown)}${error}</fieldset>\n`;
	}
	return markup`<div class="field"><label for="${name}"${OWN_TEXT}>${field.label}${mark}</label>${control(shown)}${error}</div>\n`;
}

/** Describes a wrong field, and its fault, to screen readers. */
function described({ name, fault }: ShownField): Html | false {
	return fault !== undefined && markup` aria-invalid="true" aria-describedby="${name}-error"`;
}

function control(shown: ShownField): Html {
	const { field, name, entered } = shown;
	const [value = ''] = entered;
	const required = field.required && markup` required`;
	const common = markup` class="control" id="${name}" name="${name}"${required}${described(shown)}`;
	const hint = field.placeholder !== '' && markup` placeholder="${field.placeholder}"`;
	switch (field.type) {
		case 'textarea':
			// A browser drops the first line break of a textarea.
			return markup`<textarea${common}${hint} rows="5"${OWN_TEXT}>\n${value}</textarea>`;
		case 'dropdown':
			return markup`<select${common}><option value="">Choose…</option>${options(shown)}</select>`;
		case 'number':
			// With type="number", browsers drop what they can't read, such as a decimal comma.
			return markup`<input type="text" inputmode="decimal"${OWN_TEXT}${common}${hint} value="${value.slice(0, MOST_OF_NUMBER)}">`;
		case 'date':
			return markup`<input type="date"${common} value="${value}">`;
		case 'email':
			// With type="email", browsers reject or change addresses in non-Latin scripts.
			return markup`<input type="text" inputmode="email" autocomplete="email"${OWN_TEXT}${common}${hint} value="${value}">`;
		default:
			return markup`<input type="text"${OWN_TEXT}${common}${hint} value="${value}">`;
	}
}

function options({ field, entered }: ShownField): Html[] {
	return field.options.map((option) => {
		const selected = entered.includes(option) && markup` selected`;
		return markup`<option value="${option}"${selected}${OWN_TEXT}>${option}</option>`;
	});
}

function choices({ field, name, entered }: ShownField): Html[] {
	return field.options.map((option) => {
		// HTML can't require at least one of several checkboxes, so the answer is checked instead.
		const required = field.required && field.type === 'radio' && markup` required`;
		const ticked = entered.includes(option) && markup` checked`;
		return markup`<label class="choice"><input type="${field.type}" name="${name}" value="${option}"${required}${ticked}><span${OWN_TEXT}>${option}</span></label>`;
	});
}
