import { spawnSandbox } from '../../sandbox/spawn.ts';
import type { SandboxAddress } from '../../sandbox/types.ts';
import { startFreshN8n } from '../e2e/n8n/fresh-n8n.ts';
import { ensureN8n } from '../e2e/n8n/install.ts';

/** What a browser is pointed at: an n8n with the packed node installed and an owner logged in, and a sandbox. */
export interface BrowserStage {
	readonly n8n: { readonly url: string; readonly session: string };
	readonly sandbox: Pick<SandboxAddress, 'url' | 'control' | 'tokens'>;
}

/** A stage that stands, and the way to take it down. */
export interface StandingStage extends BrowserStage {
	takeDown(): Promise<void>;
}

/** Builds a stage. */
export async function buildStage(): Promise<StandingStage> {
	const undo: Array<() => Promise<void> | void> = [];
	const takeDown = async (): Promise<void> => {
		for (const step of undo.splice(0).reverse()) await step();
	};
	try {
		const installation = await ensureN8n();
		const sandbox = await spawnSandbox();
		undo.push(sandbox.stop);
		const { server, client } = await startFreshN8n(
			installation,
			{ logFile: '.e2e/browser-n8n.log' },
			(step) => undo.push(step),
		);
		const { url, control, tokens } = sandbox;
		return {
			n8n: { url: server.url, session: client.session },
			sandbox: { url, control, tokens },
			takeDown,
		};
	} catch (error) {
		await takeDown();
		throw error;
	}
}

const variable = 'BROWSER_STAGE';

/** Passes the stage on from jest's global setup to the test files. */
export function announceStage({ n8n, sandbox }: BrowserStage): void {
	process.env[variable] = JSON.stringify({ n8n, sandbox });
}

/** The stage that the global setup built. */
export function enterStage(): BrowserStage {
	const text = process.env[variable];
	if (text === undefined) throw new Error('The browser tests run with "npm run test:browser" only');
	return JSON.parse(text) as BrowserStage;
}
