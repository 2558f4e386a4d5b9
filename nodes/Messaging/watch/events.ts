/** The changes of a channel that the trigger tells of, by their names in saved workflows. */
export type EventName =
	| 'channelConnected'
	| 'channelCreated'
	| 'channelDisconnected'
	| 'channelRemoved'
	| 'channelStatusChanged'
	| 'feedbackChannelChanged';

/** The sides of a channel that are compared, each by itself; whether it is listed at all comes before them. */
export const ASPECTS = ['connected', 'status', 'feedback'] as const;

export type Aspect = (typeof ASPECTS)[number];

const NEEDED: Readonly<Record<Aspect, readonly EventName[]>> = {
	connected: ['channelConnected', 'channelDisconnected'],
	status: ['channelStatusChanged'],
	feedback: ['feedbackChannelChanged'],
};

/** The aspects that these events are about: no other is remembered. */
export function aspectsOf(events: ReadonlySet<EventName>): readonly Aspect[] {
	return ASPECTS.filter((aspect) => NEEDED[aspect].some((event) => events.has(event)));
}

/** The event that it is when an aspect has this value now. */
export function eventOf(aspect: Aspect, value: string): EventName {
	if (aspect === 'status') return 'channelStatusChanged';
	if (aspect === 'feedback') return 'feedbackChannelChanged';
	return value === CONNECTED ? 'channelConnected' : 'channelDisconnected';
}

/** The two values of the aspect `connected`. */
export const CONNECTED = '1';
export const DISCONNECTED = '0';
