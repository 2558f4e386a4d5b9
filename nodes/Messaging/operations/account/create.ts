import { collectionField, textField, uuidField } from '../../fields/builders';
import { createOptions, optionsField } from '../../fields/options';
import { defined } from '../../shared/json';
import { apiCall, type Schemas } from '../../service/api-call';
import { defineOperation } from '../operation';
import { simplifiedField, recordOutput } from '../records';
import { ACCOUNT } from './getAll';

/** Creates an account: POST /api/v1/Admin/Account. */
export const createAccount = defineOperation({
	action: 'Create an account',
	description: 'Create an account, optionally in an organization',
	effect: 'changes',
	fields: [
		textField({
			name: 'name',
			description: 'Name of the new account',
			placeholder: 'Customer Support',
			required: true,
		}),
		simplifiedField,
		collectionField('additionalFields', [
			textField({
				name: 'description',
				description: 'What the account is for',
				placeholder: 'Answers customers on all channels',
			}),
			uuidField({
				name: 'organizationId',
				description:
					'UUID of the organization to create the account in. Account > Get Many shows it as organizationId.',
			}),
		]),
		optionsField([...createOptions]),
	],
	compile(input) {
		const more = input.collection('additionalFields');
		const body = defined<Schemas['CreateAccount']>({
			name: input.requiredText('name'),
			description: more.text('description') || undefined,
			organizationId: more.uuid('organizationId'),
		});
		return {
			call: apiCall('post', '/api/v1/Admin/Account', { body }),
			fingerprint: () => JSON.stringify(body),
			...recordOutput(input, ACCOUNT),
		};
	},
});
