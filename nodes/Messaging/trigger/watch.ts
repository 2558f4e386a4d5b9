import { choiceField, choicesIn, collectionField, numberField } from '../fields/builders';
import { droppedNamesOf } from '../fields/dropped-names';
import { accountFilter, channelFilter, channelTypeFilter } from '../fields/locators';
import { queryParameters } from '../fields/options';
import { Input } from '../input/input';
import type { ParameterSource } from '../input/parameter-source';
import { InvalidParameter } from '../input/invalid-parameter';
import type { Properties } from '../input/parameter-types';
import { described } from '../input/values';
import type { Service } from '../service/connect';
import { type Channel, channelKey } from './channels';

/** The fields of the trigger. n8n adds the field for the poll times. */
export const triggerFields = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		options: choicesIn({
			channelConnected: 'A channel was disconnected and is connected again',
			channelCreated: 'A new channel is in the list',
			channelDisconnected: 'A channel was connected and is now disconnected',
			channelRemoved: 'A channel is no longer in the list, or is deleted for good',
			channelStatusChanged: 'The status of a channel has changed, for example from active to suspended',
			feedbackChannelChanged: 'The feedback channel of a channel has changed or was removed',
		}),
		default: ['channelConnected', 'channelDisconnected'],
		description:
			'The changes that start the workflow. Choose both Channel Disconnected and Channel Connected to get an alarm and its all-clear.',
	},
	channelFilter,
	accountFilter,
	channelTypeFilter,
	collectionField('options', [
		choiceField({
			name: 'firstPoll',
			description: 'What to do with the channels that exist when the workflow is first activated',
			default: 'remember',
			choices: {
				remember: 'Only remember the present state. Changes after that start the workflow.',
				report:
					'Treat the present state as new. The first poll gives an item for each channel and each chosen event that matches it.',
			},
		}),
		numberField({
			name: 'holdFor',
			description:
				'How many polls in a row must find a change before it counts. With 2 or more, a channel that is back by the next poll causes no alarm.',
			default: 1,
			typeOptions: { minValue: 1 },
		}),
		queryParameters,
	]),
] as const satisfies Properties;

/** The names that n8n would drop. */
export const triggerDropped = droppedNamesOf([triggerFields]);

/** The changes of a channel that the trigger reports, by their names in saved workflows. */
export type EventName = (typeof triggerFields)[0]['options'][number]['value'];

/** The settings of the trigger. */
export type Watch = Readonly<ReturnType<typeof readWatch>>;

/** The query parameters with which the list is requested. */
export function queryIn(source: ParameterSource): Array<[name: string, value: string]> {
	return new Input(triggerFields, source).collection('options').rows('queryParameters');
}

/** Reads the settings of the trigger. */
export function readWatch(source: ParameterSource, { id }: Pick<Service, 'id'>) {
	const input = new Input(triggerFields, source);
	for (const name of ['channelId', 'accountId', 'channelType'] as const) {
		// Without a value, it would watch all channels.
		const hint = 'Correct the expression, or leave the field empty to watch all.';
		if (input.isEntered(name)) input.requiredText(name, hint);
	}
	const options = input.collection('options');
	const filter = {
		/** Which channels are watched, as `channelKey` spells them; '' for all. The same holds for the account's. */
		channelId: channelKey(input.uuid('channelId') ?? ''),
		accountId: channelKey(input.uuid('accountId') ?? ''),
		/** In lower case; '' for all. */
		channelType: input.text('channelType').trim().toLowerCase(),
	};
	const events = readEvents(input.raw('events'), input.label('events'));
	return {
		...filter,
		events,
		/** How many polls in a row must find a change before it is reported. */
		holdFor: options.numberOrDefault('holdFor'),
		/** Whether the first poll reports the channels that it finds. */
		reportsFirst: options.choice('firstPoll') === 'report',
		/**
		 * Identifies service, key, query, filter and events. After it changes, a channel that is new in the list or missing
		 * was not created or removed just now. The beginning of the hash is too short to reveal the key.
		 */
		scope: [id.slice(0, 6), ...Object.values(filter), ...queryIn(source).flat(), ...events].join(' '),
	};
}

function readEvents(chosen: unknown, label: string): ReadonlySet<EventName> {
	const names: readonly unknown[] = triggerFields[0].options.map(({ value }) => value);
	const wrong: unknown = Array.isArray(chosen) ? chosen.find((name) => !names.includes(name)) : chosen;
	if (Array.isArray(chosen) && chosen.length > 0 && wrong === undefined)
		return new Set(chosen as EventName[]);
	throw new InvalidParameter(
		label,
		`needs a list of its events, but ${described(wrong)}`,
		`Choose at least one event. An expression must give a list of some of these: ${names.join(', ')}. To receive messages, use a Webhook node, then Message > Reply.`,
	);
}

/**
 * Whether a channel is watched.
 *
 * @param isKnown whether it was watched before. If so, it stays watched when the service does not show its account or
 *   type
 */
export function isWatched(watch: Watch, key: string, channel: Channel, isKnown: boolean): boolean {
	const { channelId, accountId, channelType } = watch;
	const account = channelKey(channel.account.id);
	const { name, key: typeKey } = channel.type;
	const types = [name, typeKey].filter(Boolean).map((type) => type.toLowerCase());
	if (channelId !== '' && channelId !== key) return false;
	if (accountId !== '' && account !== accountId && !(isKnown && account === '')) return false;
	return channelType === '' || types.includes(channelType) || (isKnown && types.length === 0);
}
