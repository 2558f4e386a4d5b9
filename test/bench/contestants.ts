/** The nodes that are compared, each sending the same messages to the same server. */
import type { INodeParameters } from 'n8n-workflow';
import { credentialContent } from '../../dev/harness/credential.ts';
import type { CredentialContent, WorkflowNode } from '../../dev/harness/n8n/api.ts';
import { byId, messagingType, names, node } from '../../dev/harness/workflows.ts';
import { floorType } from './floor-folder.ts';
import type { Message } from './messages.ts';

/** What a contestant sends, and where. */
export interface Shipment {
	url: string;
	/** Fresh for every run, so that a run knows nothing from the one before it. */
	apiKey: string;
	messages: readonly Message[];
	/** Whether the text is an expression too; the address always is. */
	computedText: boolean;
	/** The channel to send through, where it matters. */
	channelId?: string;
}

/** A node that is ready to send. */
export interface Sender {
	node: WorkflowNode;
	credential?: CredentialContent;
}

/** One node with its parameters. */
export interface Contestant {
	readonly name: string;
	/** The node that sends a shipment. */
	prepare(shipment: Shipment): Sender;
}

const place = 2;
const anyChannelId = '7b0c0d7e-54d5-4a7e-9d0a-5f6f3c1f7a10';
const path = '/api/v1/message/SendMessage';
const keyHeader = 'X-API-KEY';
const onceKey = '={{ $json.id }}';
const staticText = 'Your order is on its way';
/** As drag and drop writes it. */
const computedText = '=Hello {{ $json.name }}, it is on its way';

/** The barest node. */
function floor(name: string, more: INodeParameters = {}): Contestant {
	return {
		name,
		prepare: ({ url, apiKey, channelId = anyChannelId, computedText: computed }) => ({
			node: node('Floor', floorType, place, {
				channelId,
				toEmail: '={{ $json.email }}',
				text: computed ? computedText : staticText,
				...more,
			}),
			credential: credentialContent(url, apiKey),
		}),
	};
}

/** This package's node. */
export function thisNode(name: string, options: INodeParameters = {}): Contestant {
	return {
		name,
		prepare: ({ url, apiKey, channelId = anyChannelId, computedText: computed }) => ({
			node: node(names.messaging, messagingType, place, {
				resource: 'message',
				operation: 'send',
				channelId: byId(channelId),
				toEmail: '={{ $json.email }}',
				text: computed ? computedText : staticText,
				options,
			}),
			credential: credentialContent(url, apiKey),
		}),
	};
}

/** This node with its default settings. */
export const thisNodeByDefault = thisNode('This node');

/** This node with a key on every item, under which it goes out once in all executions. */
export const thisNodeWithKeys = thisNode('This node, once key', { onceKey });

/** This node, told to have one request under way. */
export const thisNodeOneAtATime = thisNode('This node, Max Concurrency 1', { maxConcurrency: 1 });

/** The barest node that n8n allows: the floor of what any node can do. */
export const floorNode = floor('Floor: the barest node');

/** The same, reading one more expression an item: what a key costs in any node, because n8n works it out. */
export const floorNodeWithKeys = floor('Floor, reading a key', { onceKey });

/** n8n's HTTP Request node with this package's credential: what this node is measured by. */
export const httpRequestNode = httpRequest('HTTP Request node', ({ url, apiKey }) => ({
	parameters: { authentication: 'predefinedCredentialType', nodeCredentialType: 'messagingApi' },
	credential: credentialContent(url, apiKey),
}));

/** The same with n8n's own credential for a header: what people without this package use. */
export const httpRequestNodeWithHeaderAuth = httpRequest('HTTP Request node, Header Auth', ({ apiKey }) => ({
	parameters: { authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth' },
	credential: { name: 'Header', type: 'httpHeaderAuth', data: { name: keyHeader, value: apiKey } },
}));

/** The same without a credential: anybody who sees the workflow sees the key, but nothing has to be looked up. */
export const httpRequestNodeWithHeader = httpRequest('HTTP Request node, key in a header', ({ apiKey }) => ({
	parameters: {
		sendHeaders: true,
		specifyHeaders: 'keypair',
		headerParameters: { parameters: [{ name: keyHeader, value: apiKey }] },
	},
}));

/** n8n's Telegram node: one message after the other. */
export const telegramNode: Contestant = {
	name: 'Telegram node',
	prepare: ({ url, apiKey, computedText: computed }) => ({
		node: node(
			'Telegram',
			'n8n-nodes-base.telegram',
			place,
			{
				resource: 'message',
				operation: 'sendMessage',
				chatId: '={{ $json.email }}',
				text: computed ? computedText : staticText,
				additionalFields: { appendAttribution: false },
			},
			1.2,
		),
		credential: { name: 'Bot', type: 'telegramApi', data: { accessToken: apiKey, baseUrl: url } },
	}),
};

/** n8n alone: the same items through a node that does nothing. */
export const noOperation: Contestant = {
	name: 'No Operation node',
	prepare: () => ({ node: node('Nothing', 'n8n-nodes-base.noOp', place) }),
};

/** The body that this node and the HTTP Request node send for a message. */
export function bodyFor({ email }: Message): object {
	return {
		channelId: anyChannelId,
		content: { text: staticText, to: { type: 'EMAIL', email }, type: 'TEXT' },
	};
}

/** n8n's HTTP Request node, all requests at once, with its key somewhere. */
function httpRequest(
	name: string,
	keyOf: (shipment: Shipment) => { parameters: INodeParameters; credential?: CredentialContent },
): Contestant {
	return {
		name,
		prepare(shipment) {
			const { parameters, ...rest } = keyOf(shipment);
			const text = shipment.computedText
				? "'Hello ' + $json.name + ', it is on its way'"
				: JSON.stringify(staticText);
			return {
				node: node(
					'HTTP Request',
					'n8n-nodes-base.httpRequest',
					place,
					{
						method: 'POST',
						url: shipment.url + path,
						sendBody: true,
						contentType: 'json',
						specifyBody: 'json',
						jsonBody: `={{ { channelId: '${anyChannelId}', content: { text: ${text}, to: { type: 'EMAIL', email: $json.email }, type: 'TEXT' } } }}`,
						options: {},
						...parameters,
					},
					4.5,
				),
				...rest,
			};
		},
	};
}
