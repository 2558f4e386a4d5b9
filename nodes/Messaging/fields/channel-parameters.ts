import type { INodeProperties } from 'n8n-workflow';

import { choiceField, objectField } from './builders';

/** The ID of the field for parameters without a field of their own, as a JSON object. */
export const OTHER_FIELDS = '*';

/** What errors call the parameters of a channel. */
export const PARAMETERS_LABEL = 'Parameters';

/**
 * The fields for a channel's parameters: a form, or one JSON object.
 *
 * @param dependsOn the parameter that decides which fields the form has
 * @param json the description of the JSON object, and whether it is required
 */
export function parametersFields(
	dependsOn: 'channelType' | 'channelId',
	json: { description: string; required?: true },
) {
	return [
		choiceField({
			name: 'parametersMode',
			description: 'How to enter the configuration of the channel',
			default: 'form',
			noDataExpression: true,
			choices: {
				form: 'Fill in the fields of the channel type',
				json: 'Enter all parameters as one JSON object',
			},
		}),
		{
			displayName: PARAMETERS_LABEL,
			name: 'parametersForm',
			type: 'resourceMapper',
			noDataExpression: true,
			displayOptions: { show: { parametersMode: ['form'] } },
			default: { mappingMode: 'defineBelow', value: null },
			required: true,
			description:
				'The configuration of the channel, in the fields of its type. Secrets of the channel are not shown: their fields are empty, and keep the present values if you leave them so.',
			typeOptions: {
				loadOptionsDependsOn: [`${dependsOn}.value`],
				resourceMapper: {
					resourceMapperMethod: 'channelParameterFields',
					mode: 'add',
					valuesLabel: PARAMETERS_LABEL,
					fieldWords: { singular: 'field', plural: 'fields' },
					addAllFields: true,
					multiKeyMatch: false,
					supportAutoMap: false,
				},
			},
		},
		objectField({
			displayName: PARAMETERS_LABEL,
			name: 'parameters',
			displayOptions: { show: { parametersMode: ['json'] } },
			...json,
		}),
	] as const satisfies INodeProperties[];
}
