import { spawnSandbox } from '../../sandbox/spawn.ts';
import { N8nClient } from './n8n/api.ts';
import { ensureN8n } from './n8n/install.ts';
import { startProgress } from './n8n/progress.ts';
import { startN8n } from './n8n/server.ts';
import { createUserFolder, installPacked } from './n8n/user-folder.ts';
import { announceStage, credentialContent } from './stage.ts';
import { onTeardown, tearDown } from './teardown-list.ts';

/** Builds the stage once for all test files. */
export default async function setUp(): Promise<void> {
	try {
		const n8n = await ensureN8n();
		const progress = startProgress('Starting n8n with the packed node installed, and the sandbox');
		const userFolder = createUserFolder();
		onTeardown(userFolder.remove);
		const installedPackage = await installPacked(userFolder, n8n.node);
		const sandbox = await spawnSandbox();
		onTeardown(sandbox.stop);
		const server = await startN8n(n8n, { userFolder: userFolder.path });
		onTeardown(server.stop);
		await server.ready();

		const client = new N8nClient(server.url);
		await client.setUpOwner({
			email: 'owner@example.com',
			password: 'Only-for-tests-1',
			firstName: 'Test',
			lastName: 'Owner',
		});
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
