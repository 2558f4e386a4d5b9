import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeTypeDescription } from 'n8n-workflow';
import { request } from 'undici';

import { readJson } from '../../dev/harness/n8n/paths.ts';
import { asText } from '../../dev/harness/as-text.ts';
import { messagingType, triggerType } from '../../dev/harness/workflows.ts';
import { humanInTheLoop, otherwise } from './needs.ts';
import { enterStage } from './stage.ts';

const { stage, n8n } = enterStage();

describe('the packed node, installed as a user installs it', () => {
	it('brings only what n8n loads, and no dependencies', () => {
		const entries = readdirSync(stage.installedPackage).sort();
		expect(entries.filter((entry) => !/^(readme|license|changelog)/i.test(entry))).toEqual([
			'dist',
			'package.json',
		]);
		expect(existsSync(join(stage.installedPackage, 'node_modules'))).toBe(false);
		expect(readJson(join(stage.installedPackage, 'package.json')).dependencies).toBeUndefined();
	});

	it("is today's, which lacks nothing that these tests need, unless another n8n was asked for", () => {
		if (process.env['E2E_N8N'] === undefined) expect(stage.offer.lacks).toEqual([]);
	});

	const inTheLoop = otherwise(humanInTheLoop);
	it(`is offered by n8n as a node, a trigger, a tool for AI agents and their human in the loop${inTheLoop.lacking}`, async () => {
		const types = await n8n.nodeTypes();
		const ours = types.filter(({ name }) => String(name).startsWith('n8n-nodes-unified-messaging.'));
		expect(ours.map(({ name, displayName }) => [name, displayName])).toEqual([
			[messagingType, 'Unified Messaging'],
			[triggerType, 'Unified Messaging Trigger'],
			[`${messagingType}Tool`, 'Unified Messaging Tool'],
			...(inTheLoop.lacks ? [] : [[`${messagingType}HitlTool`, 'Unified Messaging']]),
		]);
	});

	it('is served with what comes out of each operation, where the editor asks for it', async () => {
		const types = (await n8n.nodeTypes()) as Array<Pick<INodeTypeDescription, 'name' | 'properties'>>;
		const menus = types
			.find(({ name }) => name === messagingType)
			?.properties.filter(({ name }) => name === 'operation');
		const asked = (menus ?? []).flatMap(({ displayOptions, options = [] }) =>
			options
				.map((option) => ('value' in option ? String(option.value) : ''))
				.filter((operation) => !operation.startsWith('__CUSTOM_API_CALL'))
				.map((operation) => `${asText(displayOptions?.show?.['resource']?.[0])}/${operation}`),
		);
		expect(asked.length).toBeGreaterThanOrEqual(14);
		for (const path of asked) {
			// The editor pads the node's version to three numbers.
			const { statusCode, body } = await request(
				`${stage.n8nUrl}/schemas/${messagingType}/1.0.0/${path}.json`,
			);
			expect({ path, statusCode }).toEqual({ path, statusCode: 200 });
			expect(await body.json()).toMatchObject({ type: 'object', properties: expect.any(Object) as object });
		}
	});

	it('is offered with "Custom API Call" beside its own operations', async () => {
		const types = (await n8n.nodeTypes()) as Array<Pick<INodeTypeDescription, 'name' | 'properties'>>;
		const menus = types
			.find(({ name }) => name === messagingType)
			?.properties.filter(({ name }) => name === 'resource' || name === 'operation');
		expect(menus).not.toHaveLength(0);
		for (const { options } of menus ?? []) {
			expect(options).toContainEqual(expect.objectContaining({ name: 'Custom API Call' }));
		}
	});
});
