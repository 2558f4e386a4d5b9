import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { getNativeModule, type NativeBuild } from './native-modules.ts';
import { runPnpm } from './package-managers.ts';
import { readJson } from './paths.ts';

/** sqlite3, which gets ready beside the installation of n8n. */
export interface Sqlite3Aside {
	/** Waits for it and puts it into n8n's tree. When that didn't work, nothing is there and nothing is said. */
	take(): Promise<void>;
	/** Gives it up. */
	stop(): Promise<void>;
}

const binary = 'build/Release/node_sqlite3.node';

/**
 * Starts to get sqlite3 ready in a folder of its own, while the rest of n8n is fetched: to build it keeps one core busy
 * for longer than all the fetching takes. What goes wrong here is left to the attempt in n8n's own tree, which says it.
 *
 * @returns null when the folder has no lockfile, which would say which sqlite3 it will be
 */
export function startSqlite3Aside(build: Omit<NativeBuild, 'signal'>): Sqlite3Aside | null {
	const lock = join(build.folder, 'pnpm-lock.yaml');
	const version = existsSync(lock) ? lockedVersion(readFileSync(lock, 'utf8')) : null;
	if (version === null) return null;
	const aside = join(build.root, '.cache/sqlite3');
	const stopping = new AbortController();
	const ready = getReady({ ...build, folder: aside, signal: stopping.signal }, version, lock).catch(
		() => false,
	);
	return {
		take: async () => {
			const target = join(build.folder, 'node_modules/sqlite3');
			if (!(await ready) || versionIn(target) !== version) return;
			try {
				mkdirSync(join(target, 'build/Release'), { recursive: true });
				copyFileSync(join(aside, 'node_modules/sqlite3', binary), join(target, binary));
			} catch {
				rmSync(join(target, 'build'), { recursive: true, force: true });
			}
		},
		stop: async () => {
			stopping.abort();
			await ready;
		},
	};
}

/** @returns whether it is built */
async function getReady(aside: NativeBuild, version: string, lock: string): Promise<boolean> {
	const { folder } = aside;
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	writeFileSync(
		join(folder, 'package.json'),
		JSON.stringify({ name: 'sqlite3-aside', private: true, dependencies: { sqlite3: version } }),
	);
	// The same versions of what it is built with.
	copyFileSync(lock, join(folder, 'pnpm-lock.yaml'));
	const install = ['install', '--no-frozen-lockfile', '--ignore-scripts'];
	const { ok } = await runPnpm(install, { ...aside, cwd: folder });
	return ok && (await getNativeModule('sqlite3', aside)).ok;
}

const lockedVersion = (lock: string): string | null => /^ {2}sqlite3@([^:(]+):/m.exec(lock)?.[1] ?? null;

function versionIn(folder: string): unknown {
	try {
		return readJson(join(folder, 'package.json')).version;
	} catch {
		return undefined;
	}
}
