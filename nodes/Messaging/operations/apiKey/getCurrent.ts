import { includeToken, optionsField } from '../../fields/options';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { simplifyField } from '../presentation';
import { pick, withReply } from '../records';

/** The paths of a simplified API key's fields in the raw one. */
export const SIMPLE_API_KEY = {
	apiKeyId: 'id',
	name: 'name',
	type: 'type',
	accountId: 'accountId',
	accountName: 'account.name',
	organizationId: 'organizationId',
	planLimit: 'resourcePlan.limit',
	planSeconds: 'resourcePlan.seconds',
	description: 'description',
	createdAt: 'createdAt',
} as const;

/** Shows the key in use: GET /api/v1/Me. */
export const getCurrentApiKey = defineOperation({
	resource: 'apiKey',
	name: 'getCurrent',
	action: 'Get the current API key',
	description: 'Show the API key in use: its account, its type and its resource plan',
	effect: 'reads',
	fields: [optionsField([includeToken, simplifyField])],
	compile(input) {
		const options = input.collection('options');
		const simplify = options.flag('simplify');
		return {
			call: apiCall('get', '/api/v1/Me', {}),
			showToken: options.flag('includeToken'),
			output: (body) => [simplify ? pick(body, SIMPLE_API_KEY) : withReply(body)],
		};
	},
});
