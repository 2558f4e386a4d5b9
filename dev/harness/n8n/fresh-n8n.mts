import { N8nClient, type Owner } from './api.mts';
import type { N8nInstallation } from './install.mts';
import { startN8n, type N8nServer, type N8nServerOptions } from './server.mts';
import { onTeardown } from '../teardown-list.mts';
import { createUserFolder, installPacked } from './user-folder.mts';

/** A new n8n that is ready to be used. */
export interface FreshN8n {
	readonly server: N8nServer;
	/** Logged in as the owner. */
	readonly client: N8nClient;
	/** The folder that n8n takes for the user's home. */
	readonly userFolder: string;
}

/** How it is started. */
export interface FreshN8nOptions extends Omit<N8nServerOptions, 'userFolder'> {
	readonly owner?: Owner;
}

/** The owner of an n8n for tests. */
export const testOwner: Owner = {
	email: 'owner@example.com',
	password: 'Only-for-tests-1',
	firstName: 'Ada',
	lastName: 'Owner',
};

/** Starts an n8n with a new database, the packed package installed and its owner logged in. `tearDown` ends it. */
export async function startFreshN8n(
	installation: N8nInstallation,
	{ owner = testOwner, ...options }: FreshN8nOptions = {},
): Promise<FreshN8n> {
	const userFolder = createUserFolder();
	onTeardown(userFolder.remove);
	await installPacked(userFolder, installation.node);
	const server = await startN8n(installation, { ...options, userFolder: userFolder.path });
	onTeardown(server.stop);
	await server.ready();
	const client = new N8nClient(server.url);
	await client.setUpOwner(owner);
	return { server, client, userFolder: userFolder.path };
}
