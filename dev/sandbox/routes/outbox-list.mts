import type { IncomingCall, Verdict } from '../interface/contract.mts';
import { deliverDue } from '../records/outbox.mts';
import type { Answer, Call } from './call.mts';

/** A path of the sandbox's own. The interface says that outbox entries can be listed, and does not show how. */
const PATH = '/sandbox/outbox';

/** What is to be said about a call of the list; nothing if the call is another one. */
export function outboxListVerdict(call: IncomingCall, prefix: string): Verdict | undefined {
	if (call.method !== 'GET' || call.path !== `${prefix}${PATH}`) return undefined;
	return {
		operationId: null,
		parameters: {},
		answerType: 'application/json; v=1.0',
		problems: [],
		status: 404,
	};
}

/** Lists the outbox entries that the key reaches, of one channel or with one status if the query says so. */
export function listOutbox(
	{ state, views, reach, now }: Omit<Call<'outbox.get'>, 'parameters' | 'body'>,
	{ channelId, statusName }: IncomingCall['query'],
): Answer {
	void deliverDue(state, now);
	const channels = typeof channelId === 'string' ? [reach.channel(channelId)] : reach.channels();
	const ids = new Set(channels.map((channel) => channel.channelId));
	const entries = [...state.outbox.values()]
		.filter((entry) => ids.has(entry.channelId))
		.map((entry) => views.outboxEntry(entry));
	return {
		status: 200,
		body: entries.filter((entry) => statusName === undefined || entry.statusName === statusName),
	};
}
