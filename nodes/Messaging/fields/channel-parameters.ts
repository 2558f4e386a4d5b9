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
 * @param own the descriptions of the form and of the JSON object, what stands above the form in the editor, and whether
 *   the JSON object is required
 */
export function parametersFields(
	dependsOn: 'channelType' | 'channelId',
	{
		form,
		json,
		valuesLabel = PARAMETERS_LABEL,
		...more
	}: { form: string; json: string; valuesLabel?: string; required?: true },
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
			description: form,
			typeOptions: {
				loadOptionsDependsOn: [`${dependsOn}.value`],
				resourceMapper: {
					resourceMapperMethod: 'channelParameterFields',
					mode: 'add',
					valuesLabel,
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
			description: json,
			displayOptions: { show: { parametersMode: ['json'] } },
			...more,
		}),
	] as const satisfies INodeProperties[];
}
