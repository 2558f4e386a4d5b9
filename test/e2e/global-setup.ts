import { credentialContent } from '../../harness/credential.ts';
import { ensureN8n } from '../../harness/n8n/install.ts';
import { startProgress } from '../../harness/n8n/progress.ts';
import { buildStage } from '../../harness/stage.ts';
import { onTeardown, tearDown } from '../../harness/teardown-list.ts';
import { announceStage } from './stage.ts';

/** Builds the stage once for all test files. */
export default async function setUp(): Promise<void> {
	try {
		// `npm run compat -- --e2e` names another n8n than the project's own.
		const { E2E_N8N: folder } = process.env;
		const installation = await ensureN8n(folder === undefined ? {} : { folder });
		const progress = startProgress('Starting n8n with the packed node installed, and the sandbox');
		const { sandbox, n8n } = await buildStage(installation, onTeardown);
		const content = credentialContent(sandbox.url, sandbox.tokens.org);
		announceStage({
			n8nUrl: n8n.server.url,
			n8nSession: n8n.client.session,
			credential: await n8n.client.createCredential(content),
			sandbox,
			installedPackage: n8n.installedPackage,
			node: installation.node.program,
		});
		progress.done(`n8n's log: ${n8n.server.logFile}`);
	} catch (error) {
		await tearDown();
		throw error;
	}
}
