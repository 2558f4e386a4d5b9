import type { INodeParameters } from 'n8n-workflow';

import { workerNameVariable } from '../../dev/harness/queue/worker.mts';
import type { StoredCredential, WorkflowFile } from '../../dev/harness/n8n/api.mts';
import {
	byId,
	messagingType,
	names,
	node,
	webhookWorkflow,
	withCredential,
} from '../../dev/harness/workflows.mts';

/** How much is sent: so many events, each with so many messages. */
export interface Load {
	readonly events: number;
	readonly messages: number;
}

/** What another application posts to the workflow's webhook. */
export interface AppEvent {
	readonly id: string;
	readonly messages: ReadonlyArray<{ readonly id: string; readonly to: string }>;
}

/** Options that make each message's id its once key. */
export const withKey: INodeParameters = { onceKey: '={{ $json.id }}' };

/** The events of a load. Every message has a different id and recipient. */
export const eventsOf = ({ events, messages }: Load): AppEvent[] =>
	Array.from({ length: events }, (_event, n) => ({
		id: `e${n}`,
		messages: Array.from({ length: messages }, (_message, m) => ({
			id: `e${n}-${m}`,
			to: `e${n}-${m}@example.com`,
		})),
	}));

/**
 * A workflow started by a webhook for each event, which sends the event's messages. The text of a message is its id, and
 * its correlation ID names the worker that sent it. The webhook answers with the id of the execution.
 *
 * @param path of the webhook
 * @param options of the node, such as `{ onceKey: '={{ $json.id }}' }`
 */
export const eventWorkflow = (
	path: string,
	credential: StoredCredential,
	channelId: string,
	options: INodeParameters,
): WorkflowFile => {
	const send = {
		...node(names.messaging, messagingType, 2, {
			resource: 'message',
			operation: 'send',
			channelId: byId(channelId),
			toEmail: '={{ $json.to }}',
			text: '={{ $json.id }}',
			additionalFields: { correlationId: `={{ $env.${workerNameVariable} }}` },
			options,
		}),
		...withCredential(credential),
		onError: 'continueErrorOutput' as const,
	};
	const answering = { responseMode: 'onReceived', options: { responseData: '={{ $execution.id }}' } };
	return webhookWorkflow(path, 'messages', send, answering);
};
