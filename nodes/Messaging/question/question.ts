/**
 * A question to a person: what the page shows, which answers are valid, and what an answer becomes. It is plain JSON,
 * because it is saved with the execution while it waits.
 */
export interface Question {
	readonly page: {
		/** The heading, '' for none. */
		readonly title: string;
		/** The question itself, with its line breaks. */
		readonly text: string;
		/** The user's style rules, or ''. */
		readonly css: string;
	};
	readonly answer: Approval | Form;
	/** Additional output fields. */
	readonly beside: Readonly<Record<string, string>>;
	/** When the time for an answer ends, in milliseconds since 1970; null for no limit. */
	readonly until: number | null;
}

/** A question that is answered with a button. */
export interface Approval {
	readonly kind: 'approval';
	readonly approve: string;
	/** The label of the button that declines; null if there is none. */
	readonly decline: string | null;
}

/** A question that is answered with a form. */
export interface Form {
	readonly kind: 'form';
	/** The label of the button that sends the answer. */
	readonly button: string;
	readonly fields: readonly QuestionField[];
}

/** One field of a form, in n8n's terms. */
export interface QuestionField {
	/** Its name in the output. */
	readonly name: string;
	readonly label: string;
	readonly type: QuestionFieldType;
	readonly required: boolean;
	/** An example of what to enter, or ''. */
	readonly placeholder: string;
	/** The initial value, or the checkboxes ticked initially. */
	readonly initial: readonly string[];
	/** The options to choose from; empty for a field to type in. */
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
