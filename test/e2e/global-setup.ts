import { credentialContent } from '../../dev/harness/credential.ts';
import { buildStage } from '../../dev/harness/stage.ts';
import { onTeardown, tearDown } from '../../dev/harness/teardown-list.ts';
import { n8nUnderTest, offerOf } from './offer.ts';
import { announceStage } from './stage.ts';
import { giveTurns } from './turns.ts';

/** Builds the stage once for all test files. */
export default async function setUp(): Promise<void> {
	try {
		const installation = await n8nUnderTest();
		console.log('Starting n8n with the packed node installed, and the sandbox ...');
		onTeardown(await giveTurns());
		const { sandbox, n8n } = await buildStage(installation, onTeardown);
		const content = credentialContent(sandbox.url, sandbox.tokens.org);
		announceStage({
			n8nUrl: n8n.server.url,
			n8nSession: n8n.client.session,
			credential: await n8n.client.createCredential(content),
			sandbox,
			installedPackage: n8n.installedPackage,
			node: installation.node.program,
			offer: offerOf(await n8n.client.nodeTypes(), installation),
		});
		console.log(`Started. n8n's log: ${n8n.server.logFile}`);
	} catch (error) {
		await tearDown();
		throw error;
	}
}
