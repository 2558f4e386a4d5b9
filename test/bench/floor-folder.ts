import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The type of the barest node in workflows: n8n names what it finds in a folder of its own so. */
export const floorType = 'CUSTOM.barest';

/** A folder for N8N_CUSTOM_EXTENSIONS with the barest node in it, as JavaScript. */
export async function createFloorFolder(): Promise<{ path: string; remove(): void }> {
	const path = mkdtempSync(join(tmpdir(), 'messaging-bench-floor-'));
	await build({
		entryPoints: [join(import.meta.dirname, 'barest-node.ts')],
		outfile: join(path, 'Barest.node.js'),
		format: 'cjs',
		platform: 'node',
		logLevel: 'warning',
	});
	return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
