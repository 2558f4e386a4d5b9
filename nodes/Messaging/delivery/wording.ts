import { MOST_KEYS } from '../fields/options';
import { InvalidParameter } from '../input/invalid-parameter';
import { type ApiCall, readsOnly } from '../service/api-call';
import { type Cause, type Failure, failureBy, unsent } from '../service/endings';
import { maskInErrors } from '../service/secrets';
import type { NodeError } from '../shared/shown';
import { count, errorText, quoted, said } from '../shared/text';

/** The messages about single items: what was not sent, why, and what to do. */

/** Why calls wait, as errors, hints and the log say it. */
export const REASONS = {
	outage: 'the service was failing',
	channel: 'the channel was failing',
	later: 'the service asked to come back later',
	plan: 'the plan of the API key was used up',
	gap: 'the service, or a gateway in front of it, limits how many calls may come',
	pause: 'the option Pause Between Messages',
	full: 'too many other calls were without an answer',
	me: 'the service was slow to answer GET /Me, which shows the plan of the API key',
};

/** What messages begin with if the rest says only why. */
const NOT_SENT = 'The item was not sent: ';

/** Why an item failed, without that: where the outcome is said before it. */
export function reasonOf(message: string): string {
	return message.startsWith(NOT_SENT) ? message.slice(NOT_SENT.length) : message;
}

/** The call has waited for as long as it may. */
function waitedTooLong(why: keyof typeof REASONS): Failure {
	return failureBy('noTurn', {
		message: `${NOT_SENT}${REASONS[why]}`,
		description:
			'It waited for as long as the option Max Wait ("maxWait") allows, or a question its time limit. Send it again later, or raise that. If this lasts, check the service and the channel.',
	});
}

/** The call did not start: it has waited for as long as it may, or nothing more of its run starts. */
export const NOT_STARTED = {
	later: waitedTooLong('later'),
	outage: waitedTooLong('outage'),
	channel: waitedTooLong('channel'),
	full: waitedTooLong('full'),
	halted: failureBy('noTurn', {
		message: 'The item was not sent',
		description: 'The run was stopped before its turn came.',
	}),
	keyRefused: unsent(
		`${NOT_SENT}the service no longer accepts the key`,
		'Several calls in a row were answered with 401, so the rest was held back. Check the API Key in the credential. If the key was revoked, it never works again: ask the operator of the service for a new one, enter it in the credential, and send this item again.',
	),
};

/** The question was asked in an execution that is over. Its link is dead, and asking again would make two questions. */
export const ASKED_BEFORE = unsent(
	'Nobody was asked again: an earlier try had sent the question',
	'The link in that message no longer works. Run the workflow again to ask with a new link.',
);

/** Two items ask the same person. The first answer ends the wait, so the second could not be answered. */
export function askedTwice(first: number, second: number): Failure {
	return invalid(
		`Nobody was asked: items ${first} and ${second} ask the same recipient on the same channel`,
		'The first answer ends the wait, so only one of these questions could be answered. Ask one question for all of them, or put Loop Over Items with a batch size of 1 before this node to ask one after the other.',
	);
}

/** The service asks to come back at a time that is later than the call may wait; `last` is its answer, if it has one. */
export function comeBack(time: string, last?: Failure): Failure {
	const what =
		'That is longer than the node waits. Try again then, or ask the operator of the service for a larger resource plan.';
	return unsent(`The service asks to come back at ${time}`, what, last);
}

/** Nothing is sent to an address that does not seem to be that of the service, as this answer shows. */
export function elsewhere(shownBy: Failure): Failure {
	const why = `${NOT_SENT}the Base URL does not seem to lead to the service: ${shownBy.message}`;
	return unsent(why, shownBy.description, shownBy);
}

/** The lookup that a call needs first has failed, so nothing was changed. */
export function notLookedUp(failure: Failure): Failure {
	const why = `Nothing was changed, because a look-up that this needs failed: ${failure.message}`;
	return unsent(why, failure.description, failure);
}

/** The message has expired before its turn came. */
export function pastDeadline(time: string): Failure {
	return invalid(
		`${NOT_SENT}the deadline is past: ${time}`,
		'Enter a later Delivery Deadline or time limit of the question, such as {{ $now.plus(2, "hours") }}. A date without a time is its first minute, and one without a time zone is in that of the workflow.',
	);
}

/** An item is held back, because its earlier try, which failed so, may have been processed. */
export function heldBack(tried: Failure): Failure {
	const message = `Not sent again, because an earlier try may have been processed: ${tried.message}`;
	return { ...tried, message, description: '' };
}

