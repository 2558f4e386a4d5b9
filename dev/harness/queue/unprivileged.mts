import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SetupProblem } from '../n8n/node24.mts';
import { ownPackage } from '../n8n/paths.mts';
import type { QueuePrograms } from './programs.mts';

/** A user without rights, because PostgreSQL refuses to run as root. */
export interface Unprivileged {
	/** A new folder that belongs to this user. */
	folder(name: string): { readonly path: string; remove(): void };
	/** A program and its arguments, as this user. */
	command(program: string, args: readonly string[]): { program: string; args: string[] };
}

/** PostgreSQL's own user comes with Debian's package, the other one with Debian. */
const candidates = ['postgres', 'nobody'];

/** The user of this process, or a system user when this process is root. */
export function unprivileged({ setpriv }: Pick<QueuePrograms, 'setpriv'>): Unprivileged {
	const user = process.getuid?.() === 0 ? systemUser() : null;
	return {
		folder: (name) => {
			const path = mkdtempSync(join(tmpdir(), `${ownPackage().name}-${name}-`));
			if (user !== null) chownSync(path, user.uid, user.gid);
			return {
				path,
				remove: () => {
					rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
				},
			};
		},
		command: (program, args) =>
			user === null
				? { program, args: [...args] }
				: {
						program: setpriv,
						args: [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', program, ...args],
					},
	};
}

function systemUser(): { uid: number; gid: number } {
	for (const name of candidates) {
		try {
			return { uid: idOf('-u', name), gid: idOf('-g', name) };
		} catch {
			// No such user on this system.
		}
	}
	throw new SetupProblem(
		`PostgreSQL does not run as root, and this system has no user ${candidates.join(' or ')}: run the tests of queue mode as another user.`,
	);
}

const idOf = (which: '-u' | '-g', name: string): number =>
	Number(execFileSync('id', [which, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
