import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { addKey, CREDENTIAL_DOCUMENTATION, CREDENTIAL_TYPE } from './api-key';

/**
 * Address and key of the messaging service. The node tests it (`testedBy`), because n8n's declarative test accepts a web
 * page and reports only ECONNREFUSED if nothing answers.
 */
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
			description: 'Address of the messaging service, with or without /api/v1 at the end',
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
				'Key of an account (starts with acc_) or of an organization (starts with org_). The service shows it only once, when it is created.',
		},
		{
			displayName: 'Add Custom Header',
			name: 'header',
			type: 'boolean',
			default: false,
			description:
				'Whether to send another header with each request. For a gateway in front of the service that asks for a key of its own.',
		},
		{
			displayName: 'Header Name',
			name: 'headerName',
			type: 'string',
			displayOptions: { show: { header: [true] } },
			default: '',
			placeholder: 'e.g. Ocp-Apim-Subscription-Key',
			description: 'Name of the header that the gateway asks for',
		},
		{
			displayName: 'Header Value',
			name: 'headerValue',
			type: 'string',
			typeOptions: { password: true },
			displayOptions: { show: { header: [true] } },
			default: '',
			placeholder: 'e.g. 1a2b3c4d5e6f',
			description: 'What the gateway expects in it. It is hidden everywhere, as the API key is.',
		},
	];

	// A function, because n8n would evaluate an expression in its sandbox for every request.
	authenticate = addKey;
}
