import type { INodeProperties } from 'n8n-workflow';

import type { Approval, Form, Question } from '../../question/question';
import type { Input } from '../../input/input';
import type { Properties } from '../../input/parameter-types';
import { formFields, formFieldsFrom } from './question-form';
import { limitWaitTime, waitsUntil } from './wait-limit';

/** The question, and how it is answered. */
export const questionFields = [
	{
		displayName: 'Message',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: '',
		placeholder: 'e.g. May order 1042 go on?',
		description:
			'The question. The message that goes out has a link under it, to the page on which it is answered; only a click on that page answers, never the link itself.',
	},
	{
		displayName: 'Response Type',
		name: 'responseType',
		type: 'options',
		options: [
			{
				name: 'Approval',
				value: 'approval',
				description: 'A button to approve, and one to decline if you like',
			},
			{ name: 'Custom Form', value: 'customForm', description: 'A form with fields that you define' },
			{ name: 'Free Text', value: 'freeText', description: 'A text in the words of whoever answers' },
		],
		default: 'approval',
		description: 'How the question is answered',
	},
	...formFields,
	{
		displayName: 'Approval Options',
		name: 'approvalOptions',
		type: 'fixedCollection',
		displayOptions: { show: { responseType: ['approval'] } },
		placeholder: 'Add Option',
		default: {},
		description: 'Which buttons there are, and what they say',
		options: [
			{
				displayName: 'Values',
				name: 'values',
				values: [
					{
						displayName: 'Type of Approval',
						name: 'approvalType',
						type: 'options',
						options: [
							{ name: 'Approve Only', value: 'single', description: 'One button' },
							{ name: 'Approve and Decline', value: 'double', description: 'Two buttons' },
						],
						default: 'single',
						description: 'Whether the question can also be answered with no',
					},
					{
						displayName: 'Approve Button Label',
						name: 'approveLabel',
						type: 'string',
						default: 'Approve',
						placeholder: 'e.g. Yes, send it',
						description: 'What the button says that approves',
					},
					{
						displayName: 'Decline Button Label',
						name: 'disapproveLabel',
						type: 'string',
						displayOptions: { show: { approvalType: ['double'] } },
						default: 'Decline',
						placeholder: 'e.g. No, stop it',
						description: 'What the button says that declines',
					},
				],
			},
		],
	},
] as const satisfies INodeProperties[];

/** How the page looks, what stands in front of the link, and how long the answer may take. */
export const questionOptions = [
	limitWaitTime,
	{
		displayName: 'Message Link Label',
		name: 'messageButtonLabel',
		type: 'string',
		default: 'Respond',
		placeholder: 'e.g. Answer here',
		description: 'What stands in front of the link in the message. Left empty, the link stands alone.',
	},
	{
		displayName: 'Response Form Button Label',
		name: 'responseFormButtonLabel',
		type: 'string',
		displayOptions: { show: { '/responseType': ['freeText', 'customForm'] } },
		default: 'Submit',
		placeholder: 'e.g. Send answer',
		description: 'What the button of a form says',
	},
	{
		displayName: 'Response Form Custom Styling',
		name: 'responseFormCustomCss',
		type: 'string',
		typeOptions: { rows: 10, editor: 'cssEditor' },
		default: '',
		placeholder: 'e.g. :root { --color-submit-btn-bg: #0a7; }',
		description:
			"CSS for the page. The variables of n8n's own forms work here too, such as --color-background and --font-family.",
	},
	{
		displayName: 'Response Form Description',
		name: 'responseFormDescription',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. Please check the order before you answer',
		description: 'What the page says, if that is not the message itself',
	},
	{
		displayName: 'Response Form Title',
		name: 'responseFormTitle',
		type: 'string',
		default: '',
		placeholder: 'e.g. Order 1042',
		description: 'The heading of the page',
	},
] as const satisfies INodeProperties[];

/** Everything that a question reads. */
const everyField = [
	...questionFields,
	{ displayName: 'Options', name: 'options', type: 'collection', default: {}, options: questionOptions },
] as const satisfies Properties;

type QuestionInput = Input<typeof everyField>;

type Options = Input<typeof questionOptions>;

/**
 * The question that the parameters make.
 *
 * @param beside fields of the output beside the answer
 * @throws InvalidParameter naming the field
 */
export function questionFrom(item: Pick<Input<[]>, 'part'>, beside: Question['beside']): Question {
	const input = item.part(everyField);
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

function formFrom(input: QuestionInput, options: Options): Form {
	const button = options.text('responseFormButtonLabel').trim() || 'Submit';
	if (input.choice('responseType') === 'customForm') {
		return { kind: 'form', button, fields: formFieldsFrom(input.part(formFields)) };
	}
	const own = { type: 'textarea', required: true, placeholder: '', initial: [], options: [] } as const;
	return { kind: 'form', button, fields: [{ name: 'text', label: 'Response', ...own }] };
}
