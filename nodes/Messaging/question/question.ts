/**
 * What a person is asked, whole: what the page shows, which answers fit, and what becomes of one. It is plain JSON,
 * because the execution keeps it until somebody answers.
 */
export interface Question {
	readonly page: {
		/** The heading, '' for none. */
		readonly title: string;
		/** The question itself, with its line breaks. */
		readonly text: string;
		/** Style rules of the user's own, '' for none. */
		readonly css: string;
	};
	readonly answer: Approval | Form;
	/** Fields of the output beside the answer. */
	readonly beside: Readonly<Record<string, string>>;
	/** Until when an answer counts, in milliseconds since 1970; null for as long as it takes. */
	readonly until: number | null;
}

/** A question that buttons answer. */
export interface Approval {
	readonly kind: 'approval';
	/** The label of the button that approves. */
	readonly approve: string;
	/** The label of the button that declines, null when there is none. */
	readonly decline: string | null;
}

/** A question that fields answer. */
export interface Form {
	readonly kind: 'form';
	/** The label of the button that sends the answer. */
	readonly button: string;
	readonly fields: readonly QuestionField[];
}

/** One field of a form, in n8n's words. */
export interface QuestionField {
	/** Its name in the output. */
	readonly name: string;
	readonly label: string;
	readonly type: QuestionFieldType;
	readonly required: boolean;
	/** An example of what to enter, '' for none. */
	readonly placeholder: string;
	/** What stands in it at first; of checkboxes those that are ticked. */
	readonly initial: readonly string[];
	/** What can be chosen; empty for what is typed. */
	readonly options: readonly string[];
}

export type QuestionFieldType =
	| 'checkbox'
	| 'date'
	| 'dropdown'
	| 'email'
	| 'number'
	| 'radio'
	| 'text'
	| 'textarea';
