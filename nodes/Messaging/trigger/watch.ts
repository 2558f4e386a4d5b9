import { createHash } from 'node:crypto';

import { accountFilter, channelFilter, channelTypeFilter } from '../fields/locators';
import { Input, type ParameterSource } from '../input/input';
import { InvalidParameter } from '../input/invalid-parameter';
import type { Properties } from '../input/parameter-types';
import { shown } from '../input/values';
import type { Service } from '../service/connect';
import { type Channel, keyOf } from './channels';

/** The fields of the trigger; when to poll is a field of n8n's own. */
export const triggerFields = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		options: [
			{
				name: 'Channel Connected',
				value: 'channelConnected',
				description: 'A channel that was not connected is connected again',
			},
			{
				name: 'Channel Created',
				value: 'channelCreated',
				description: 'A channel is in the list that was not there before',
			},
			{
				name: 'Channel Disconnected',
				value: 'channelDisconnected',
				description: 'A channel that was connected is not connected any more',
			},
			{
				name: 'Channel Removed',
				value: 'channelRemoved',
				description: 'A channel is not in the list any more, or is deleted for good',
			},
			{
				name: 'Channel Status Changed',
				value: 'channelStatusChanged',
				description: 'The status of a channel is another one, such as suspended instead of active',
			},
			{
				name: 'Feedback Channel Changed',
				value: 'feedbackChannelChanged',
				description: 'A channel has another feedback channel, or none any more',
			},
		],
		default: ['channelConnected', 'channelDisconnected'],
		description:
			'The changes to start the workflow for. With both Channel Disconnected and Channel Connected an alarm has its all-clear.',
	},
	channelFilter,
	accountFilter,
	channelTypeFilter,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			{
				displayName: 'First Poll',
				name: 'firstPoll',
				type: 'options',
				options: [
					{
						name: 'Remember',
						value: 'remember',
						description: 'Only look at how things are: what changes from then on starts the workflow',
					},
					{
						name: 'Report',
						value: 'report',
						description:
							'What is found counts as having just changed: the first poll gives an item for each channel and each chosen event that fits it',
					},
				],
				default: 'remember',
				description: 'What to do with the channels that are there when the workflow is first activated',
			},
			{
				displayName: 'Hold For',
				name: 'holdFor',
				type: 'number',
				typeOptions: { minValue: 1, numberPrecision: 0 },
				default: 1,
				description:
					'How many polls in a row must find a change until it counts. With 2 or more, a channel that is back by the next poll raises no alarm.',
			},
		],
	},
] as const satisfies Properties;

/** The changes of a channel that the trigger reports, by their names in saved workflows. */
export type EventName = (typeof triggerFields)[0]['options'][number]['value'];

/** What the trigger is set to look for. */
export interface Watch {
	/** The events to report. */
	readonly events: ReadonlySet<EventName>;
	/** How many polls in a row must find a change until it counts. */
	readonly holdFor: number;
	/** Whether the very first poll reports what it finds. */
	readonly reportsFirst: boolean;
	readonly filter: ChannelFilter;
	/**
	 * The same for the same service, key and filter; a short hash. With another one, that a channel is in the list or
	 * missing says nothing about what happened to it.
	 */
	readonly scope: string;
}

/** Which channels are watched; '' lets all through. */
export interface ChannelFilter {
	/** As `keyOf` writes it, as is the account's. */
	readonly channelId: string;
	readonly accountId: string;
	/** In lower case. */
	readonly channelType: string;
}

/**
 * Reads what the trigger is set to look for.
 *
 * @throws InvalidParameter when a field holds something that it can't
 */
export function readWatch(source: ParameterSource, { id }: Pick<Service, 'id'>): Watch {
	const input = new Input(triggerFields, source);
	const options = input.collection('options');
	const holdFor = options.int32('holdFor') ?? 1;
	if (holdFor < 1) {
		throw new InvalidParameter(
			options.label('holdFor'),
			`needs a number from 1 up, but it is ${holdFor}`,
			'Correct it, or remove the option.',
		);
	}
	const filter = {
		channelId: keyOf(input.uuid('channelId') ?? ''),
		accountId: keyOf(input.uuid('accountId') ?? ''),
		channelType: input.text('channelType').trim().toLowerCase(),
	};
	return {
		events: readEvents(input.raw('events') ?? [], input.label('events')),
		holdFor,
		reportsFirst: options.choice('firstPoll') === 'report',
		filter,
		scope: shortHash(JSON.stringify([id, filter])),
	};
}

function readEvents(chosen: unknown, label: string): ReadonlySet<EventName> {
	const names: readonly EventName[] = triggerFields[0].options.map(({ value }) => value);
	const hint = `Choose one event at least, or have the expression give a list of some of these: ${names.join(', ')}.`;
	if (!Array.isArray(chosen)) throw new InvalidParameter(label, `needs a list, but ${shown(chosen)}`, hint);
	const events = new Set<EventName>();
	for (const name of chosen as unknown[]) {
		const event = names.find((candidate) => candidate === name);
		if (event === undefined) throw new InvalidParameter(label, `has no such event: ${shown(name)}`, hint);
		events.add(event);
	}
	if (events.size === 0) throw new InvalidParameter(label, 'is empty', hint);
	return events;
}

/** It is saved with the workflow: far too short to find a key by. */
function shortHash(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/**
 * Whether a channel is watched.
 *
 * @param isKnown whether it was watched before: one whose account or type the service does not show this time stays
 */
export function isWatched(filter: ChannelFilter, key: string, channel: Channel, isKnown: boolean): boolean {
	const { channelId, accountId, channelType } = filter;
	const { typeNames } = channel;
	const account = keyOf(channel.facts.accountId ?? '');
	if (channelId !== '' && channelId !== key) return false;
	if (accountId !== '' && account !== accountId && !(isKnown && account === '')) return false;
	return channelType === '' || typeNames.includes(channelType) || (isKnown && typeNames.length === 0);
}
