import { outboxStatus, outboxStatusNames } from '../records/catalog.mts';
import type { StoredChannel, StoredOutboxEntry } from '../records/model.mts';
import { deliverDue, requeue as putBack } from '../records/outbox.mts';
import { canonical, sameId } from '../records/reach.mts';
import type { State } from '../records/state.mts';
import { conflict, invalid, notFound, Problem } from '../requests/problem.mts';
import type { Handler } from './call.mts';

/** Get outbox entry. */
export const get: Handler<'outbox.get'> = ({ state, views, reach, parameters, now }) => {
	void deliverDue(state, now);
	return {
		status: 200,
		body: views.outboxEntry(entryOf(state, reach.channel(parameters.channelId), parameters.id)),
	};
};

/** Cancel outbox entry. Cancelling a cancelled entry changes nothing; a sent one can't be cancelled. */
export const cancel: Handler<'outbox.cancel'> = ({ state, reach, parameters, now }) => {
	void deliverDue(state, now);
	const entry = entryOf(state, reach.channel(parameters.channelId), parameters.id);
	if (entry.statusId === outboxStatus.sent) {
		throw conflict(`Outbox entry ${parameters.id} was sent and can't be cancelled.`);
	}
	if (entry.statusId !== outboxStatus.cancelled) state.setOutboxStatus(entry, outboxStatus.cancelled);
	return {
		status: 200,
		body: {
			httpSenderOutboxEntryId: entry.httpSenderOutboxEntryId,
			statusName: outboxStatusNames[entry.statusId],
		},
	};
};

/** Requeue outbox entries: all of them or, when one is unknown, none. */
export const requeue: Handler<'outbox.requeue'> = (call) => {
	const { state, reach, parameters, body, now, outboxDelayMs } = call;
	const ids = [...new Set((body.ids ?? []).map(canonical))];
	const channel = reach.channel(parameters.channelId);
	const problems: string[] = [];
	if (ids.length === 0) problems.push('ids: must name at least one outbox entry');
	if (body.channelId !== undefined && !sameId(body.channelId, parameters.channelId)) {
		problems.push('channelId: differs from the id in the path');
	}
	if (body.accountId !== undefined && !sameId(body.accountId, channel.accountId)) {
		problems.push('accountId: is not the account of the channel');
	}
	if (body.organizationId !== undefined && !sameId(body.organizationId, reach.organizationId)) {
		problems.push('organizationId: is not the organization of the channel');
	}
	if (problems.length > 0) throw invalid(...problems);

	const unknown = ids.filter((id) => !belongs(state, channel, id));
	if (unknown.length > 0) {
		throw new Problem(404, `ids: channel "${channel.name}" has no outbox entry ${unknown.join(', ')}.`);
	}
	for (const id of ids) putBack(state, entryOf(state, channel, id), now, outboxDelayMs);
	return { status: 201, body: { requeuedCount: ids.length } };
};

function belongs(state: State, channel: StoredChannel, id: string): boolean {
	return state.outbox.get(id)?.channelId === channel.channelId;
}

function entryOf(state: State, channel: StoredChannel, id: string): StoredOutboxEntry {
	const entry = state.outbox.get(canonical(id));
	if (entry === undefined || entry.channelId !== channel.channelId) throw notFound('outbox entry', id);
	return entry;
}
