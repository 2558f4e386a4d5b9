import { DONE, type Effect } from '../service/api-call';
import type { Failure } from '../service/endings';
import { asSentence, cut } from '../shared/text';

/** How many characters of what happened a model reads. With what is around it, that makes about 60 tokens at most. */
const LONGEST = 130;

/** What a model reads if an earlier call had the same key, perhaps for another message. */
export const USED_KEY = 'An earlier call with this key went through. This one did nothing. Do not repeat it.';

/** The same of a question, which nobody may have answered. */
export const ASKED_UNDER_KEY =
	'A person was asked before, under the same key, and is not asked again. Nothing was approved or done now. Tell a person.';

/** What the advice begins with if a model has left out what it has to send, or has sent what is not its to choose ("without"). */
export const CALL_WITH = 'call the tool with';

/** What is called. */
interface Called {
	readonly effect: Effect;
	/** The labels of the fields that the model fills in. */
	readonly modelFields: readonly string[];
}

/**
 * A failure for a model, which reads nothing else of it: the outcome, what happened, and what to do. It can't see
 * executions, options or credentials, so none of the advice for a person is part of it.
 */
export function textForModel(failure: Failure, called: Called): string {
	const { fields, message, outcome } = failure;
	const done = DONE[called.effect].toUpperCase();
	const happened = fields === undefined ? message : `${message}: ${fields}`;
	const what = asSentence(cut(happened.replace(/\s+/g, ' '), LONGEST));
	const next = canCorrect(failure, called)
		? 'Correct that and call again, or tell a person.'
		: 'Do not call again; tell a person.';
	return `${outcome === 'unknown' ? 'MAYBE' : 'NOT'} ${done} (outcome: ${outcome}): ${what} ${next}`;
}

/** Statuses with which services refuse values. */
const ABOUT_VALUES: ReadonlyArray<number | null> = [400, 413, 422];

/** Whether another value would help, and the model can give it. */
function canCorrect({ byGateway, cause, message, statusCode }: Failure, { modelFields }: Called): boolean {
	if (cause === 'refused')
		return modelFields.length > 0 && ABOUT_VALUES.includes(statusCode) && byGateway !== true;
	const isField = (label: string): boolean =>
		message.startsWith(`The field "${label}"`) || message.startsWith(`The field "${label} > `);
	return cause === 'invalid' && (message.includes(CALL_WITH) || modelFields.some(isField));
}
