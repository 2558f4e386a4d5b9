import type {
	IAuthenticateGeneric,
	ICredentialDataDecryptedObject,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { CREDENTIAL_DOCUMENTATION, CREDENTIAL_TYPE } from './credential-type';

/** The header that the service reads the key from. */
const HEADER = 'X-API-KEY';

/** Where the key goes, as data for whoever reads the credential without running it. */
const KEY_HEADER: IAuthenticateGeneric = {
	type: 'generic',
	properties: { headers: { [HEADER]: '={{ $credentials.apiKey.trim() }}' } },
};

/**
 * Puts the key where KEY_HEADER says. n8n runs a function where there is one: the expression would be evaluated in its
 * sandbox anew for every request. The headers are new ones, so that the key never stands in those of the caller.
 */
async function addKey(
	{ apiKey }: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const key = typeof apiKey === 'string' ? apiKey.trim() : '';
	return { ...options, headers: { ...options.headers, [HEADER]: key } };
}

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

	authenticate = Object.assign(addKey, KEY_HEADER);

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
