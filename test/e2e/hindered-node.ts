import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Node24 } from '../../harness/n8n/node24.ts';

const isRoot = process.getuid?.() === 0;

/** How a folder becomes a disk that holds next to nothing, or one that can only be read. */
const kinds = {
	small: 'mount -t tmpfs -o size=200k none "$0"',
	'read-only': 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"',
} as const;

/** Makes a disk of the folder that follows, and goes on with what stands behind it. */
const onDisk = (kind: keyof typeof kinds): string[] => [
	...['unshare', ...(isRoot ? [] : ['--map-root-user']), '--mount', 'sh', '-c'],
	`${kinds[kind]} && exec "$@"`,
];

/** Whether the system lets whoever runs this make a disk. */
export const disksArePossible = ((): boolean => {
	const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
	try {
		return runs([...onDisk('small'), folder, ...onDisk('read-only'), folder, 'true']);
	} finally {
		rmSync(folder, { recursive: true });
	}
})();

/**
 * A Node for which a folder is a disk of its own.
 *
 * @param folder where its program is put
 * @param disk made where it is missing
 */
export function withDisk(node: Node24, folder: string, disk: string, kind: keyof typeof kinds): Node24 {
	mkdirSync(disk, { recursive: true });
	return through([...onDisk(kind), disk], node, folder);
}

const asAnybody = ['setpriv', '--inh-caps=-all', '--bounding-set=-dac_override,-dac_read_search'];

/** Whether an administrator can do without the right to write everywhere; nobody else has it. */
export const permissionsCount = !isRoot || runs([...asAnybody, 'true']);

/**
 * A Node that writes only where the folders allow it, an administrator's too.
 *
 * @param folder where its program is put
 */
export const withoutMight = (node: Node24, folder: string): Node24 =>
	isRoot ? through(asAnybody, node, folder) : node;

function through(command: readonly string[], node: Node24, folder: string): Node24 {
	const program = join(folder, 'hindered-node');
	const quoted = [...command, node.program].map((word) => `'${word}'`).join(' ');
	writeFileSync(program, `#!/bin/sh\nexec ${quoted} "$@"\n`);
	chmodSync(program, 0o755);
	return { ...node, program };
}

function runs([program = '', ...args]: readonly string[]): boolean {
	try {
		execFileSync(program, args, { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}
