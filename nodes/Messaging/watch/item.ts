import type { IDataObject } from 'n8n-workflow';

import type { Change } from './compare';
import { type Aspect, CONNECTED, type EventName } from './events';
import type { Remembered } from './memory';
import { NO_FEEDBACK, type Sighting, statusParts } from './sighting';

/** The json of the item that tells of a change. What is not known is null. */
export function itemOf({ event, key, sighting, before, seenSince }: Change): IDataObject {
	const identity = sighting ?? before?.identity;
	const state = { ...before?.state, ...sighting?.state };
	return {
		event,
		channelId: sighting?.channelId ?? key,
		name: orNull(identity?.name),
		channelType: orNull(identity?.channelType),
		accountId: orNull(identity?.accountId),
		isConnected: connectionOf(state.connected),
		status: statusOf(state.status).status ?? null,
		before: sideBefore(event, before),
		after: sideAfter(event, sighting),
		since: sinceOf(event, sighting) || seenSince,
	};
}

/** The fields that an event is about, where they have values. */
const FIELDS: Readonly<Record<Aspect, (value: string | undefined) => IDataObject>> = {
	connected: (value) => ({ isConnected: connectionOf(value) }),
	status: (value) => statusOf(value),
	feedback: (value) => ({ feedbackChannelId: value === undefined || value === NO_FEEDBACK ? null : value }),
};

const ABOUT: Readonly<Partial<Record<EventName, Aspect>>> = {
	channelConnected: 'connected',
	channelDisconnected: 'connected',
	channelStatusChanged: 'status',
	feedbackChannelChanged: 'feedback',
};

function sideBefore(event: EventName, before: Remembered | undefined): IDataObject {
	const aspect = ABOUT[event];
	if (aspect !== undefined) {
		const value = before?.state[aspect];
		return value === undefined ? {} : FIELDS[aspect](value);
	}
	return event === 'channelRemoved' ? whole(before?.identity, before?.state) : {};
}

function sideAfter(event: EventName, sighting: Sighting | undefined): IDataObject {
	const aspect = ABOUT[event];
	if (aspect !== undefined) return FIELDS[aspect](sighting?.state[aspect]);
	return event === 'channelCreated' ? whole(sighting, sighting?.state) : {};
}

/** All that is told of a channel that came or went. */
function whole(
	identity: Pick<Sighting, 'name' | 'channelType' | 'accountId'> | undefined,
	state: Remembered['state'] | undefined,
): IDataObject {
	return {
		name: orNull(identity?.name),
		channelType: orNull(identity?.channelType),
		accountId: orNull(identity?.accountId),
		isConnected: connectionOf(state?.connected),
		status: statusOf(state?.status).status ?? null,
	};
}

/** When it happened, in the service's words; '' where those do not say. */
function sinceOf(event: EventName, sighting: Sighting | undefined): string {
	const says = event === 'channelCreated' ? sighting?.createdAt : sighting?.stateUpdatedAt;
	const isAboutState = event !== 'channelRemoved' && event !== 'feedbackChannelChanged';
	return isAboutState && says !== undefined && !Number.isNaN(Date.parse(says)) ? says : '';
}

function connectionOf(value: string | undefined): boolean | null {
	return value === undefined ? null : value === CONNECTED;
}

function statusOf(value: string | undefined): IDataObject {
	const { id, name } = value === undefined ? { id: null, name: null } : statusParts(value);
	return { status: name, channelStatusId: id };
}

function orNull(text: string | undefined): string | null {
	return text === undefined || text === '' ? null : text;
}
