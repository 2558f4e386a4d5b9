/** The whole fault matrix, played in n8n's engine. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { startEngine } from '../engine/engine.mts';
import { play, type Cell, type Met } from './matrix.mts';
import type { Stage } from './stage.mts';

/** The page that shows it. */
export const faultsPage = 'docs/internals/faults.md';

/** Starts the stage, plays all cells on it, and says how each ended. The caller stops the stage. */
export async function playMatrix(stage: Stage): Promise<Map<Cell, Met>> {
	await stage.start();
	const folder = await mkdtemp(join(tmpdir(), 'messaging-faults-'));
	const file = join(folder, 'certificate.pem');
	await writeFile(file, stage.certificate);
	const preload = pathToFileURL(join(process.cwd(), 'test', 'faults', 'preload.mts')).href;
	const engine = await startEngine({
		// No parameter here is an expression, and the newer engine would create an isolate for each execution.
		expressions: 'legacy',
		env: {
			NODE_EXTRA_CA_CERTS: file,
			NODE_OPTIONS: `--import=${preload}`,
		},
	});
	try {
		return await play(stage, engine);
	} finally {
		await engine.stop();
		await rm(folder, { recursive: true, force: true });
	}
}
