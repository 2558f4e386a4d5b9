import type { INodeProperties } from 'n8n-workflow';

import { titleCase } from '../shared/text';

/**
 * Names that scripts and AIs write at the top of a node, and where they belong. n8n drops a name that is not declared
 * there before the node sees it: what has a once key would be sent twice, and a DELETE for some would reach all.
 */
const PLACES = {
	onceKey: '"options": { "onceKey": ... }',
	answerOnce: '"options": { "answerOnce": true }',
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

/** Such a name that a node has, and where it belongs. */
export const misplaced = Object.entries(PLACES).map(([name, place]) => ({ name, place }));

/** The hidden fields that let the node see them, to refuse them. */
export const misplacedFields = misplaced.map(({ name }): INodeProperties => ({
	displayName: `Misplaced ${titleCase(name)}`,
	name,
	type: 'hidden',
	default: '',
	description: 'Has no effect here',
}));
