import type { INodeProperties } from 'n8n-workflow';

import type { Approval, Form, Question } from '../../question/question';
import {
	choiceField,
	collectionField,
	groupField,
	numberField,
	textField,
	timestampField,
} from '../../fields/builders';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import type { Properties } from '../../input/parameter-types';
import { formElements, questionFieldsFrom } from './question-form';

const approvalOptions = groupField({
	name: 'approvalOptions',
	description: 'The buttons and their labels',
	displayOptions: { show: { responseType: ['approval'] } },
	placeholder: 'Add Option',
	builderHint: {
		propertyHint:
			'{ "values": { "approvalType": "double", "approveLabel": "Yes", "disapproveLabel": "No" } }. With "single", nobody can decline.',
	},
	values: [
		choiceField({
			displayName: 'Type of Approval',
			name: 'approvalType',
			description: 'Whether there is a button to decline',
			default: 'single',
			choices: { single: ['Approve Only', 'One button'], double: ['Approve and Decline', 'Two buttons'] },
		}),
		textField({
			displayName: 'Approve Button Label',
			name: 'approveLabel',
			description: 'Text of the button',
			placeholder: 'Yes, send it',
			default: 'Approve',
		}),
		textField({
			displayName: 'Decline Button Label',
			name: 'disapproveLabel',
			description: 'Text of the button',
			placeholder: 'No, stop it',
			default: 'Decline',
			displayOptions: { show: { approvalType: ['double'] } },
		}),
	],
});

export const questionFields = [
	textField({
		name: 'message',
		description:
			'The question. The node adds a link to the page where it is answered. Only a click on that page answers, opening the link does not.',
		placeholder: 'May order 1042 go on?',
		typeOptions: { rows: 4 },
		required: true,
	}),
	choiceField({
		name: 'responseType',
		description: 'How to answer the question',
		default: 'approval',
		choices: {
			approval: 'Buttons to approve and, optionally, to decline',
			customForm: 'A form with fields that you define',
			freeText: 'A text field',
		},
	}),
	...formElements,
	approvalOptions,
] as const satisfies INodeProperties[];

/** The time limit for an answer, named as in n8n's own nodes. */
const limitWaitTime = groupField({
	name: 'limitWaitTime',
	description:
		'How long to wait for an answer. When the time is up, the workflow continues with the input and without an answer: the item has no data.respondedAt, and an If node can check for that.',
	builderHint: {
		propertyHint:
			'A member of "options": { "limitWaitTime": { "values": { "limitType": "afterTimeInterval", "resumeAmount": 2, "resumeUnit": "hours" } } }, or limitType "atSpecifiedTime" with maxDateAndTime. When the time is up, the items go on without "data.respondedAt": check for it with an If node.',
	},
	default: { values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' } },
	values: [
		choiceField({
			name: 'limitType',
			description: 'How to set the limit',
			default: 'afterTimeInterval',
			choices: { afterTimeInterval: 'Wait for some time', atSpecifiedTime: 'Wait until a date and time' },
		}),
		numberField({
			displayName: 'Amount',
			name: 'resumeAmount',
			displayOptions: { show: { limitType: ['afterTimeInterval'] } },
			typeOptions: { minValue: 0, numberPrecision: 2 },
			default: 1,
			description: 'How many minutes, hours or days to wait',
		}),
		choiceField({
			displayName: 'Unit',
			name: 'resumeUnit',
			description: 'The unit of the amount',
			default: 'hours',
			displayOptions: { show: { limitType: ['afterTimeInterval'] } },
			choices: {
				minutes: 'Amount is in minutes',
				hours: 'Amount is in hours',
				days: 'Amount is in days of 24 hours',
			},
		}),
		timestampField({
			displayName: 'Max Date and Time',
			name: 'maxDateAndTime',
			description: 'When to stop waiting',
			displayOptions: { show: { limitType: ['atSpecifiedTime'] } },
		}),
	],
});

/** How the page looks, the text before the link, and the time limit for the answer. */
export const questionOptions = [
	limitWaitTime,
	textField({
		displayName: 'Message Link Label',
		name: 'messageButtonLabel',
		description: 'The text before the link in the message. If you leave it empty, there is only the link.',
		placeholder: 'Answer here',
		default: 'Respond',
	}),
	textField({
		name: 'responseFormButtonLabel',
		description: 'Text of the button that sends the form',
		placeholder: 'Send answer',
		default: 'Submit',
		displayOptions: { show: { '/responseType': ['freeText', 'customForm'] } },
	}),
	textField({
		displayName: 'Response Form Custom Styling',
		name: 'responseFormCustomCss',
		description:
			"CSS for the page. The variables of n8n's own forms work here too, such as --color-background and --font-family.",
		placeholder: ':root { --color-submit-btn-bg: #0a7; }',
		typeOptions: { rows: 10, editor: 'cssEditor' },
	}),
	textField({
		name: 'responseFormDescription',
		description: 'The text on the page. If you leave it empty, the page shows the message.',
		placeholder: 'Please check the order before you answer',
		typeOptions: { rows: 4 },
	}),
	textField({ name: 'responseFormTitle', description: 'The heading of the page', placeholder: 'Order 1042' }),
] as const satisfies INodeProperties[];

const everyParameter = [
	...questionFields,
	collectionField('options', questionOptions),
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
	const textarea = { type: 'textarea', required: true, placeholder: '', initial: [], options: [] } as const;
	return { kind: 'form', button, fields: [{ name: 'text', label: 'Response', ...textarea }] };
}

const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

/** n8n treats a limit beyond this date as no limit. */
const FOREVER = Date.UTC(3000, 0, 1);

/** When the wait for an answer ends, in milliseconds since 1970; null when there is no limit. */
function waitsUntil(options: Input<typeof questionOptions>): number | null {
	if (!options.isAdded('limitWaitTime')) return null;
	const limit = options.group('limitWaitTime');
	const now = Date.now();
	const isDate = limit.choice('limitType') === 'atSpecifiedTime';
	// If an expression finds no number, the default must not apply: NaN is refused below.
	const amount = () => limit.number('resumeAmount') ?? (limit.isEntered('resumeAmount') ? NaN : 1);
	const until = isDate
		? Date.parse(limit.timestamp('maxDateAndTime') ?? '')
		: now + amount() * UNIT_MS[limit.choice('resumeUnit')];
	if (until > now) return until < FOREVER ? until : null;
	throw new InvalidParameter(
		limit.label(isDate ? 'maxDateAndTime' : 'resumeAmount'),
		isDate ? 'needs a time in the future' : 'needs a number above 0',
		'No message was sent. Enter a later time, check the expression, or remove the option Limit Wait Time ("limitWaitTime") to wait without a limit.',
	);
}
