/**
 * The demo: a real n8n with this package installed, and the sandbox as the messaging service.
 *
 *   npm run demo [-- --once]
 *
 * With --once it ends after the workflow has run, instead of leaving editor and page open.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { credentialContent } from '../harness/credential.mts';
import { errorOf } from '../harness/n8n/api.mts';
import { ensureN8n } from '../harness/n8n/install.mts';
import { SetupProblem } from '../harness/n8n/node24.mts';
import { projectRoot } from '../harness/n8n/paths.mts';
import { preferredOrFreePort } from '../harness/n8n/ports.mts';
import { buildStage } from '../harness/stage.mts';
import { tearDown } from '../harness/teardown-list.mts';
import { deliverTo, webhookOf } from '../harness/deliver-to.mts';
import { readWorld } from '../harness/world.mts';
import { SandboxClient } from '../sandbox/client.mts';
import { describeAddresses, describeRequest } from './report.mts';
import { importWorkflows, sendNode, startNode } from './workflows.mts';

const preferredPorts = { n8n: 5678, sandbox: 4010 };

async function run(): Promise<void> {
	const n8nInstallation = await ensureN8n();
	const ports = {
		n8n: await choosePort("n8n's editor", preferredPorts.n8n),
		sandbox: await choosePort('the sandbox', preferredPorts.sandbox),
	};

	console.log('Starting the sandbox and n8n (half a minute) ...');
	const owner = {
		email: 'demo@example.com',
		password: `Demo-${randomBytes(6).toString('hex')}`,
		firstName: 'Demo',
		lastName: 'Owner',
	};
	const { sandbox, n8n } = await buildStage(n8nInstallation, {
		sandbox: { port: ports.sandbox },
		n8n: {
			owner,
			port: ports.n8n,
			logFile: join(projectRoot(), '.e2e/demo-n8n.log'),
			env: { GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone },
		},
	});
	const { server, client, userFolder } = n8n;

	const control = new SandboxClient(sandbox.control);
	const credential = await client.createCredential(credentialContent(sandbox.url, sandbox.tokens.org));
	const workflows = await importWorkflows(client, credential, await readWorld(control, { sandbox }));
	const answering = webhookOf(workflows.answering, server.url);
	await deliverTo({ url: answering, channels: ['Support WhatsApp', 'Support E-mail'] }, control, sandbox);
	console.log('Imported the credential and the example workflows.');

	console.log(`Running the workflow "${workflows.send.name}" ...`);
	const execution = await client.runWorkflow(workflows.send.id, startNode);
	if (execution.status !== 'success') {
		const error = errorOf(execution, sendNode) ?? execution.data.resultData.error;
		throw new SetupProblem(`The workflow ended with "${execution.status}": ${String(error?.message)}`);
	}
	const requests = await control.requests();
	console.log(`\nThe sandbox received:\n${requests.map(describeRequest).join('\n')}\n`);
	if (process.argv.includes('--once')) return;

	console.log(
		describeAddresses({
			...owner,
			editor: `${server.url}/workflow/${workflows.send.id}`,
			page: sandbox.page,
			baseUrl: sandbox.url,
			apiKey: sandbox.tokens.org,
			webhook: webhookOf(workflows.webhook, server.url),
			userFolder,
		}),
	);
	await server.ended;
	throw new SetupProblem(`n8n ended unexpectedly. Its log is in ${server.logFile}`);
}

async function choosePort(what: string, preferred: number): Promise<number> {
	const port = await preferredOrFreePort(preferred);
	if (port !== preferred) console.log(`Port ${preferred} is taken: ${what} uses ${port} instead.`);
	return port;
}

/** An error as text: a setup problem without a stack, a bug of the demo with one. */
function describe(error: unknown): string {
	if (error instanceof SetupProblem) return error.message;
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

// If the reader closes the pipe, the demo still has to stop what it started.
process.stdout.on('error', () => undefined);

/** Resolves with Ctrl-C, the normal end of the demo, or when something else asks it to stop. */
const interrupted = new Promise((resolve) => {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve);
}).then(() => console.log('\nStopping ...'));

try {
	// Once it is interrupted, it no longer counts what fails because everything is stopped.
	await Promise.race([run(), interrupted]);
} catch (error) {
	console.error(describe(error));
	process.exitCode = 1;
}
await tearDown().catch((error: unknown) => console.error(`While stopping: ${describe(error)}`));
process.exit();
