import { channelLocator } from '../../fields/locators';
import { optionsField } from '../../fields/options';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { presentationFields, presented, readPresentation } from '../presentation';
import { CHANNEL } from '../simplified';
import { parametersForm, parametersMode, readForm, refuseHidden } from './parameters';

/** Replaces the parameters of a channel: PUT /api/v1/Admin/Channel/{id}/parameters. */
export const updateChannelParameters = defineOperation({
	resource: 'channel',
	name: 'updateParameters',
	displayName: 'Update Parameters',
	action: 'Update the parameters of a channel',
	description: 'Replace the configuration parameters of a channel',
	fields: [
		channelLocator,
		parametersMode,
		parametersForm('channelId'),
		{
			displayName: 'Parameters',
			name: 'parameters',
			type: 'json',
			displayOptions: { show: { parametersMode: ['json'] } },
			required: true,
			default: '{}',
			description:
				'The new configuration as a JSON object. It replaces the current one: what you leave out is gone. Its fields depend on the channel type.',
		},
		...presentationFields(CHANNEL),
		optionsField([]),
	],
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const parameters =
			input.choice('parametersMode') === 'form'
				? readForm(input.raw('parametersForm'), input.timezone)
				: input.requiredJsonObject('parameters');
		refuseHidden(parameters);
		const form = readPresentation(input, CHANNEL);
		return {
			call: apiCall('put', '/api/v1/Admin/Channel/{id}/parameters', {
				ids: { id: channelId },
				body: { channelId, parameters },
			}),
			sources: { id: 'channelId' },
			lane: `channel ${channelId.toLowerCase()}`,
			output: (body) => [presented(body, form, { channelId })],
		};
	},
});
