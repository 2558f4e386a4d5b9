import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

import { addKey } from './api-key';
import { CREDENTIAL_DOCUMENTATION, CREDENTIAL_TYPE } from './credential-type';

/**
 * Address and key of the messaging service. The node tests it (`testedBy`): n8n's own kind of test can't tell a web
 * page from a messaging service, and says no more than ECONNREFUSED where nothing answers.
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
			description: 'Address of the messaging service. A closing /api/v1 may be left out.',
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

	// n8n runs a function where there is one: the expression would be evaluated in its sandbox for every request anew.
	authenticate = addKey;
}
