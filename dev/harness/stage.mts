import { type SandboxProcess, type SpawnOptions, spawnSandbox } from '../sandbox/spawn.mts';
import { type FreshN8n, type FreshN8nOptions, startFreshN8n } from './n8n/fresh-n8n.mts';
import type { N8nInstallation } from './n8n/install.mts';

/** An n8n with the packed node installed and its owner logged in, and a sandbox to send to. */
export interface Stage {
	readonly n8n: FreshN8n;
	readonly sandbox: SandboxProcess;
}

/** How each of the two is started. */
export interface StageOptions {
	readonly n8n?: FreshN8nOptions;
	readonly sandbox?: SpawnOptions;
}

/**
 * Starts a sandbox, and an n8n with a new database.
 *
 * @param atEnd collects the clean-up, to be run in reverse order, even if the start fails half-way
 */
export async function buildStage(
	installation: N8nInstallation,
	atEnd: (step: () => Promise<void> | void) => void,
	options: StageOptions = {},
): Promise<Stage> {
	const sandbox = await spawnSandbox(options.sandbox);
	atEnd(sandbox.stop);
	return { sandbox, n8n: await startFreshN8n(installation, options.n8n ?? {}, atEnd) };
}
