import type { INodeProperties } from 'n8n-workflow';

import { InvalidParameter } from '../input/invalid-parameter';
import type { ParameterSource } from '../input/parameter-source';
import { isEmpty } from '../input/values';
import { titleCase } from '../shared/text';

/**
 * Names that scripts and AIs write at the top of a node, and where they belong. n8n drops a name that is not declared
 * there before the node sees it: what has a once key would be sent twice, and a DELETE for some would reach all.
 */
const PLACES = {
	onceKey: '"options": { "onceKey": ... }',
	limitWaitTime: '"options": { "limitWaitTime": { "values": { ... } } }',
	approvalType: '"approvalOptions": { "values": { "approvalType": ... } }',
	subject: '"additionalFields": { "otherContent": { "subject": ... } }, if the service takes it',
	feedbackChannelId: '"additionalFields": { "feedbackChannelId": ... }',
	nameContains: '"options": { "nameContains": ... }',
	jsonBody: '"sendBody": true, "body": ...',
	bodyParameters: '"sendBody": true, "body": { ... }',
	qs: '"queryParameters": { "parameters": [{ "name": ..., "value": ... }] }',
	requestMethod: '"method": ...',
	httpMethod: '"method": ...',
} as const;

/** The hidden fields that let the node see them, to refuse them. */
export const misplacedFields = Object.keys(PLACES).map((name): INodeProperties => ({
	displayName: `Misplaced ${titleCase(name)}`,
	name,
	type: 'hidden',
	default: '',
	description: 'Has no effect here',
}));

/**
 * Refuses a node that has such a name at its top.
 *
 * @throws InvalidParameter which says where it belongs
 */
export function refuseMisplaced({ unresolved }: ParameterSource): void {
	for (const [name, place] of Object.entries(PLACES)) {
		if (isEmpty(unresolved?.(name))) continue;
		const hint = `In the JSON of the workflow, write it as ${place}.`;
		throw new InvalidParameter(name, 'is in the wrong place, where it has no effect', hint);
	}
}
