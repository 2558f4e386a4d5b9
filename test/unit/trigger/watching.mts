import type { IDataObject } from 'n8n-workflow';

import { asText } from '../../../dev/harness/as-text.mts';

import { readChannels } from '../../../nodes/Messaging/trigger/channels.ts';
import { compare } from '../../../nodes/Messaging/trigger/compare.ts';
import { fromStored, type Memory, toStored } from '../../../nodes/Messaging/trigger/memory.ts';
import { itemOf } from '../../../nodes/Messaging/trigger/item.ts';
import {
	type EventName,
	readWatch,
	triggerFields,
	type Watch,
} from '../../../nodes/Messaging/trigger/watch.ts';

/** Every event of the trigger. */
export const allEvents: readonly EventName[] = triggerFields[0].options.map(({ value }) => value);

/** The parameters of a trigger that differ from the defaults. */
export interface Parameters {
	events?: unknown;
	channelId?: unknown;
	accountId?: unknown;
	channelType?: unknown;
	options?: { holdFor?: number; firstPoll?: string };
}

/** What a trigger with these parameters watches; default: all events. */
export function watchOf(parameters: Parameters = {}, service = { id: 'the service and the key' }): Watch {
	const values: Record<string, unknown> = { events: allEvents, ...parameters };
	const standard = (name: string) => triggerFields.find((field) => field.name === name)?.default;
	return readWatch(
		{ read: (name) => values[name] ?? standard(name), timezone: 'UTC', caller: { callId: '' } },
		service,
	);
}

/** The UUID of the n-th channel of a test. */
export const idOf = (n: number): string => `abcdef00-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A channel as the service lists it. */
export function record(n: number, changes: Record<string, unknown> = {}): Record<string, unknown> {
	return {
		channelId: idOf(n),
		feedbackChannelId: null,
		name: `Channel ${n}`,
		accountId: idOf(900),
		channelType: { key: 'EMAIL', name: 'E-mail' },
		status: { channelStatusId: 1, name: 'Active', isTerminalDeletionState: false },
		isConnected: true,
		createdAt: '2026-01-01T00:00:00Z',
		stateUpdatedAt: '2026-02-01T00:00:00Z',
		...changes,
	};
}

/** This many channels, all connected. */
export const records = (count: number) => Array.from({ length: count }, (_, n) => record(n));

/** Polls one after the other, with the static data kept in between. */
export class Poller {
	memory: Memory | undefined;

	polls = 0;

	constructor(public watch: Watch = watchOf()) {}

	/** A poll that receives this body, and the items that it returns. */
	async poll(body: unknown[]): Promise<IDataObject[]> {
		const list = readChannels(body);
		this.polls += 1;
		const { changes, memory } = compare(this.memory, list, this.watch, momentOf(this.polls));
		this.memory = memory;
		return changes.map((change) => itemOf(change).json);
	}

	/** A poll's result in short: which event of which channel. */
	async events(body: unknown[]): Promise<string[]> {
		const items = await this.poll(body);
		return items.map(({ event, channelId }) => `${asText(event)} ${numberOf(channelId)}`);
	}

	/** Saves the static data and loads it again, as a restart of n8n does. */
	async restart(): Promise<void> {
		if (this.memory === undefined) return;
		this.memory = fromStored(JSON.parse(JSON.stringify(toStored(this.memory))));
		if (this.memory === undefined) throw new Error('What was saved could not be read');
	}
}

/** The time of a poller's n-th poll. */
export const momentOf = (poll: number): string => new Date(Date.UTC(2026, 2, 1, 0, poll)).toISOString();

const numberOf = (channelId: unknown): number => Number(String(channelId).slice(-12));