/** An item is held back, because its message was in doubt when an earlier run of the node ended, as in a loop. */
export const IN_DOUBT_IN_EARLIER_RUN = failureBy('doubtful', {
	message: 'Not sent again: an earlier run of this node in this execution may have sent the same message',
	description: '',
});

/** An item has failed now, and its earlier try may have been processed. */
export function stillInDoubt(now: Failure): Failure {
	const message = `Failed now, but an earlier try may have been processed: ${now.message}`;
	return failureBy('doubtful', { message, description: now.description }, now);
}

/** The item's once key is in doubt: an earlier try with it has no known outcome, or another execution still holds it. */
export function keyIsInDoubt(key: string): Failure {
	return failureBy('doubtful', {
		message: 'Not sent again: an item with the same key may have been sent before',
		description: `With the key ${quoted(key)}, n8n was stopped in the middle of a try, the service gave no clear answer, or another execution is sending now: wait for its end first.`,
	});
}

/** An earlier item, run or call of the execution has the same once key, but a different recipient or content. */
export const SAME_KEY = invalid(
	`${NOT_SENT}this execution has another message with the same key`,
	'Only one message is sent for each key, so this one would be lost. Give each message a key of its own, under Send Only Once Per or Create Only Once Per ("onceKey"). For the parts of one answer, add the number of the part.',
);

/** An earlier item of the run has the same Package ID, which somebody has given to both. */
export function samePackageId(first: number): Failure {
	return invalid(
		`${NOT_SENT}item ${first} has the same Package ID`,
		'The service may take them for one message, and drop one. Give each message a Package ID of its own, or leave the field out: then the node makes one.',
	);
}

/** A workflow that was never saved can't store once keys, nor can a node without an ID, in a sub-workflow given as JSON. */
export function notSaved(option: string): Failure {
	return unsent(
		'Save the workflow first',
		`n8n notes the keys of "${option}" with the saved workflow. In a sub-workflow that is given as JSON, give each node an "id", always the same one.`,
	);
}

/** The run has more messages with a key than n8n can remember. */
export function tooManyKeys(messages: number): Failure {
	return unsent(
		`This run has ${count(messages)} messages with a key. At most ${count(MOST_KEYS)} can be remembered: split the list`,
		'Nothing was sent. Send the parts in executions of their own, and the next one when the last has succeeded.',
	);
}

/** n8n could not record the item's once key. */
export function notNoted(error: unknown): Failure {
	return unsent(
		`${NOT_SENT}its key could not be noted`,
		`Without the note it could go out twice later. Look into n8n's log for trouble with its database. Remove Duplicates nodes in this workflow need the Scope "Node". (${errorText(error)})`,
	);
}

/** What to do about a service that always takes too long. */
export const RAISE_TIMEOUT = 'If it is always slow, raise the option Timeout ("timeout").';

/** What to do if a lookup found a list that is not whole. */
export const FILL_IN =
	'What the node looks up in this list may be in the rest. Fill in the fields of this item that are empty.';

/** What to do if a list in which names are found is not whole. */
export const ENTER_IDS =
	'The rest may have others with the same name. In place of By Name, choose From List ("mode": "list") or By ID ("mode": "id").';

/** The failure of an item whose parameters could not be read or do not fit. */
export function refusal(error: unknown): Failure {
	// The refused value may be a key that was entered in the wrong field.
	if (error instanceof InvalidParameter) return invalid(maskInErrors(error.message), error.hint);
	// Any other error comes from n8n while it resolves an expression; its own message says what is wrong.
	const { message, description, context } = error as Partial<NodeError>;
	const { parameter } = context ?? {};
	const field = typeof parameter === 'string' ? ` in the parameter "${parameter}"` : '';
	const advice = typeof description === 'string' && description !== '' ? ` ${said(description)}` : '';
	const isSaid = typeof message === 'string' && message !== '';
	return invalid(
		isSaid ? maskInErrors(said(message)) : 'A parameter could not be read',
		`Check the expression${field}.${maskInErrors(advice)}`,
	);
}

function invalid(message: string, description: string, more?: Partial<Failure>): Failure {
	return failureBy('invalid', { message, description }, more);
}

/**
 * A bug in this node. The outcome says whether the item may have been processed.
 *
 * @param call if it may have been in flight
 */
export function broken(error: unknown, call?: ApiCall): Failure {
	let cause: Cause = 'withheld';
	if (call !== undefined) cause = readsOnly(call) ? 'refused' : 'doubtful';
	return failureBy(cause, {
		message: 'This node itself has failed',
		description: `Please report this to the maintainers of the node. (${errorText(error)})`,
	});
}

/** What an item says whose answer is not kept. */
export const LEFT_OUT =
	'The call was done. Its answer is left out, because the answers of this run have more than 256 MB.';
