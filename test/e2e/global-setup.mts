import { credentialContent } from '../../dev/harness/credential.mts';
import { ensureN8n } from '../../dev/harness/n8n/install.mts';
import { freePort } from '../../dev/harness/n8n/ports.mts';
import { announceStage, buildStage } from '../../dev/harness/stage.mts';
import { tearDown } from '../../dev/harness/teardown-list.mts';
import buildPackage from '../build.mts';
import { turnPort } from './stage-environment.mts';

/** Builds the package, and the stage once for all test files. */
export default async function setUp(): Promise<void> {
	await buildPackage();
	try {
		const installation = await ensureN8n();
		console.log('Starting n8n with the packed node installed, and the sandbox ...');
		process.env[turnPort] = String(await freePort());
		const { sandbox, n8n } = await buildStage(installation);
		const content = credentialContent(sandbox.url, sandbox.tokens.org);
		announceStage({
			n8nUrl: n8n.server.url,
			n8nSession: n8n.client.session,
			credential: await n8n.client.createCredential(content),
			sandbox,
		});
		console.log(`Started. n8n's log: ${n8n.server.logFile}`);
	} catch (error) {
		await tearDown();
		throw error;
	}
}
