import {
	accountLocator,
	channelStatusLocator,
	channelTypeLocator,
	feedbackChannelLocator,
	providerLocator,
} from '../../fields/locators';
import { createOnce, optionsField, whenUnknown } from '../../fields/options';
import { defined } from '../../shared/json';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { presentationFields, presented, readPresentation } from '../presentation';
import { CHANNEL } from '../simplified';
import { parametersForm, parametersMode, readForm, refuseHidden } from './parameters';

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
		channelTypeLocator,
		providerLocator,
		accountLocator,
		parametersMode,
		parametersForm('channelType'),
		{
			displayName: 'Parameters',
			name: 'parameters',
			type: 'json',
			displayOptions: { show: { parametersMode: ['json'] } },
			default: '{}',
			description: 'Configuration of the channel as a JSON object. Its fields depend on the channel type.',
		},
		...presentationFields(CHANNEL),
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [
				channelStatusLocator,
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
		optionsField([whenUnknown, ...createOnce]),
	],
	compile(input) {
		const name = input.requiredText('name');
		const channelType = input.requiredText('channelType');
		const providerId = input.requiredUuid('providerId');
		const accountId = input.requiredUuid('accountId');
		const parameters =
			input.choice('parametersMode') === 'form'
				? readForm(input.raw('parametersForm'), input.timezone)
				: input.jsonObject('parameters');
		refuseHidden(parameters);
		const more = input.collection('additionalFields');
		const description = more.optionalText('description');
		const feedbackChannelId = more.uuid('feedbackChannelId');
		const channelStatusId = more.int32('channelStatusId');
		const form = readPresentation(input, CHANNEL);
		const body = defined({
			name,
			description,
			channelType,
			providerId,
			accountId,
			feedbackChannelId,
			parameters,
			channelStatusId,
		});
		return {
			call: apiCall('post', '/api/v1/message/Configure/CreateChannel', {
				body,
			}),
			fingerprint: () => JSON.stringify(body),
			output: (body) => [presented(body, form)],
		};
	},
});
