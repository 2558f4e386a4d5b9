import type { Change } from './compare';
import type { ChannelList } from './channel-list';
import { type Aspect, CONNECTED, DISCONNECTED, type EventName } from './events';
import { NO_FEEDBACK, type Sighting } from './sighting';
import { isWatched, type Watch } from './watch';

/** How the state of a channel reads before and after an event, as far as the event is about one. */
const SIDES: Readonly<Partial<Record<EventName, readonly [aspect: Aspect, before: string, after: string]>>> =
	{
		channelConnected: ['connected', DISCONNECTED, CONNECTED],
		channelDisconnected: ['connected', CONNECTED, DISCONNECTED],
	};

/**
 * One of the watched channels as if a chosen event had just happened to it, for the test in the editor; `undefined`
 * when there is no channel. A channel that is in the state that an event leads to is shown with that event.
 *
 * @param now this moment as ISO 8601
 */
export function sampleOf({ channels }: ChannelList, watch: Watch, now: string): Change | undefined {
	const watched = [...channels].filter(
		([key, sighting]) => !sighting.isDeleted && isWatched(watch.filter, key, sighting, false),
	);
	const events = [...watch.events];
	for (const event of events) {
		const [aspect, , after] = SIDES[event] ?? [];
		const fitting = watched.find(([, { state }]) => aspect !== undefined && state[aspect] === after);
		if (fitting !== undefined) return changeOf(event, ...fitting, now);
	}
	const [event, first] = [events[0], watched[0]];
	return event === undefined || first === undefined ? undefined : changeOf(event, ...first, now);
}

function changeOf(event: EventName, key: string, sighting: Sighting, now: string): Change {
	const [aspect, was, is] = SIDES[event] ?? [];
	const side = (value: string | undefined): Sighting['state'] =>
		aspect === undefined ? sighting.state : { ...sighting.state, [aspect]: value };
	return {
		event,
		key,
		sighting: event === 'channelRemoved' ? undefined : { ...sighting, state: side(is) },
		before:
			event === 'channelCreated' ? undefined : { state: stateBefore(event, side(was)), identity: sighting },
		seenSince: now,
	};
}

/** No channel tells what its status or its feedback channel was before: an empty one is a value it may have had. */
function stateBefore(event: EventName, state: Sighting['state']): Sighting['state'] {
	return event === 'feedbackChannelChanged' ? { ...state, feedback: NO_FEEDBACK } : state;
}
