import { accountLocator, feedbackChannelLocator } from '../../fields/locators';
import { optionsField } from '../../fields/options';
import { requiredUuidField } from '../../fields/uuid';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { withReply } from '../records';

/** Creates a channel: POST /api/v1/message/Configure/CreateChannel. */
export const createChannel = defineOperation({
	resource: 'channel',
	name: 'create',
	displayName: 'Create',
	action: 'Create a channel',
	description: 'Create a channel of a given type and provider in an account',
	fields: [
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. Support Inbox',
			description: 'Name of the new channel',
		},
		{
			displayName: 'Channel Type',
			name: 'channelType',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. EMAIL',
			description: 'Key of the channel type, as the service spells it',
		},
		requiredUuidField('Provider ID', 'providerId', 'UUID of the provider that runs the channel'),
		accountLocator,
		{
			displayName: 'Parameters',
			name: 'parameters',
			type: 'json',
			default: '{}',
			description: 'Configuration of the channel as a JSON object. Its fields depend on the channel type.',
		},
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [
				{
					displayName: 'Channel Status ID',
					name: 'channelStatusId',
					type: 'number',
					typeOptions: { numberPrecision: 0 },
					default: 0,
					description: 'ID of the status that the channel starts with',
				},
				{
					displayName: 'Description',
					name: 'description',
					type: 'string',
					default: '',
					placeholder: 'e.g. Mail to support@example.com',
					description: 'What the channel is for',
				},
				feedbackChannelLocator,
			],
		},
		optionsField([]),
	],
	compile(input) {
		const name = input.requiredText('name');
		const channelType = input.requiredText('channelType');
		const providerId = input.requiredUuid('providerId');
		const accountId = input.requiredUuid('accountId');
		const parameters = input.jsonObject('parameters');
		const more = input.collection('additionalFields');
		const description = more.text('description');
		const feedbackChannelId = more.uuid('feedbackChannelId');
		const channelStatusId = more.int32('channelStatusId');
		return {
			call: apiCall('post', '/api/v1/message/Configure/CreateChannel', {
				body: {
					name,
					...(description === '' ? {} : { description }),
					channelType,
					providerId,
					accountId,
					...(feedbackChannelId === undefined ? {} : { feedbackChannelId }),
					...(parameters === undefined ? {} : { parameters }),
					...(channelStatusId === undefined ? {} : { channelStatusId }),
				},
			}),
			facts: undefined,
		};
	},
	output: (body) => [withReply(body)],
});
