import { N8nClient } from '../../dev/harness/n8n/api.ts';
import type { StoredCredential } from '../../dev/harness/n8n/api.ts';
import { SandboxClient } from '../../dev/sandbox/client.ts';
import type { SandboxAddress } from '../../dev/sandbox/types.ts';
import type { Offer } from './offer.ts';

/** What the tests share: one n8n with the packed node installed, and one sandbox. */
export interface Stage {
	readonly n8nUrl: string;
	readonly n8nSession: string;
	/** A credential with the sandbox's organization key. */
	readonly credential: StoredCredential;
	readonly sandbox: Pick<SandboxAddress, 'url' | 'control' | 'tokens'>;
	/** Where npm put the package into n8n's user folder. */
	readonly installedPackage: string;
	/** The Node.js program that n8n runs on. */
	readonly node: string;
	readonly offer: Offer;
}

const variable = 'E2E_STAGE';

/** Passes the stage on from jest's global setup to the test files. */
export function announceStage(stage: Stage): void {
	process.env[variable] = JSON.stringify(stage);
}

/** The stage, with a client for each of its two servers. */
export function enterStage(): { stage: Stage; n8n: N8nClient; sandbox: SandboxClient } {
	const text = process.env[variable];
	if (text === undefined) throw new Error('The end-to-end tests run with "npm run test:e2e" only');
	const stage = JSON.parse(text) as Stage;
	return {
		stage,
		n8n: new N8nClient(stage.n8nUrl, stage.n8nSession),
		sandbox: new SandboxClient(stage.sandbox.control),
	};
}
