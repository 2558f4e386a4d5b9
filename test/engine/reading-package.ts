/** A package with the node of `reading-node.ts`, as JavaScript that n8n loads. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The type name of its node in workflows. */
export const readingType = 'n8n-nodes-reading.readingNode';

/** The package's folder; empty until it is built. */
export class ReadingPackage {
	readonly path = mkdtempSync(join(tmpdir(), 'messaging-reading-'));

	async build(): Promise<void> {
		const root = process.cwd();
		// In a separate process: inside jest, esbuild does not recognize its own arrays.
		await promisify(execFile)(process.execPath, [
			join(root, 'node_modules', 'esbuild', 'bin', 'esbuild'),
			join(root, 'test', 'engine', 'reading-node.ts'),
			'--bundle',
			'--platform=node',
			'--format=cjs',
			'--target=node20',
			`--outfile=${join(this.path, 'ReadingNode.node.js')}`,
			'--log-level=warning',
		]);
		const manifest = {
			name: 'n8n-nodes-reading',
			version: '1.0.0',
			n8n: { n8nNodesApiVersion: 1, nodes: ['ReadingNode.node.js'], credentials: [] },
		};
		writeFileSync(join(this.path, 'package.json'), JSON.stringify(manifest));
	}

	remove(): void {
		rmSync(this.path, { recursive: true, force: true });
	}
}
