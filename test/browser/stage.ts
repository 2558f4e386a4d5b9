import { spawnSandbox } from '../../sandbox/spawn.ts';
import type { SandboxAddress } from '../../sandbox/types.ts';
import { N8nClient } from '../e2e/n8n/api.ts';
import { ensureN8n } from '../e2e/n8n/install.ts';
import { startN8n } from '../e2e/n8n/server.ts';
import { createUserFolder, installPacked } from '../e2e/n8n/user-folder.ts';

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
		const userFolder = createUserFolder();
		undo.push(userFolder.remove);
		await installPacked(userFolder, installation.node);
		const sandbox = await spawnSandbox();
		undo.push(sandbox.stop);
		const server = await startN8n(installation, {
			userFolder: userFolder.path,
			logFile: '.e2e/browser-n8n.log',
		});
		undo.push(server.stop);
		await server.ready();
		const client = new N8nClient(server.url);
		await client.setUpOwner({
			email: 'owner@example.com',
			password: 'Only-for-tests-1',
			firstName: 'Ada',
			lastName: 'Owner',
		});
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
