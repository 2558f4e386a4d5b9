import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';

import { createUserFolder, type UserFolder } from '../n8n/user-folder.mts';

/** A user without rights, because PostgreSQL refuses to run as root. */
export interface Unprivileged {
	/** A new folder that belongs to this user. */
	folder(): UserFolder;
	/** A program and its arguments, as this user. */
	command(program: string, args: readonly string[]): { program: string; args: string[] };
}

/** The user of this process, or PostgreSQL's own, which comes with Debian's package, when this process is root. */
export function unprivileged(): Unprivileged {
	const isRoot = process.getuid?.() === 0;
	return {
		folder: () => {
			const folder = createUserFolder();
			if (isRoot) chownSync(folder.path, idOf('-u'), idOf('-g'));
			return folder;
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
