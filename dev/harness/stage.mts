import { SandboxClient } from '../sandbox/client.mts';
import { type SandboxProcess, type SpawnOptions, spawnSandbox } from '../sandbox/spawn.mts';
import type { SandboxAddress } from '../sandbox/types.mts';
import { N8nClient, type StoredCredential } from './n8n/api.mts';
import { type FreshN8n, type FreshN8nOptions, startFreshN8n } from './n8n/fresh-n8n.mts';
import type { N8nInstallation } from './n8n/install.mts';
import { onTeardown } from './teardown-list.mts';

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

/** Starts a sandbox, and an n8n with a new database. `tearDown` ends both. */
export async function buildStage(installation: N8nInstallation, options: StageOptions = {}): Promise<Stage> {
	const sandbox = await spawnSandbox(options.sandbox);
	onTeardown(sandbox.stop);
	return { sandbox, n8n: await startFreshN8n(installation, options.n8n) };
}

/** A stage as jest's global setup passes it on to the test files. */
export interface AnnouncedStage {
	readonly n8nUrl: string;
	readonly n8nSession: string;
	/** A credential with the sandbox's organization key. */
	readonly credential: StoredCredential;
	readonly sandbox: Pick<SandboxAddress, 'url' | 'control' | 'page' | 'tokens'>;
}

const variable = 'TEST_STAGE';

/** Passes a stage on to the test files. */
export function announceStage(stage: AnnouncedStage): void {
	process.env[variable] = JSON.stringify(stage);
}

/** The stage that was passed on, with a client for each of its two servers. */
export function announcedStage() {
	const text = process.env[variable];
	if (text === undefined) throw new Error('There is no stage: run "npm run test:e2e" or "test:browser"');
	const stage = JSON.parse(text) as AnnouncedStage;
	const n8n = new N8nClient(stage.n8nUrl, stage.n8nSession);
	return { stage, n8n, sandbox: new SandboxClient(stage.sandbox.control) };
}
