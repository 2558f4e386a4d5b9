import type { INodeTypeDescription } from 'n8n-workflow';
import { request } from 'undici';

import { messagingType, triggerType } from '../../dev/harness/workflows.mts';
import { idsWhere, operationIds } from '../cases/index.mts';
import { enterStage } from './stage.mts';

const { stage, n8n } = enterStage();

describe('the packed node, installed as a user installs it', () => {
	it('is offered by n8n as a node, a trigger, a tool for AI agents and their human in the loop', async () => {
		const types = await n8n.nodeTypes();
		const ours = types.filter(({ name }) => String(name).startsWith('n8n-nodes-unified-messaging.'));
		expect(ours.map(({ name, displayName }) => [name, displayName])).toEqual([
			[messagingType, 'Unified Messaging'],
			[triggerType, 'Unified Messaging Trigger'],
			[`${messagingType}Tool`, 'Unified Messaging Tool'],
			[`${messagingType}HitlTool`, 'Unified Messaging'],
		]);
	});

	it('has menus with "Custom API Call", and n8n serves the output schema of each operation', async () => {
		const types = (await n8n.nodeTypes()) as Array<Pick<INodeTypeDescription, 'name' | 'properties'>>;
		const { properties = [] } = types.find(({ name }) => name === messagingType) ?? {};
		const menus = properties.filter(({ name }) => name === 'resource' || name === 'operation');
		for (const { options } of menus) {
			expect(options).toContainEqual(expect.objectContaining({ name: 'Custom API Call' }));
		}
		for (const id of idsWhere(({ traits }) => !traits.includes('any endpoint'))) {
			// The editor pads the node's version to three numbers.
			const path = `/schemas/${messagingType}/1.0.0/${id.replace('.', '/')}.json`;
			const { statusCode, body } = await request(stage.n8nUrl + path);
			expect({ path, statusCode }).toEqual({ path, statusCode: 200 });
			expect(await body.json()).toMatchObject({ type: 'object', properties: expect.any(Object) as object });
		}
		expect(menus).toHaveLength(1 + new Set(operationIds.map((id) => id.split('.')[0])).size);
	});
});
