import { collectionField, textField } from '../../fields/builders';
import {
	accountLocator,
	channelStatusLocator,
	channelTypeLocator,
	feedbackChannelLocator,
	providerLocator,
} from '../../fields/locators';
import { parametersFields } from '../../fields/channel-parameters';
import { createOnce, includeToken, optionsField, whenUnknown } from '../../fields/options';
import { defined } from '../../shared/json';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { presentationFields, recordOutput } from '../presentation';
import { CHANNEL } from './getAll';
import { parametersFrom } from './parameters';

/** Creates a channel: POST /api/v1/message/Configure/CreateChannel. */
export const createChannel = defineOperation({
	action: 'Create a channel',
	description: 'Create a channel of a given type and provider in an account',
	effect: 'changes',
	fields: [
		textField({
			name: 'name',
			description: 'Name of the new channel',
			placeholder: 'Support Inbox',
			required: true,
		}),
		channelTypeLocator,
		providerLocator,
		accountLocator,
		...parametersFields('channelType', {
			description: 'Configuration of the channel as a JSON object. Its fields depend on the channel type.',
		}),
		...presentationFields(CHANNEL),
		collectionField('additionalFields', [
			channelStatusLocator,
			textField({
				name: 'description',
				description: 'What the channel is for',
				placeholder: 'Mail to support@example.com',
			}),
			feedbackChannelLocator,
		]),
		optionsField([includeToken, whenUnknown, ...createOnce]),
	],
	compile(input) {
		const more = input.collection('additionalFields');
		const body = defined({
			name: input.requiredText('name'),
			description: more.text('description') || undefined,
			channelType: input.requiredText('channelType'),
			providerId: input.requiredUuid('providerId'),
			accountId: input.requiredUuid('accountId'),
			// Without it, what customers write would go nowhere, and nobody would notice.
			feedbackChannelId: more.isEntered('feedbackChannelId')
				? more.requiredUuid('feedbackChannelId')
				: undefined,
			parameters: parametersFrom(input),
			channelStatusId: more.int32('channelStatusId'),
		});
		return {
			call: apiCall('post', '/api/v1/message/Configure/CreateChannel', { body }),
			fingerprint: () => JSON.stringify(body),
			...recordOutput(input, CHANNEL),
		};
	},
});
