import { organizationLocator } from '../../fields/locators';
import { createOnce, optionsField, resendUnknown } from '../../fields/options';
import { defined } from '../../json/defined';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../../contract/any-operation';
import { presentationFields, presented, readPresentation } from '../presentation';
import { ACCOUNT } from '../simplified';

/** Creates an account: POST /api/v1/Admin/Account. */
export const createAccount = defineOperation({
	resource: 'account',
	name: 'create',
	displayName: 'Create',
	action: 'Create an account',
	description: 'Create an account, under an organization if you name one',
	fields: [
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. Customer Support',
			description: 'Name of the new account',
		},
		...presentationFields(ACCOUNT),
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [
				{
					displayName: 'Description',
					name: 'description',
					type: 'string',
					default: '',
					placeholder: 'e.g. Answers customers on all channels',
					description: 'What the account is for',
				},
				{ ...organizationLocator, description: 'The organization to create the account in' },
			],
		},
		optionsField([resendUnknown, ...createOnce]),
	],
	compile(input) {
		const name = input.requiredText('name');
		const more = input.collection('additionalFields');
		const description = more.optionalText('description');
		const organizationId = more.uuid('organizationId');
		return {
			call: apiCall('post', '/api/v1/Admin/Account', {
				body: defined({ name, description, organizationId }),
			}),
			facts: { form: readPresentation(input, ACCOUNT) },
		};
	},
	output: (body, { form }) => [presented(body, form)],
});
