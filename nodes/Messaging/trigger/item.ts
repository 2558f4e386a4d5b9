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

/** The item that reports a change. Unknown values are null. */
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

/** The fields that an event is about: for a channel that is new or gone, all of its fields. */
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

/** When it happened, according to the service; '' if the service does not say. */
function sinceOf(event: EventName, channel: Channel | undefined): string {
	if (event === 'channelRemoved' || event === 'feedbackChannelChanged') return '';
	const says = (event === 'channelCreated' ? channel?.createdAt : channel?.stateUpdatedAt) ?? '';
	return Number.isNaN(Date.parse(says)) ? '' : says;
}

/** Whether a channel is connected after an event about its connection. */
const CONNECTED_AFTER: Readonly<Partial<Record<EventName, string>>> = {
	channelConnected: CONNECTED,
	channelDisconnected: DISCONNECTED,
};

/**
 * One of the watched channels as if a chosen event had just happened to it, for the test in the editor; `undefined` if
 * no channel is watched. A channel that is connected or disconnected as an event says is preferred, and shown with that
 * event.
 *
 * @param now this moment as ISO 8601
 */
export function sampleOf({ channels }: ChannelList, watch: Watch, now: string): Change | undefined {
	const watched = [...channels].filter(
		([key, channel]) => !channel.isDeleted && isWatched(watch.filter, key, channel, false),
	);
	const samples = [...watch.events].flatMap((event) =>
		watched.map(([key, channel]) => ({ event, key, channel })),
	);
	const sample =
		samples.find(({ event, channel }) => channel.facts.connected === (CONNECTED_AFTER[event] ?? '')) ??
		samples[0];
	if (sample === undefined) return undefined;
	const { event, key, channel } = sample;
	const connected = CONNECTED_AFTER[event];
	const after = { ...channel.facts, ...(connected !== undefined && { connected }) };
	const before = {
		...after,
		...(connected !== undefined && { connected: connected === CONNECTED ? DISCONNECTED : CONNECTED }),
		// The list does not show the earlier feedback channel, so the sample has none.
		...(event === 'feedbackChannelChanged' && { feedback: NO_FEEDBACK }),
	};
	return {
		event,
		key,
		channel: event === 'channelRemoved' ? undefined : { ...channel, facts: after },
		before: event === 'channelCreated' ? undefined : before,
		seenSince: now,
	};
}
