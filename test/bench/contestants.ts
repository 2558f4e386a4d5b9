/** The nodes that are compared, each sending the same messages to the same server. */
import type { INode, INodeParameters } from 'n8n-workflow';
import type { StoredCredential } from '../engine/protocol.ts';
import {
	messagingType,
	node,
	nodeName,
	startName,
	startNode,
	storedCredential,
	workflow,
} from '../engine/workflow.ts';
import type { EngineTask } from './bench-engine.ts';
import type { Message } from './messages.ts';

/** What a contestant sends, and where. */
export interface Shipment {
	url: string;
	/** Fresh for every run, so that a run knows nothing from the one before it. */
	apiKey: string;
	messages: readonly Message[];
	/** Whether the text is an expression too; the address always is. */
	computedText: boolean;
	/** Whether event loop, heap and CPU are watched. */
	measure?: boolean;
	/** The channel to send through, where it matters. */
	channelId?: string;
}

/** One node with its parameters. */
export interface Contestant {
	readonly name: string;
	/** The run that sends a shipment with this node. */
	run(shipment: Shipment): EngineTask;
}

const anyChannelId = '7b0c0d7e-54d5-4a7e-9d0a-5f6f3c1f7a10';
const path = '/api/v1/message/SendMessage';
const staticText = 'Your order is on its way';
const computedText = "$json.name + ' ' + $now";

/** This package's node. */
export function thisNode(name: string, options: INodeParameters = {}): Contestant {
	return {
		name,
		run: (shipment) =>
			alone(shipment, {
				...node(nodeName, messagingType, {
					resource: 'message',
					operation: 'send',
					channelId: { __rl: true, mode: 'id', value: shipment.channelId ?? anyChannelId },
					toEmail: '={{ $json.email }}',
					text: shipment.computedText ? `={{ ${computedText} }}` : staticText,
					options,
				}),
				credentials: { messagingApi: { id: 'credential-1', name: 'Messaging key' } },
			}),
	};
}

/** This node with its default settings. */
export const thisNodeByDefault = thisNode('This node');

/** This node, told to have one request under way. */
export const thisNodeOneAtATime = thisNode('This node, Max Concurrency 1', { maxConcurrency: 1 });

/** n8n's HTTP Request node: all requests at once. The key stands in a header, which costs least. */
export const httpRequestNodeWithHeader: Contestant = {
	name: 'HTTP Request node, key in a header',
	run: (shipment) => alone(shipment, { ...httpRequest(shipment), ...httpRequestKey(shipment) }),
};

/** The same with the key in this package's credential, as a user would have it: what this node is measured by. */
export const httpRequestNode: Contestant = {
	name: 'HTTP Request node',
	run(shipment) {
		const plain = httpRequest(shipment);
		return alone(shipment, {
			...plain,
			parameters: {
				...plain.parameters,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'messagingApi',
			},
			credentials: { messagingApi: { id: 'credential-1', name: 'Messaging key' } },
		});
	},
};

/** n8n's Telegram node: one message after the other. */
export const telegramNode: Contestant = {
	name: 'Telegram node',
	run: (shipment) =>
		alone(
			shipment,
			{
				...node('Telegram', 'n8n-nodes-base.telegram', {
					resource: 'message',
					operation: 'sendMessage',
					chatId: '={{ $json.email }}',
					text: shipment.computedText ? `={{ ${computedText} }}` : staticText,
					additionalFields: { appendAttribution: false },
				}),
				typeVersion: 1.2,
				credentials: { telegramApi: { id: 'credential-2', name: 'Bot' } },
			},
			[
				{
					id: 'credential-2',
					name: 'Bot',
					type: 'telegramApi',
					data: { accessToken: 'benchmark', baseUrl: shipment.url },
				},
			],
		),
};

/** n8n alone: the same items through a node that does nothing. */
export const noOperation: Contestant = {
	name: 'No Operation node',
	run: (shipment) => alone(shipment, node('Nothing', 'n8n-nodes-base.noOp')),
};

/** The body that this node and the HTTP Request node send for a message. */
export function bodyFor({ email }: Message): object {
	return {
		channelId: anyChannelId,
		content: { text: staticText, to: { type: 'EMAIL', email }, type: 'TEXT' },
	};
}

function httpRequest({ url, computedText: computed }: Shipment): INode {
	const text = computed ? computedText : JSON.stringify(staticText);
	return {
		...node('HTTP Request', 'n8n-nodes-base.httpRequest', {
			method: 'POST',
			url: url + path,
			sendBody: true,
			contentType: 'json',
			specifyBody: 'json',
			jsonBody: `={{ { channelId: '${anyChannelId}', content: { text: ${text}, to: { type: 'EMAIL', email: $json.email }, type: 'TEXT' } } }}`,
			options: {},
		}),
		typeVersion: 4.5,
	};
}

function httpRequestKey(shipment: Shipment): Pick<INode, 'parameters'> {
	return {
		parameters: {
			...httpRequest(shipment).parameters,
			sendHeaders: true,
			specifyHeaders: 'keypair',
			headerParameters: { parameters: [{ name: 'X-API-KEY', value: shipment.apiKey }] },
		},
	};
}

function alone(
	{ url, apiKey, messages, measure }: Shipment,
	contestant: INode,
	credentials: StoredCredential[] = [storedCredential({ baseUrl: url, apiKey })],
): EngineTask {
	return {
		request: {
			workflow: workflow([startNode(), contestant], [[startName, contestant.name]]),
			items: messages.map((json) => ({ json: { ...json } })),
			credentials,
			mode: 'trigger',
			start: startName,
			measure,
		},
		watch: contestant.name,
	};
}
