import { spawnSandbox } from '../../sandbox/spawn.ts';
import { startFreshN8n } from './n8n/fresh-n8n.ts';
import { ensureN8n } from './n8n/install.ts';
import { startProgress } from './n8n/progress.ts';
import { announceStage, credentialContent } from './stage.ts';
import { onTeardown, tearDown } from './teardown-list.ts';

/** Builds the stage once for all test files. */
export default async function setUp(): Promise<void> {
	try {
		const n8n = await ensureN8n();
		const progress = startProgress('Starting n8n with the packed node installed, and the sandbox');
		const sandbox = await spawnSandbox();
		onTeardown(sandbox.stop);
		const { server, client, installedPackage } = await startFreshN8n(n8n, {}, onTeardown);
		const content = credentialContent(sandbox.url, sandbox.tokens.org);
		announceStage({
			n8nUrl: server.url,
			n8nSession: client.session,
			credential: await client.createCredential(content),
			sandbox,
			installedPackage,
			node: n8n.node.program,
		});
		progress.done(`n8n's log: ${server.logFile}`);
	} catch (error) {
		await tearDown();
		throw error;
	}
}
