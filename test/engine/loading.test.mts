import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { useLab } from './lab.mts';

const lab = useLab();

test("n8n's own loader finds the node and its credential in the built package", async () => {
	const loaded = await lab.engine.describe();

	expect(loaded.name).toBe('n8n-nodes-unified-messaging');
	const codex = expect.objectContaining({ categories: expect.any(Array) as unknown }) as unknown;
	expect(loaded.nodes).toMatchObject([
		{ name: 'messaging', displayName: 'Unified Messaging', version: 1, codex },
		{ name: 'messagingTrigger', version: 1, codex },
	]);
	expect(loaded.credentials).toMatchObject([{ name: 'messagingApi', displayName: 'Unified Messaging API' }]);
});

test('icons are found in both themes, for the node and the credential', async () => {
	const loaded = await lab.engine.describe();

	for (const { iconUrl } of [...loaded.nodes, ...loaded.credentials]) {
		const { light, dark } = iconUrl as { light: string; dark: string };
		for (const url of [light, dark]) {
			const [prefix, packageName, ...path] = url.split('/');
			expect([prefix, packageName]).toEqual(['icons', 'n8n-nodes-unified-messaging']);
			expect(existsSync(join(process.cwd(), ...path))).toBe(true);
		}
		expect(light).not.toBe(dark);
	}
});
