import type { Approval, Form, Question, QuestionField } from '../../../nodes/Messaging/question/question.ts';

/** A question with these parts; the rest is irrelevant to the test. */
export function question(
	parts: Partial<Omit<Question, 'page'>> & { page?: Partial<Question['page']> } = {},
): Question {
	return {
		answer: { kind: 'approval', approve: 'Approve', decline: 'Decline' },
		beside: { packageId: 'p', channelId: 'c' },
		until: null,
		...parts,
		page: { title: '', text: 'May it go on?', css: '', ...parts.page },
	};
}

/** A field of a form with these parts. */
export function field(parts: Partial<QuestionField> = {}): QuestionField {
	return {
		name: 'Name',
		label: 'Label',
		type: 'text',
		required: false,
		placeholder: '',
		initial: [],
		options: [],
		...parts,
	};
}

export const formOf = (...fields: QuestionField[]): Form => ({ kind: 'form', button: 'Submit', fields });

export const approvalOf = (approve: string, decline: string | null): Approval => ({
	kind: 'approval',
	approve,
	decline,
});
