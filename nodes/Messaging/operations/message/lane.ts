import type { Schemas } from '../../service/interface-types';

/** Messages to one address of a channel are one conversation: their order matters. A name is no part of an address. */
export function laneOf(channelId: string, to: Schemas['Address'] = {}): string {
	const { name: _, ...address } = to;
	const parts = Object.entries(address).map((part) => JSON.stringify(part));
	return `chat ${channelId} ${parts.sort().join()}`.toLowerCase();
}
