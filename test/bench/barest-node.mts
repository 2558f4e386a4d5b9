/**
 * The barest node that n8n allows: the floor for any node that sends one message per item. It evaluates two expressions
 * per item (three with a once key) and makes 128 requests at once, with the credential passed along; no checks, state
 * or retries, and it fails as a whole.
 */
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

const atOnce = 128;

/** n8n finds the class by its file name, so a package needs a file `Barest.node.js`. */
export class Barest implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Barest',
		name: 'barest',
		group: ['output'],
		version: 1,
		description: 'Sends one message for each item, and does nothing else',
		defaults: { name: 'Barest' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'messagingApi', required: true }],
		properties: [
			{ displayName: 'Channel', name: 'channelId', type: 'string', default: '' },
			{ displayName: 'To Email', name: 'toEmail', type: 'string', default: '' },
			{ displayName: 'Text', name: 'text', type: 'string', default: '' },
			{ displayName: 'Once Key', name: 'onceKey', type: 'string', default: '' },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const data = await this.getCredentials<{ baseUrl: string }>('messagingApi');
		const credential = {
			credentialsDecrypted: { id: '', name: 'messagingApi', type: 'messagingApi', data },
		};
		const url = `${data.baseUrl}/api/v1/message/SendMessage`;
		const { length } = this.getInputData();
		const output: INodeExecutionData[] = [];
		let next = 0;
		const sendOn = async (): Promise<void> => {
			while (next < length) {
				const item = next++;
				const read = (name: string): unknown => this.getNodeParameter(name, item);
				read('onceKey');
				const json = (await this.helpers.httpRequestWithAuthentication.call(
					this,
					'messagingApi',
					{
						method: 'POST',
						url,
						body: {
							channelId: read('channelId'),
							content: { text: read('text'), to: { type: 'EMAIL', email: read('toEmail') }, type: 'TEXT' },
						},
						json: true,
					},
					credential,
				)) as IDataObject;
				output[item] = { json, pairedItem: { item } };
			}
		};
		await Promise.all(Array.from({ length: atOnce }, sendOn));
		return [output];
	}
}
