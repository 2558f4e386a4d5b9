import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { asText } from '../../dev/harness/as-text.ts';
import { operationIds } from '../cases/index.ts';
import { useLab } from './lab.ts';

const lab = useLab();

async function description(): Promise<INodeTypeDescription> {
	const [{ nodes } = { nodes: [] }] = await lab.engine.describe();
	return nodes.find(({ name }) => name === 'messaging')!;
}

test("n8n's own loader finds the node and its credential in the built package", async () => {
	const [loaded] = await lab.engine.describe();

	expect(loaded?.name).toBe('n8n-nodes-unified-messaging');
	expect(
		loaded?.nodes.map(({ name, displayName, version }) => ({ name, displayName, version })),
	).toContainEqual({
		name: 'messaging',
		displayName: 'Unified Messaging',
		version: 1,
	});
	expect(loaded?.credentials).toContainEqual(
		expect.objectContaining({ name: 'messagingApi', displayName: 'Unified Messaging API' }),
	);
});

test('icons are found in both themes, for the node and the credential', async () => {
	const [loaded] = await lab.engine.describe();

	for (const { iconUrl } of [...(loaded?.nodes ?? []), ...(loaded?.credentials ?? [])]) {
		const { light, dark } = iconUrl as { light: string; dark: string };
		for (const url of [light, dark]) {
			const [prefix, packageName, ...path] = url.split('/');
			expect([prefix, packageName]).toEqual(['icons', 'n8n-nodes-unified-messaging']);
			expect(existsSync(join(process.cwd(), ...path))).toBe(true);
		}
		expect(light).not.toBe(dark);
	}
});

test('the credential authenticates requests, and is tested by the node', async () => {
	const [loaded] = await lab.engine.describe();
	const credential = loaded?.credentials.find(({ name }) => name === 'messagingApi');

	expect(credential?.properties.map(({ name }) => name)).toEqual(['baseUrl', 'apiKey']);
	expect(credential?.properties[1]?.typeOptions).toMatchObject({ password: true });
	// With it, n8n offers the credential to its HTTP Request node and "Custom API Call" in this node.
	expect(credential?.authenticate).toBeDefined();
	// n8n uses the credential's own test if there is one, and would not call the node's.
	expect(credential?.test).toBeUndefined();
	expect((await description()).credentials).toMatchObject([{ testedBy: 'testCredential' }]);
});

test('no field outside additional fields and options is shown without its resource and operation', async () => {
	const { properties } = await description();
	const menus = properties.filter(({ name }) => name === 'resource' || name === 'operation');

	expect(menus.every(({ noDataExpression }) => noDataExpression)).toBe(true);
	for (const property of properties.filter((candidate) => !menus.includes(candidate))) {
		expect(property.displayOptions?.show).toMatchObject({
			resource: [expect.any(String)],
			operation: [expect.any(String)],
		});
	}
});

/** The operations in the menus, as `resource.operation`. */
function menuEntries(properties: INodeProperties[]): string[] {
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options = [], displayOptions }) =>
			options.map((option) => {
				const resource = displayOptions?.show?.['resource']?.[0];
				return `${asText(resource)}.${String((option as INodePropertyOptions).value)}`;
			}),
		);
}

test('each operation has one menu entry, with its action', async () => {
	const { properties } = await description();

	expect(menuEntries(properties).sort()).toEqual([...operationIds].sort());
	for (const { options = [] } of properties.filter(({ name }) => name === 'operation')) {
		for (const option of options) expect(option).toHaveProperty('action');
	}
});
