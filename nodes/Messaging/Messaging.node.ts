import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../credentials/api-key';
import { answerQuestion, answerWebhooks, waitingTooltip } from './question/answer';
import { execute } from './execute';
import { channelParameterFields } from './methods/form/channel-parameters';
import * as listSearch from './methods/searches';
import { testCredential } from './methods/test-credential';
import { findOperation, nodeProperties, subtitle } from './operations';

/** One plain connection for items, in and out. */
const ITEMS = [NodeConnectionTypes.Main];

export class Messaging implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Unified Messaging',
		name: 'messaging',
		icon: { light: 'file:../../icons/messaging.svg', dark: 'file:../../icons/messaging.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle,
		description: 'Send, edit and delete messages, and manage channels, outboxes, accounts and API keys',
		defaults: { name: 'Unified Messaging' },
		usableAsTool: true,
		inputs: ITEMS,
		outputs: ITEMS,
		credentials: [{ name: CREDENTIAL_TYPE, required: true, testedBy: 'testCredential' }],
		webhooks: answerWebhooks,
		waitingNodeTooltip: waitingTooltip,
		// n8n can hide these in executions. The items that go on are not changed.
		sensitiveOutputFields: ['apiKey', 'token', 'curlCommand'],
		builderHint: {
			searchHint:
				'Sends WhatsApp, SMS, e-mail and other messages through the channels of a messaging service; not for sending e-mail over SMTP. Set the option "Send Only Once Per" (options.onceKey) to an expression for what identifies the event or row, such as expr("{{ $json.orderNumber }}"): then retries and repeated events send no duplicates. To ask a person and wait for the answer, use the operation "Send and Wait for Response" (sendAndWait).',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-base.webhook',
					relationHint:
						'Receives the messages that come in: the service calls it. Answer them with Message: Reply',
				},
				{
					nodeType: 'n8n-nodes-base.dataTable',
					relationHint: 'Holds what is to be sent, and how it ended: row ID as options.onceKey',
				},
			],
		},
		properties: nodeProperties(),
	};

	methods = {
		credentialTest: { testCredential },
		listSearch: { ...listSearch },
		resourceMapping: { channelParameterFields },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		// If the saved resource does not exist, n8n finds no operation either and throws without a fallback value.
		const resource = this.getNodeParameter('resource', 0, '');
		const name = this.getNodeParameter('operation', 0, '');
		return await execute(this, findOperation(resource, name));
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await answerQuestion(this);
	}
}
