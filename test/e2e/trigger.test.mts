/** @jest-environment node */
import { setTimeout as sleep } from 'node:timers/promises';

import { asText } from '../../dev/harness/as-text.mts';
import { credentialContent } from '../../dev/harness/credential.mts';
import { N8nClient, outputOf } from '../../dev/harness/n8n/api.mts';
import { ensureN8n } from '../../dev/harness/n8n/install.mts';
import { startN8n } from '../../dev/harness/n8n/server.mts';
import { buildStage } from '../../dev/harness/stage.mts';
import { onTeardown, tearDown } from '../../dev/harness/teardown-list.mts';
import { readWorld } from '../../dev/harness/world.mts';
import {
	everyThreeSeconds,
	inARow,
	node,
	triggerType,
	withCredential,
} from '../../dev/harness/workflows.mts';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import { eventually } from '../waiting.mts';

/** The trigger in an active workflow. Uses a separate n8n, which is killed and started again. */

jest.setTimeout(300_000);

afterAll(tearDown);

const trigger = 'Channel Trigger';
const logFile = '.e2e/trigger-n8n.log';

it('a crash of n8n makes it tell nothing twice and miss nothing, not even what it had kept to itself', async () => {
	const installation = await ensureN8n();
	const stage = await buildStage(installation, { n8n: { logFile } });
	const { sandbox: service } = stage;
	const sandbox = new SandboxClient(service.control);
	let { server, client: n8n } = stage.n8n;
	const credential = await n8n.createCredential(credentialContent(service.url, service.tokens.org));
	const parameters = { pollTimes: everyThreeSeconds, events: ['channelDisconnected'] };
	const workflow = await n8n.createWorkflow({
		name: 'Channel alarm',
		nodes: [
			{ ...node(trigger, triggerType, 0, parameters), ...withCredential(credential) },
			node('Alarm', 'n8n-nodes-base.noOp', 1),
		],
		connections: inARow(trigger, 'Alarm'),
		settings: { executionOrder: 'v1' },
	});
	await n8n.activateWorkflow(workflow);

	/** Kills n8n, as a crash would, and starts it again. */
	const crash = async (meanwhile: () => Promise<unknown>): Promise<void> => {
		await server.kill();
		await meanwhile();
		server = await startN8n(installation, { userFolder: stage.n8n.userFolder, logFile });
		onTeardown(server.stop);
		await server.ready();
		n8n = new N8nClient(server.url, stage.n8n.client.session);
	};
	const polls = async (): Promise<number> =>
		(await sandbox.requests()).filter(({ operationId }) => operationId === 'channel.getAll').length;
	/** Waits until n8n has polled the service so many more times, and has had time to act on it. */
	const waitForPolls = async (more: number): Promise<void> => {
		for (let poll = 0; poll < more; poll++) {
			const before = await polls();
			await eventually(async () => (await polls()) > before, 'another poll', 200);
		}
		await sleep(500);
	};
	/** The events that started the workflow; errors by their message. */
	const reported = async (): Promise<string[]> => {
		const summaries = await n8n.executions(workflow.id);
		const executions = await Promise.all(summaries.map(async ({ id }) => await n8n.waitForExecution(id)));
		return executions.flatMap((execution) => {
			const { error } = execution.data.resultData;
			if (error !== undefined) return [error.message];
			return outputOf(execution, trigger).map(({ json }) => `${asText(json.event)} ${asText(json.name)}`);
		});
	};
	const untilReported = async (what: string): Promise<void> =>
		await eventually(async () => (await reported()).includes(what), what, 300);
	const connect = async (name: string, isConnected: boolean): Promise<void> => {
		const { channelId } = (await readWorld(sandbox, stage)).channel(name);
		await sandbox.changeChannel(channelId, { isConnected });
	};

	await waitForPolls(1);
	await connect('Support E-mail', false);
	await untilReported('channelDisconnected Support E-mail');

	await crash(async () => {});
	await waitForPolls(3);
	expect(await reported()).toEqual(['channelDisconnected Support E-mail']);

	// It reconnects, which is not reported, and drops again while n8n is down; so does another.
	await connect('Support E-mail', true);
	await waitForPolls(2);
	await crash(async () => {
		await connect('Support E-mail', false);
		await connect('Shop Newsletter', false);
	});
	await untilReported('channelDisconnected Shop Newsletter');
	await waitForPolls(2);
	expect((await reported()).sort()).toEqual([
		'channelDisconnected Shop Newsletter',
		'channelDisconnected Support E-mail',
		'channelDisconnected Support E-mail',
	]);
});
