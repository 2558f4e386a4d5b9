import {
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../credentials/api-key';
import * as listSearch from './methods/searches';
import { testCredential } from './methods/test-credential';
import { onPoll } from './trigger/poll';
import { triggerFields, triggerDropped } from './trigger/watch';

/** One plain connection for the items that come out. */
const OUTPUTS = [NodeConnectionTypes.Main];

export class MessagingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Unified Messaging Trigger',
		name: 'messagingTrigger',
		icon: { light: 'file:../../icons/messaging.svg', dark: 'file:../../icons/messaging.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ $parameter["events"].map((event) => event.replace(/[A-Z]/g, " $&").toLowerCase()).join(", ") }}',
		// The node panel shows the two nodes as one, with this description.
		description:
			'Watch channels to start a workflow when one drops or comes back, or send messages and manage channels',
		defaults: { name: 'Unified Messaging Trigger' },
		polling: true,
		builderHint: {
			searchHint:
				'Starts when a channel of a messaging service drops, comes back, is created or removed, or changes its status. It does not receive messages: for those, use a Webhook node that the service calls.',
		},
		inputs: [],
		outputs: OUTPUTS,
		credentials: [{ name: CREDENTIAL_TYPE, required: true, testedBy: 'testCredential' }],
		properties: [...triggerFields, ...triggerDropped.fields],
	};

	methods = {
		credentialTest: { testCredential },
		listSearch: { ...listSearch },
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await onPoll(this);
	}
}
