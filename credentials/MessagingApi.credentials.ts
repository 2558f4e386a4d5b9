import type {
	IAuthenticateGeneric,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

import { CREDENTIAL_DOCUMENTATION, CREDENTIAL_TYPE } from './credential-type';

/** Address and key of the messaging service. */
export class MessagingApi implements ICredentialType {
	name = CREDENTIAL_TYPE;

	displayName = 'Unified Messaging API';

	documentationUrl = CREDENTIAL_DOCUMENTATION;

	icon: Icon = { light: 'file:../icons/messaging.svg', dark: 'file:../icons/messaging.dark.svg' };

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://messaging.example.com',
			description: 'Address of the messaging service, without /api/v1',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'e.g. acc_... or org_...',
			description:
				'Key of one account (begins with acc_) or of a whole organization (begins with org_). The service shows it once, when it is created.',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { 'X-API-KEY': '={{ $credentials.apiKey.trim() }}' } },
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "") }}',
			url: '/api/v1/Me',
			headers: { Accept: 'application/json; v=1.0' },
			disableFollowRedirect: true,
		},
		rules: [
			{
				type: 'responseCode',
				properties: {
					value: 401,
					message:
						'The service does not accept this API key. Check it for missing characters; a revoked key never works again.',
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 404,
					message: 'Nothing answers at /api/v1/Me. Check the Base URL: it ends before /api/v1.',
				},
			},
		],
	};
}
