import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { type Channel, type ChannelFacts, type ChannelList, DESCRIBING } from './channels';
import type { Change } from './compare';
import type { KnownFacts } from './memory';
import { type EventName, isWatched, type Watch } from './watch';

/** The facts that `before` and `after` have. */
const FACTS_OF: Readonly<Record<EventName, ReadonlyArray<keyof ChannelFacts>>> = {
	channelConnected: ['isConnected'],
	channelCreated: DESCRIBING,
	channelDisconnected: ['isConnected'],
	channelRemoved: DESCRIBING,
	channelStatusChanged: ['status', 'channelStatusId'],
	feedbackChannelChanged: ['feedbackChannelId'],
};

/** The item that reports a change. Unknown values are null. */
export function itemOf({ event, key, channel, before, seenSince }: Change): INodeExecutionData {
	const side = (facts: KnownFacts | undefined): IDataObject => factsIn(facts, FACTS_OF[event]);
	return {
		json: {
			event,
			name: null,
			channelId: channel?.id ?? key,
			...factsIn(channel?.facts ?? before, DESCRIBING),
			before: side(before),
			after: event === 'channelRemoved' ? {} : side(channel?.facts),
			since: sinceOf(event, channel) || seenSince,
		},
	};
}

/** These facts of a channel; none of them if there is no channel. */
function factsIn(facts: KnownFacts | undefined, names: ReadonlyArray<keyof ChannelFacts>): IDataObject {
	if (facts === undefined) return {};
	// No feedback channel is null in the output.
	return Object.fromEntries(names.map((name) => [name, facts[name] === '' ? null : (facts[name] ?? null)]));
}

/** When it happened, according to the service; '' if it does not say: the time of its state may be that of the connection. */
function sinceOf(event: EventName, channel: Channel | undefined): string {
	if (!['channelConnected', 'channelCreated', 'channelDisconnected'].includes(event)) return '';
	const says = (event === 'channelCreated' ? channel?.createdAt : channel?.stateUpdatedAt) ?? '';
	// Workflows read it as ISO 8601. Without a valid time, the text of an alarm would be refused.
	return /^\d{4}-\d\d-\d\dT\S+$/.test(says) && Date.parse(says) > 0 ? says : '';
}

/**
 * A watched channel as if the first chosen event had just happened to it, for the test in the editor; `undefined` if no
 * channel is watched.
 */
export function sampleOf(list: ChannelList, watch: Watch, now: string): Change | undefined {
	const [event = 'channelConnected'] = watch.events;
	const isConnected = event === 'channelConnected';
	const isAboutConnection = isConnected || event === 'channelDisconnected';
	const found = [...list].find(
		([key, channel]) => !channel.isDeleted && isWatched(watch, key, channel, false),
	);
	if (found === undefined) return undefined;
	const [key, channel] = found;
	const factsWhen = (connected: boolean): ChannelFacts =>
		isAboutConnection ? { ...channel.facts, isConnected: connected } : channel.facts;
	return {
		event,
		key,
		channel: event === 'channelRemoved' ? undefined : { ...channel, facts: factsWhen(isConnected) },
		before: event === 'channelCreated' ? undefined : factsWhen(!isConnected),
		seenSince: now,
	};
}
