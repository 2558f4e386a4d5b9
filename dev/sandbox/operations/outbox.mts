import { outboxStatus, outboxStatusNames } from '../records/catalog.mts';
import type { StoredOutboxEntry } from '../records/model.mts';
import { deliverDue, requeue as putBack } from '../records/outbox.mts';
import { conflict, notFound, Problem, refuse } from '../problem.mts';
import { canonical, type Context, differing, type Handler } from './call.mts';

/** Get outbox entry. */
export const get: Handler<'outbox.get'> = (call) => ({
	status: 200,
	body: call.views.outboxEntry(entryOf(call, call.parameters)),
});

/** Cancel outbox entry. Cancelling a cancelled entry changes nothing; a sent one can't be cancelled. */
export const cancel: Handler<'outbox.cancel'> = (call) => {
	const entry = entryOf(call, call.parameters);
	const { httpSenderOutboxEntryId, statusId } = entry;
	if (statusId === outboxStatus.sent) {
		throw conflict(`Outbox entry ${httpSenderOutboxEntryId} was sent and can't be cancelled.`);
	}
	if (statusId !== outboxStatus.cancelled) call.state.setOutboxStatus(entry, outboxStatus.cancelled);
	const statusName = outboxStatusNames[outboxStatus.cancelled];
	return { status: 200, body: { httpSenderOutboxEntryId, statusName } };
};

/** Requeue outbox entries: all of them or, when one is unknown, none. */
export const requeue: Handler<'outbox.requeue'> = (call) => {
	const { state, reach, parameters, body, now, outboxDelayMs } = call;
	const ids = [...new Set((body.ids ?? []).map(canonical))];
	const channel = reach.channel(parameters.channelId);
	refuse([
		...(ids.length === 0 ? ['ids: must name at least one outbox entry'] : []),
		...differing(
			[body.channelId, parameters.channelId, 'channelId: differs from the id in the path'],
			[body.accountId, channel.accountId, 'accountId: is not the account of the channel'],
			[
				...([body.organizationId, reach.organizationId] as const),
				'organizationId: is not the organization of the channel',
			],
		),
	]);
	const entries = ids.flatMap((id) => state.outbox.get(id) ?? []);
	const own = entries.filter(({ channelId }) => channelId === channel.channelId);
	if (own.length < ids.length) {
		const known = own.map(({ httpSenderOutboxEntryId }) => httpSenderOutboxEntryId);
		const unknown = ids.filter((id) => !known.includes(id)).join(', ');
		throw new Problem(404, `ids: channel "${channel.name}" has no outbox entry ${unknown}.`);
	}
	for (const entry of own) putBack(state, entry, now, outboxDelayMs);
	return { status: 201, body: { requeuedCount: ids.length } };
};

/** An entry of the path, after what is due has been delivered. */
function entryOf(
	{ state, reach, now }: Context,
	{ channelId, id }: { channelId: string; id: string },
): StoredOutboxEntry {
	void deliverDue(state, now);
	const entry = state.outbox.get(canonical(id));
	if (entry?.channelId !== reach.channel(channelId).channelId) throw notFound('outbox entry', id);
	return entry;
}
