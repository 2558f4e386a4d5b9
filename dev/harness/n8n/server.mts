import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { request } from 'undici';

import { basicEnvironment, startGuarded, untilPrinted, type GuardedProgram } from './guarded.mts';
import type { N8nInstallation } from './install.mts';
import { SetupProblem } from './node24.mts';
import { projectRoot } from './paths.mts';
import { freePort } from './ports.mts';

/** A running n8n. */
export interface N8nServer extends GuardedProgram {
	/** The editor's address, which is the API's as well. */
	readonly url: string;
	/** Resolves when n8n serves its editor and its API; rejects with one line if it can't. */
	ready(): Promise<void>;
}

/** How n8n is started. */
export interface N8nServerOptions {
	/** What n8n takes for the user's home, with its database and installed packages. */
	readonly userFolder: string;
	/** The port to listen on; a free one by default. */
	readonly port?: number;
	readonly logFile?: string;
	/** Settings of n8n or of Node.js that override those made here. */
	readonly env?: Readonly<Record<string, string>>;
}

const host = '127.0.0.1';

/** Starts n8n on a port that only this machine reaches. The caller has to stop it, ready or not. */
export async function startN8n(n8n: N8nInstallation, options: N8nServerOptions): Promise<N8nServer> {
	const port = options.port ?? (await freePort());
	const program = startGuarded(n8n.node, {
		program: n8n.node.program,
		args: [n8n.program, 'start'],
		cwd: options.userFolder,
		env: {
			...n8nEnvironment(options.userFolder),
			...unwantedModules(n8n.folder),
			N8N_PORT: String(port),
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			...options.env,
		},
		logFile: options.logFile ?? join(projectRoot(), '.e2e/n8n.log'),
	});
	const server: N8nServer = {
		...program,
		url: `http://${host}:${port}`,
		ready: async () => {
			// Another program may own the port and answer, so n8n's own log must say that it is ready too.
			await untilPrinted(program, 'n8n', 'Editor is now accessible via');
			while (program.running() && !(await isReady(server.url))) await sleep(300);
			if (!program.running()) {
				throw new SetupProblem(`n8n ended while starting. Its log is in ${server.logFile}`);
			}
		},
	};
	return server;
}

/** Ready means that the database is migrated and that the editor's own first request is answered. */
async function isReady(url: string): Promise<boolean> {
	for (const path of ['/healthz/readiness', '/rest/settings']) {
		try {
			const { statusCode, headers, body } = await request(url + path, {
				headersTimeout: 5_000,
				bodyTimeout: 5_000,
			});
			await body.dump();
			// While it starts, n8n answers every path with a page that says so.
			if (statusCode !== 200 || !String(headers['content-type']).includes('json')) return false;
		} catch {
			return false;
		}
	}
	return true;
}

/**
 * The setting that switches off modules that call n8n's own hosts. An older n8n would not start with modules that it
 * does not know.
 *
 * @param folder in which n8n is installed
 */
export function unwantedModules(folder: string): Record<string, string> {
	const name = 'mcp-registry';
	const isThere = existsSync(join(folder, 'node_modules/n8n/dist/modules', name));
	return isThere ? { N8N_DISABLED_MODULES: name } : {};
}

/**
 * The settings of every n8n that is started here. It must not get settings of another n8n on this machine, of npm or
 * of jest, nor a proxy for 127.0.0.1.
 *
 * @param userFolder what n8n takes for the user's home
 */
export function n8nEnvironment(userFolder: string): Record<string, string> {
	return {
		...basicEnvironment(),
		HOME: userFolder,
		USERPROFILE: userFolder,
		N8N_USER_FOLDER: userFolder,
		GENERIC_TIMEZONE: 'UTC',
		N8N_LISTEN_ADDRESS: host,
		N8N_HOST: host,
		N8N_SECURE_COOKIE: 'false',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		// Switches off what calls n8n's own hosts, or needs a Python that is not installed.
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		N8N_PYTHON_ENABLED: 'false',
		NO_COLOR: '1',
	};
}
