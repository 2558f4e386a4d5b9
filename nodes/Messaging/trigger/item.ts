import type { IDataObject } from 'n8n-workflow';

import {
	type Channel,
	type ChannelList,
	CONNECTED,
	DISCONNECTED,
	type Facts,
	NO_FEEDBACK,
	statusParts,
} from './channels';
import type { Change } from './compare';
import { type EventName, isWatched, type Watch } from './watch';

/** The json of the item that reports a change. What is not known is null. */
export function itemOf({ event, key, channel, before, seenSince }: Change): IDataObject {
	return {
		event,
		channelId: channel?.channelId ?? key,
		...allFields({ ...before, ...channel?.facts }),
		before: before === undefined ? {} : sideOf(event, before),
		after: event === 'channelRemoved' || channel === undefined ? {} : sideOf(event, channel.facts),
		since: sinceOf(event, channel) || seenSince,
	};
}

/** What a channel was or is: the fields that the event is about, or all of one that came or went. */
function sideOf(event: EventName, facts: Facts): IDataObject {
	const { connected, status, feedback } = facts;
	switch (event) {
		case 'channelConnected':
		case 'channelDisconnected':
			return connected === undefined ? {} : { isConnected: connected === CONNECTED };
		case 'channelStatusChanged': {
			if (status === undefined) return {};
			const { id, name } = statusParts(status);
			return { status: name, channelStatusId: id };
		}
		case 'feedbackChannelChanged':
			return feedback === undefined ? {} : { feedbackChannelId: feedback || null };
		default:
			return allFields(facts);
	}
}

function allFields({ name, channelType, accountId, connected, status }: Facts): IDataObject {
	return {
		name: name ?? null,
		channelType: channelType ?? null,
		accountId: accountId ?? null,
		isConnected: connected === undefined ? null : connected === CONNECTED,
		status: status === undefined ? null : statusParts(status).name,
	};
}

/** When it happened, in the service's words; '' where those do not say. */
function sinceOf(event: EventName, channel: Channel | undefined): string {
	if (event === 'channelRemoved' || event === 'feedbackChannelChanged') return '';
	const says = (event === 'channelCreated' ? channel?.createdAt : channel?.stateUpdatedAt) ?? '';
	return Number.isNaN(Date.parse(says)) ? '' : says;
}

/** The connection of a channel after an event, and before. */
const CONNECTION: Readonly<Partial<Record<EventName, readonly [after: string, before: string]>>> = {
	channelConnected: [CONNECTED, DISCONNECTED],
	channelDisconnected: [DISCONNECTED, CONNECTED],
};

/**
 * One of the watched channels as if a chosen event had just happened to it, for the test in the editor; `undefined`
 * when no channel is watched. A channel that is in the state that an event leads to is shown with that event.
 *
 * @param now this moment as ISO 8601
 */
export function sampleOf({ channels }: ChannelList, watch: Watch, now: string): Change | undefined {
	const watched = [...channels].filter(
		([key, channel]) => !channel.isDeleted && isWatched(watch.filter, key, channel, false),
	);
	const events = [...watch.events];
	for (const event of events) {
		const [after] = CONNECTION[event] ?? [];
		const fitting = watched.find(([, { facts }]) => after !== undefined && facts.connected === after);
		if (fitting !== undefined) return changeOf(event, ...fitting, now);
	}
	const [event, first] = [events[0], watched[0]];
	return event === undefined || first === undefined ? undefined : changeOf(event, ...first, now);
}

function changeOf(event: EventName, key: string, channel: Channel, now: string): Change {
	const [after, before] = CONNECTION[event] ?? [];
	const facts = { ...channel.facts, ...(after !== undefined && { connected: after }) };
	// No list says which feedback channel it had before: none is one that it may have had.
	const earlier = event === 'feedbackChannelChanged' ? { feedback: NO_FEEDBACK } : {};
	return {
		event,
		key,
		channel: event === 'channelRemoved' ? undefined : { ...channel, facts },
		before:
			event === 'channelCreated'
				? undefined
				: { ...facts, ...earlier, ...(before !== undefined && { connected: before }) },
		seenSince: now,
	};
}
