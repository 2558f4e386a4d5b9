import type { Outcome } from '../service/endings';

/**
 * The state of an item. A run that is cancelled or crashes needs no cleanup: an item that is `left` without a result
 * counts as `unknown` in the next try.
 */
export type ItemState = 'waiting' | 'left' | 'accepted' | 'sent' | Outcome;

/** What can happen to an item: a request leaves, the service accepts it, the result arrives, or it fails. */
export type ItemEvent = Exclude<ItemState, 'waiting'>;

const ANY: readonly ItemEvent[] = ['left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown'];

/**
 * The events that change an item in each state; its next state has the name of the event. What the service has accepted
 * stays accepted. What may have been processed stays in doubt, even if a later request is refused.
 */
const CHANGED_BY: Readonly<Record<ItemState, readonly ItemEvent[]>> = {
	waiting: ANY,
	left: ANY,
	rejected: ANY,
	unsent: ANY,
	unknown: ['accepted', 'sent'],
	accepted: ['sent'],
	sent: [],
};

/** The state of an item after an event. */
export function stateAfter(state: ItemState, event: ItemEvent): ItemState {
	return CHANGED_BY[state].includes(event) ? event : state;
}
