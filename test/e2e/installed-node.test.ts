import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { readJson } from './n8n/paths.ts';
import { enterStage } from './stage.ts';
import { messagingType } from './workflows.ts';

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

	it('is offered by n8n as a node and as a tool for AI agents', async () => {
		const types = await n8n.nodeTypes();
		const ours = types.filter(({ name }) => String(name).startsWith('n8n-nodes-unified-messaging.'));
		expect(ours.map(({ name, displayName }) => [name, displayName])).toEqual([
			[messagingType, 'Unified Messaging'],
			[`${messagingType}Tool`, 'Unified Messaging Tool'],
		]);
	});
});
