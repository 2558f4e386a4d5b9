import { accountFilter, channelFilter, channelTypeFilter } from '../fields/locators';
import type { Properties } from '../fields/parameter-types';

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
