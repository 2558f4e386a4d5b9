import type { INodeProperties } from 'n8n-workflow';

import type { Approval, Form, Question } from '../../question/question';
import { choiceField, groupField, textField } from '../../fields/builders';
import type { Input } from '../../input/input';
import type { Properties } from '../../input/parameter-types';
import { formElements, questionFieldsFrom } from './question-form';
import { limitWaitTime, waitsUntil } from './wait-limit';

/** The question, and how it is answered. */
export const questionFields = [
	{
		...textField(
			'Message',
			'message',
			'The question. The node adds a link to the page where it is answered. Only a click on that page answers, opening the link does not.',
			'May order 1042 go on?',
		),
		typeOptions: { rows: 4 },
		required: true,
	},
	choiceField('Response Type', 'responseType', 'How to answer the question', 'approval', [
		{ name: 'Approval', value: 'approval', description: 'Buttons to approve and, optionally, to decline' },
		{ name: 'Custom Form', value: 'customForm', description: 'A form with fields that you define' },
		{ name: 'Free Text', value: 'freeText', description: 'A text field' },
	]),
	...formElements,
	{
		...groupField('Approval Options', 'approvalOptions', 'The buttons and their labels', [
			choiceField('Type of Approval', 'approvalType', 'Whether there is a button to decline', 'single', [
				{ name: 'Approve Only', value: 'single', description: 'One button' },
				{ name: 'Approve and Decline', value: 'double', description: 'Two buttons' },
			]),
			textField('Approve Button Label', 'approveLabel', 'Text of the button', 'Yes, send it', 'Approve'),
			{
				...textField(
					'Decline Button Label',
					'disapproveLabel',
					'Text of the button',
					'No, stop it',
					'Decline',
				),
				displayOptions: { show: { approvalType: ['double'] } },
			},
		]),
		displayOptions: { show: { responseType: ['approval'] } },
		placeholder: 'Add Option',
	},
] as const satisfies INodeProperties[];

/** How the page looks, the text before the link, and the time limit for the answer. */
export const questionOptions = [
	limitWaitTime,
	textField(
		'Message Link Label',
		'messageButtonLabel',
		'The text before the link in the message. If you leave it empty, there is only the link.',
		'Answer here',
		'Respond',
	),
	{
		...textField(
			'Response Form Button Label',
			'responseFormButtonLabel',
			'Text of the button that sends the form',
			'Send answer',
			'Submit',
		),
		displayOptions: { show: { '/responseType': ['freeText', 'customForm'] } },
	},
	{
		...textField(
			'Response Form Custom Styling',
			'responseFormCustomCss',
			"CSS for the page. The variables of n8n's own forms work here too, such as --color-background and --font-family.",
			':root { --color-submit-btn-bg: #0a7; }',
		),
		typeOptions: { rows: 10, editor: 'cssEditor' },
	},
	{
		...textField(
			'Response Form Description',
			'responseFormDescription',
			'The text on the page. If you leave it empty, the page shows the message.',
			'Please check the order before you answer',
		),
		typeOptions: { rows: 4 },
	},
	textField('Response Form Title', 'responseFormTitle', 'The heading of the page', 'Order 1042'),
] as const satisfies INodeProperties[];

/** All fields that define a question. */
const everyParameter = [
	...questionFields,
	{ displayName: 'Options', name: 'options', type: 'collection', default: {}, options: questionOptions },
] as const satisfies Properties;

type QuestionInput = Input<typeof everyParameter>;

/**
 * The question defined by the parameters.
 *
 * @param beside output fields in addition to the answer
 * @throws InvalidParameter naming the field
 */
export function questionFrom(item: Pick<Input<[]>, 'part'>, beside: Question['beside']): Question {
	const input = item.part(everyParameter);
	const options = input.collection('options');
	const description = options.text('responseFormDescription').trim();
	return {
		page: {
			title: options.text('responseFormTitle').trim(),
			text: description === '' ? input.requiredText('message').trim() : description,
			css: options.text('responseFormCustomCss').trim(),
		},
		answer: input.choice('responseType') === 'approval' ? approvalFrom(input) : formFrom(input, options),
		beside,
		until: waitsUntil(options),
	};
}

function approvalFrom(input: QuestionInput): Approval {
	const options = input.group('approvalOptions');
	const label = (name: 'approveLabel' | 'disapproveLabel', standard: string): string =>
		options.text(name).trim() || standard;
	return {
		kind: 'approval',
		approve: label('approveLabel', 'Approve'),
		decline: options.choice('approvalType') === 'double' ? label('disapproveLabel', 'Decline') : null,
	};
}

function formFrom(input: QuestionInput, options: Input<typeof questionOptions>): Form {
	const button = options.text('responseFormButtonLabel').trim() || 'Submit';
	if (input.choice('responseType') === 'customForm') {
		return { kind: 'form', button, fields: questionFieldsFrom(input.part(formElements)) };
	}
	const own = { type: 'textarea', required: true, placeholder: '', initial: [], options: [] } as const;
	return { kind: 'form', button, fields: [{ name: 'text', label: 'Response', ...own }] };
}
