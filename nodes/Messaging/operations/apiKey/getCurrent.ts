import { includeToken, optionsField } from '../../fields/options';
import type { Input } from '../../input/input';
import { ME } from '../../service/plan';
import { type CompiledCall, defineOperation } from '../operation';
import { pick, simplifyField, topLevel, withReply } from '../records';

/** The paths of a simplified API key's fields in the raw one. */
const SIMPLE_API_KEY = {
	apiKeyId: 'id',
	...topLevel('name', 'type', 'accountId'),
	accountName: 'account.name',
	organizationId: 'organizationId',
	planLimit: 'resourcePlan.limit',
	planSeconds: 'resourcePlan.seconds',
	...topLevel('description', 'createdAt'),
};

export const apiKeyOptions = optionsField([includeToken, simplifyField]);

/** The API key in the answer, as the options say. */
export function apiKeyOutput(item: Pick<Input<[]>, 'part'>): Pick<CompiledCall, 'output' | 'showToken'> {
	const options = item.part([apiKeyOptions]).collection('options');
	const simplify = options.flag('simplify');
	return {
		showToken: options.flag('includeToken'),
		output: (body) => [simplify ? pick(body, SIMPLE_API_KEY) : withReply(body)],
	};
}

/** Shows the key in use: GET /api/v1/Me. */
export const getCurrentApiKey = defineOperation({
	action: 'Get the current API key',
	description: 'Show the API key in use: its account, its type and its resource plan',
	effect: 'reads',
	fields: [apiKeyOptions],
	compile: (input) => ({ call: ME, ...apiKeyOutput(input) }),
});
