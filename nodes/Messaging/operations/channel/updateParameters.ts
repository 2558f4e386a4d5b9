import { channelLocator } from '../../fields/locators';
import { parametersFields } from '../../fields/channel-parameters';
import { includeToken, optionsField } from '../../fields/options';
import { apiCall, LIST_OF } from '../../service/api-call';
import { type JsonObject, without } from '../../shared/json';
import { type CompiledCall, defineOperation } from '../operation';
import { presentationFields, recordOutput, type RecordShape, topLevel } from '../presentation';
import { CHANNEL } from './getAll';
import { parametersFrom, presentParameters } from './parameters';

/** A channel after an update: its parameters, which were changed, are among the useful fields. */
const UPDATED: RecordShape = {
	...CHANNEL,
	simple: { ...topLevel('channelId', 'name', 'parameters'), ...without(CHANNEL.simple, 'accountName') },
	more: { accountName: 'account.name', ...without(CHANNEL.more, 'parameters') },
};

/** Replaces the parameters of a channel: PUT /api/v1/Admin/Channel/{id}/parameters. */
export const updateChannelParameters = defineOperation({
	action: 'Update the parameters of a channel',
	description: 'Replace the configuration parameters of a channel',
	effect: 'changes',
	fields: [
		channelLocator,
		...parametersFields('channelId', {
			required: true,
			description:
				'The new configuration as a JSON object. It replaces the current one: fields that you leave out are removed. Its fields depend on the channel type.',
		}),
		...presentationFields(UPDATED),
		optionsField([includeToken]),
	],
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const { parameters = input.requiredJsonObject('parameters'), kept } = parametersFrom(input);
		const update = (all: JsonObject): CompiledCall => ({
			call: apiCall('put', '/api/v1/Admin/Channel/{id}/parameters', {
				ids: { id: channelId },
				body: { channelId, parameters: all },
			}),
			sources: { id: 'channelId' },
			channel: channelId.toLowerCase(),
			lane: `channel ${channelId.toLowerCase()}`,
			...recordOutput(input, UPDATED, { channelId }),
		});
		if (kept.length === 0) return update(parameters);
		return {
			...update(parameters),
			before: {
				call: LIST_OF.channel,
				isOwn: true,
				complete: (list) => update({ ...presentParameters(list, channelId, kept), ...parameters }),
			},
		};
	},
});
