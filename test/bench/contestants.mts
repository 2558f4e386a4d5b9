/** The nodes that are compared, each sending the same messages to the same server. */
import type { INodeParameters } from 'n8n-workflow';
import { credentialContent } from '../../dev/harness/credential.mts';
import type { CredentialContent, WorkflowNode } from '../../dev/harness/n8n/api.mts';
import { messagingType, names, node, sendThrough } from '../../dev/harness/workflows.mts';

/** What is sent: the JSON of the input items. */
interface Message {
	/** Unique. */
	id: string;
	name: string;
	email: string;
}

/** Messages to different recipients, so that none waits for another. */
export function messagesTo(count: number): Message[] {
	return Array.from({ length: count }, (_, index) => ({
		id: `order-${index}`,
		name: `Customer ${index}`,
		email: `customer-${index}@example.com`,
	}));
}

let keys = 0;

/** An unused API key, whose plan the node does not know yet. */
export function freshKey(): string {
	return `acc_benchmark_${String(++keys).padStart(6, '0')}`;
}

/** What a contestant sends, and where. */
export interface Shipment {
	url: string;
	/** Fresh for every run, so that a run knows nothing from the one before it. */
	apiKey: string;
	messages: readonly Message[];
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

/** The type of the barest node in workflows: n8n's prefix for nodes from N8N_CUSTOM_EXTENSIONS. */
const floorType = 'CUSTOM.barest';
const place = 2;
const channelId = '7b0c0d7e-54d5-4a7e-9d0a-5f6f3c1f7a10';
const onceKey = '={{ $json.id }}';
/** Expressions as drag and drop writes them. */
const message = { toEmail: '={{ $json.email }}', text: '=Hello {{ $json.name }}, it is on its way' };
/** The same, as expressions that find it in the item of another node: the one before. */
const messageOfAnother = {
	toEmail: `={{ $('${names.split}').item.json.email }}`,
	text: `=Hello {{ $('${names.split}').item.json.name }}, it is on its way`,
};

/** The barest node. */
function floor(name: string, more: INodeParameters = {}): Contestant {
	return {
		name,
		prepare: ({ url, apiKey }) => ({
			node: node('Floor', floorType, place, { channelId, ...message, ...more }),
			credential: credentialContent(url, apiKey),
		}),
	};
}

/** This package's node. */
function thisNode(name: string, more: INodeParameters = {}): Contestant {
	return {
		name,
		prepare: ({ url, apiKey }) => ({
			node: node(names.messaging, messagingType, place, sendThrough(channelId, { ...message, ...more })),
			credential: credentialContent(url, apiKey),
		}),
	};
}

/** This node with its default settings. */
export const thisNodeByDefault = thisNode('This node');

/** This node with a once key on every item. */
export const thisNodeWithKeys = thisNode('This node, once key', { options: { onceKey } });

/** This node with expressions that find everything in another node's item. */
export const thisNodeOfAnother = thisNode("This node, another's item", messageOfAnother);

/** The barest node that n8n allows: the floor of what any node can do. */
export const floorNode = floor('Floor: the barest node');

/** The same with one more expression per item: the cost of a key in any node, because n8n evaluates it. */
export const floorNodeWithKeys = floor('Floor, reading a key', { onceKey });

/** The same as the floor, with expressions that find everything in another node's item. */
export const floorNodeOfAnother = floor("Floor, another's item", messageOfAnother);

/** n8n's HTTP Request node with this package's credential, all requests at once. */
export const httpRequestNode: Contestant = {
	name: 'HTTP Request node',
	prepare: ({ url, apiKey }) => ({
		node: node(
			'HTTP Request',
			'n8n-nodes-base.httpRequest',
			place,
			{
				method: 'POST',
				url: `${url}/api/v1/message/SendMessage`,
				sendBody: true,
				contentType: 'json',
				specifyBody: 'json',
				jsonBody: `={{ { channelId: '${channelId}', content: { text: 'Hello ' + $json.name + ', it is on its way', to: { type: 'EMAIL', email: $json.email }, type: 'TEXT' } } }}`,
				options: {},
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'messagingApi',
			},
			4.5,
		),
		credential: credentialContent(url, apiKey),
	}),
};

/** n8n alone: the same items through a node that does nothing. */
export const noOperation: Contestant = {
	name: 'No Operation node',
	prepare: () => ({ node: node('Nothing', 'n8n-nodes-base.noOp', place) }),
};
