import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ownPackage } from '../n8n/paths.mts';

/** A user without rights, because PostgreSQL refuses to run as root. */
export interface Unprivileged {
	/** A new folder that belongs to this user. */
	folder(name: string): { readonly path: string; remove(): void };
	/** A program and its arguments, as this user. */
	command(program: string, args: readonly string[]): { program: string; args: string[] };
}

/** The user of this process, or PostgreSQL's own, which comes with Debian's package, when this process is root. */
export function unprivileged(): Unprivileged {
	const isRoot = process.getuid?.() === 0;
	return {
		folder: (name) => {
			const path = mkdtempSync(join(tmpdir(), `${ownPackage().name}-${name}-`));
			if (isRoot) chownSync(path, idOf('-u'), idOf('-g'));
			return {
				path,
				remove: () => {
					rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
				},
			};
		},
		command: (program, args) =>
			isRoot
				? {
						program: 'setpriv',
						args: [`--reuid=${idOf('-u')}`, `--regid=${idOf('-g')}`, '--clear-groups', program, ...args],
					}
				: { program, args: [...args] },
	};
}

const idOf = (which: '-u' | '-g'): number =>
	Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
