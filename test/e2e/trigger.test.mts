import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { credentialContent } from '../../dev/harness/credential.mts';
import { N8nClient, outputOf } from '../../dev/harness/n8n/api.mts';
import type { Execution, StoredCredential, StoredWorkflow } from '../../dev/harness/n8n/api.mts';
import type { N8nInstallation } from '../../dev/harness/n8n/install.mts';
import { type N8nServer, startN8n } from '../../dev/harness/n8n/server.mts';
import { buildStage } from '../../dev/harness/stage.mts';
import { onTeardown, tearDown } from '../../dev/harness/teardown-list.mts';
import { asText } from '../../dev/harness/as-text.mts';
import { readWorld } from '../../dev/harness/world.mts';
import {
	everyThreeSeconds,
	inARow,
	node,
	triggerType,
	withCredential,
} from '../../dev/harness/workflows.mts';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import type { SandboxProcess } from '../../dev/sandbox/spawn.mts';
import { eventually } from '../soon.mts';
import { n8nUnderTest } from './needs.mts';

/** The trigger in an active workflow. Uses a separate n8n, which is killed and started again. */

jest.setTimeout(300_000);

const TRIGGER = 'Channel Trigger';

let installation: N8nInstallation;
let server: N8nServer;
let userFolder: string;
let session: string;
let n8n: N8nClient;
let service: SandboxProcess;
let sandbox: SandboxClient;
let credential: StoredCredential;

beforeAll(async () => {
	installation = await n8nUnderTest();
	const stage = await buildStage(installation, onTeardown, {
		n8n: { logFile: '.e2e/trigger-n8n.log' },
	});
	({ server, client: n8n, userFolder } = stage.n8n);
	({ session } = n8n);
	service = stage.sandbox;
	sandbox = new SandboxClient(service.control);
	credential = await n8n.createCredential(credentialContent(service.url, service.tokens.org));
});

afterAll(tearDown);

beforeEach(async () => {
	await sandbox.reset();
});

/** To be removed after a test. */
const active: StoredWorkflow[] = [];

afterEach(async () => {
	for (const { id } of active.splice(0)) await n8n.deactivateWorkflow(id);
});

/** Imports a workflow that begins with the trigger, and activates it. */
async function activate(parameters: INodeParameters): Promise<StoredWorkflow> {
	const trigger = {
		...node(TRIGGER, triggerType, 0, { pollTimes: everyThreeSeconds, ...parameters }),
		...withCredential(credential),
	};
	const workflow = await n8n.createWorkflow({
		name: 'Channel alarm',
		nodes: [trigger, node('Alarm', 'n8n-nodes-base.noOp', 1)],
		connections: inARow(TRIGGER, 'Alarm'),
		settings: { executionOrder: 'v1' },
	});
	await n8n.activateWorkflow(workflow);
	active.push(workflow);
	return workflow;
}

/** Kills n8n, as a crash would, and starts it again. */
async function crash(meanwhile: () => Promise<unknown>): Promise<void> {
	await server.kill();
	await meanwhile();
	server = await startN8n(installation, { userFolder, logFile: '.e2e/trigger-n8n.log' });
	onTeardown(server.stop);
	await server.ready();
	n8n = new N8nClient(server.url, session);
}

const polls = async (): Promise<number> =>
	(await sandbox.requests()).filter(({ operationId }) => operationId === 'channel.getAll').length;

/** Waits until n8n has polled the service so many more times, and has had time to act on it. */
async function waitForPolls(more: number): Promise<void> {
	for (let poll = 0; poll < more; poll++) {
		const before = await polls();
		await eventually(async () => (await polls()) > before, 'another poll', 200);
	}
	await sleep(500);
}

/** The events that started the workflow, the oldest first; errors by their message. */
async function told(workflow: StoredWorkflow): Promise<string[]> {
	const summaries = (await n8n.allExecutions(workflow.id)).reverse();
	const executions: Execution[] = [];
	for (const { id } of summaries) executions.push(await n8n.waitForExecution(id));
	return executions.flatMap((execution) => {
		const { error } = execution.data.resultData;
		if (error !== undefined) return [error.message];
		return outputOf(execution, TRIGGER).map(({ json }) => `${asText(json.event)} ${asText(json.name)}`);
	});
}

async function waitUntilTold(workflow: StoredWorkflow, what: string): Promise<void> {
	await eventually(async () => (await told(workflow)).includes(what), what, 300);
}

async function connect(name: string, isConnected: boolean): Promise<void> {
	const { channelId } = (await readWorld(sandbox, { sandbox: service })).channel(name);
	await sandbox.changeChannel(channelId, { isConnected });
}

it('a crash of n8n makes it tell nothing twice and miss nothing, not even what it had kept to itself', async () => {
	const workflow = await activate({ events: ['channelDisconnected'] });
	await waitForPolls(1);
	await connect('Support E-mail', false);
	await waitUntilTold(workflow, 'channelDisconnected Support E-mail');

	await crash(async () => {});
	await waitForPolls(3);
	expect(await told(workflow)).toEqual(['channelDisconnected Support E-mail']);

	// It reconnects, which is not reported, and drops again while n8n is down; so does another.
	await connect('Support E-mail', true);
	await waitForPolls(2);
	await crash(async () => {
		await connect('Support E-mail', false);
		await connect('Shop Newsletter', false);
	});
	await waitUntilTold(workflow, 'channelDisconnected Shop Newsletter');
	await waitForPolls(2);
	expect((await told(workflow)).sort()).toEqual([
		'channelDisconnected Shop Newsletter',
		'channelDisconnected Support E-mail',
		'channelDisconnected Support E-mail',
	]);
});
