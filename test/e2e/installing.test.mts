/** @jest-environment node */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { credentialContent } from '../../dev/harness/credential.mts';
import { errorOf, N8nClient, outputOf, type StoredWorkflow } from '../../dev/harness/n8n/api.mts';
import { testOwner } from '../../dev/harness/n8n/fresh-n8n.mts';
import { ensureN8n, type N8nInstallation } from '../../dev/harness/n8n/install.mts';
import { ownPackage, projectRoot, readJson } from '../../dev/harness/n8n/paths.mts';
import { type N8nServer, startN8n } from '../../dev/harness/n8n/server.mts';
import { createUserFolder, packProject, type UserFolder } from '../../dev/harness/n8n/user-folder.mts';
import { messagingType, messagingWorkflow, names, sendThrough } from '../../dev/harness/workflows.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import { type SandboxProcess, spawnSandbox } from '../../dev/sandbox/spawn.mts';
import { commandsBelow, removal, runCommands } from './readme-commands.mts';

/** What Docker does, without Docker: an n8n of its own with an empty user folder, and the README's commands in it. */

/** n8n starts five times. */
jest.setTimeout(300_000);

const { name, version } = ownPackage();
const OLDER = '0.9.0';

let installation: N8nInstallation;
let folder: UserFolder;
let sandbox: SandboxProcess;
let server: N8nServer;
let client: N8nClient;
let session: string | undefined;
let workflow: StoredWorkflow;

/** Starts n8n, or restarts it, in the same folder. */
async function restart(env: Record<string, string> = {}): Promise<void> {
	await server?.stop();
	const logFile = join(projectRoot(), '.e2e/n8n-installing.log');
	server = await startN8n(installation, { userFolder: folder.path, logFile, env });
	await server.ready();
	client = new N8nClient(server.url, session);
}

const tarballs = (): string => join(folder.path, 'downloads');

const runInFolder = async (commands: readonly string[]): Promise<void> => {
	await runCommands(commands, { home: folder.path, tarballs: tarballs(), node: installation.node });
};

/** The commands for another version of the package. */
const forOlder = (commands: readonly string[]): string[] =>
	commands.map((command) => command.replaceAll(`${name}-${version}.tgz`, `${name}-${OLDER}.tgz`));

/** Packs the project as if it had an older version. */
async function packOlder(): Promise<void> {
	const copy = join(folder.path, 'older');
	for (const path of ['dist', 'README.md', 'LICENSE.md']) {
		cpSync(join(projectRoot(), path), join(copy, path), { recursive: true });
	}
	const manifest = { ...readJson(join(projectRoot(), 'package.json')), version: OLDER };
	writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest));
	await runInFolder([`npm pack --ignore-scripts --pack-destination . ../older`]);
}

/** The version of the package whose node n8n offers. */
async function offered(): Promise<unknown> {
	return (await client.nodeTypes()).find((type) => type['name'] === messagingType)?.[
		'communityNodePackageVersion'
	];
}

/** Executes the workflow, which sends one message. */
const send = async () => await client.runWorkflow(workflow.id, names.start);

/** The statuses of the workflow's executions, the newest first. */
const statuses = async () => (await client.executions(workflow.id)).map(({ status }) => status);

const messagesSent = async () => (await new SandboxClient(sandbox.control).state()).messages.length;

/** That the workflow sends. */
async function expectToSend(): Promise<void> {
	const execution = await send();
	expect(errorOf(execution, names.messaging)).toBeUndefined();
	expect(outputOf(execution, names.success)).toMatchObject([
		{ json: { messageId: expect.anything() as unknown } },
	]);
}

/** Stores the workflow and its credential, which n8n knows once the package is installed. */
async function storeWorkflow(): Promise<void> {
	const credential = await client.createCredential(credentialContent(sandbox.url, sandbox.tokens.org));
	const world = await readWorld(new SandboxClient(sandbox.control), { sandbox });
	workflow = await client.createWorkflow(
		messagingWorkflow({
			name: 'Sends one message',
			credential,
			parameters: sendThrough(world.channel('Support E-mail').channelId, {
				toEmail: 'ada@example.com',
				text: 'Hello',
			}),
		}),
	);
}

beforeAll(async () => {
	installation = await ensureN8n();
	folder = createUserFolder();
	sandbox = await spawnSandbox();
	await packProject(installation.node, tarballs());
	await packOlder();
	await restart();
	await client.setUpOwner(testOwner);
	({ session } = client);
});

afterAll(async () => {
	await server?.stop();
	await sandbox?.stop();
	folder?.remove();
});

describe('the commands of the README', () => {
	test('Docker: in an empty folder, after a restart the node is there and sends', async () => {
		expect(existsSync(join(folder.path, '.n8n/nodes/node_modules'))).toBe(false);
		expect(await offered()).toBeUndefined();
		await runInFolder(commandsBelow('### Docker'));
		await restart();
		expect(await offered()).toBe(version);
		await storeWorkflow();
		await expectToSend();
		// Nothing but the package was installed, above all no second n8n-workflow.
		const lock = readFileSync(join(folder.path, '.n8n/nodes/package-lock.json'), 'utf8');
		const { packages } = JSON.parse(lock) as { packages: object };
		expect(Object.keys(packages)).toStrictEqual(['', `node_modules/${name}`]);
		expect(await client.call('GET', '/rest/community-packages')).toStrictEqual([]);
	});

	test('removing: n8n starts, says what is missing when the workflow should start, and sends nothing', async () => {
		await runInFolder(removal());
		await restart();
		expect(await offered()).toBeUndefined();
		await expect(send()).rejects.toThrow(`Unrecognized node type: ${messagingType}`);
		expect(await messagesSent()).toBe(1);
		expect(await statuses()).toStrictEqual(['running', 'success']);
	});

	test('a server without Docker: an older version', async () => {
		await runInFolder(forOlder(commandsBelow('### A server without Docker')));
		await restart();
		expect(await offered()).toBe(OLDER);
		// The execution that n8n did not start, and gave up as it was started itself.
		expect(await statuses()).toStrictEqual(['crashed', 'success']);
		await expectToSend();
	});

	test('upgrading: the new version replaces the older one, and the workflow and its credential stay', async () => {
		await runInFolder(commandsBelow('### Docker'));
		await restart();
		expect(await offered()).toBe(version);
		await expectToSend();
	});
});
