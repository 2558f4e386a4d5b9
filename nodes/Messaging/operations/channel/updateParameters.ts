import { channelLocator } from '../../fields/locators';
import { PARAMETERS_LABEL, parametersFields } from '../../fields/channel-parameters';
import { includeToken, optionsField } from '../../fields/options';
import { InvalidParameter } from '../../input/invalid-parameter';
import { apiCall, LIST_OF } from '../../service/api-call';
import { type JsonObject, without } from '../../shared/json';
import { type CompiledCall, defineOperation } from '../operation';
import { simplifiedField, recordOutput, type RecordShape, topLevel } from '../records';
import { CHANNEL } from './getAll';
import { parametersFrom, withPresent } from './parameters';

/** A channel after an update: its parameters, which were changed, are among the useful fields. */
const UPDATED: RecordShape = {
	...topLevel('channelId', 'name', 'parameters'),
	...without(CHANNEL, 'accountName'),
};

const ENTER_ONE =
	'Enter at least one parameter. If it is an expression, check that it finds a value for this item.';

/** Changes the parameters of a channel, some in the form, all with JSON: PUT /api/v1/Admin/Channel/{id}/parameters. */
export const updateChannelParameters = defineOperation({
	action: 'Update the parameters of a channel',
	description: 'Change the configuration parameters of a channel',
	effect: 'changes',
	fields: [
		channelLocator,
		...parametersFields('channelId', {
			required: true,
			valuesLabel: 'Parameters to Change',
			form: 'Enter only what changes. What is left empty keeps the value that the list of channels shows. To clear a parameter, enter its name with null under Other Fields, or use JSON.',
			json: 'The new configuration as a JSON object. It replaces the current one: fields that you leave out are removed. Its fields depend on the channel type.',
		}),
		simplifiedField,
		optionsField([includeToken]),
	],
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const entered = parametersFrom(input) ?? input.requiredJsonObject('parameters', undefined, ENTER_ONE);
		// As JSON, {} would remove all parameters, and it is what the field holds when nobody has touched it.
		if (Object.keys(entered).length === 0) {
			throw new InvalidParameter(PARAMETERS_LABEL, 'holds nothing to change', ENTER_ONE);
		}
		const update = (parameters: JsonObject): CompiledCall => ({
			call: apiCall('put', '/api/v1/Admin/Channel/{id}/parameters', {
				ids: { id: channelId },
				body: { channelId, parameters },
			}),
			channel: channelId.toLowerCase(),
			lane: `channel ${channelId.toLowerCase()}`,
			...recordOutput(input, UPDATED, { channelId }),
		});
		if (input.choice('parametersMode') === 'json') return update(entered);
		return {
			...update(entered),
			before: {
				call: LIST_OF.channel,
				isPerCall: true,
				complete: (list) => update(withPresent(entered, list, channelId)),
			},
		};
	},
});
