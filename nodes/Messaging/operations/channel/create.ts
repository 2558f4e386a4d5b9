import { collectionField, numberField, textField } from '../../fields/builders';
import {
	accountLocator,
	channelTypeLocator,
	feedbackChannelLocator,
	providerLocator,
} from '../../fields/locators';
import { parametersFields } from '../../fields/channel-parameters';
import { createOptions, includeToken, optionsField } from '../../fields/options';
import { defined } from '../../shared/json';
import { apiCall, type Schemas } from '../../service/api-call';
import { defineOperation } from '../operation';
import { simplifiedField, recordOutput } from '../records';
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
			form: 'The configuration of the channel, in the fields of its type',
			json: 'Configuration of the channel as a JSON object. Its fields depend on the channel type.',
		}),
		simplifiedField,
		collectionField('additionalFields', [
			numberField({
				name: 'channelStatusId',
				description:
					'Number of the status that the channel starts with. With Simplify off, Channel > Get Many shows it as channelStatusId in the status of each channel.',
			}),
			textField({
				name: 'description',
				description: 'What the channel is for',
				placeholder: 'Mail to support@example.com',
			}),
			feedbackChannelLocator,
		]),
		optionsField([includeToken, ...createOptions]),
	],
	compile(input) {
		const more = input.collection('additionalFields');
		const name = input.requiredText('name');
		const channelType = input.requiredText('channelType');
		const accountId = input.requiredUuid('accountId');
		const body = defined<Schemas['CreateChannel']>({
			name,
			description: more.text('description') || undefined,
			channelType,
			providerId: input.requiredUuid('providerId'),
			accountId,
			// Without it, what customers write would go nowhere, and nobody would notice.
			feedbackChannelId: more.isEntered('feedbackChannelId')
				? more.requiredUuid('feedbackChannelId')
				: undefined,
			parameters: parametersFrom(input),
			channelStatusId: more.number('channelStatusId'),
		});
		return {
			call: apiCall('post', '/api/v1/message/Configure/CreateChannel', { body }),
			fingerprint: () => JSON.stringify(body),
			...recordOutput(input, CHANNEL),
		};
	},
});
