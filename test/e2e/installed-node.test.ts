import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeTypeDescription } from 'n8n-workflow';

import { readJson } from '../../harness/n8n/paths.ts';
import { messagingType, triggerType } from '../../harness/workflows.ts';
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

	it('is offered by n8n as a node, as a trigger and as a tool for AI agents', async () => {
		const types = await n8n.nodeTypes();
		const ours = types.filter(({ name }) => String(name).startsWith('n8n-nodes-unified-messaging.'));
		expect(ours.map(({ name, displayName }) => [name, displayName])).toEqual([
			[messagingType, 'Unified Messaging'],
			[triggerType, 'Unified Messaging Trigger'],
			[`${messagingType}Tool`, 'Unified Messaging Tool'],
		]);
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
