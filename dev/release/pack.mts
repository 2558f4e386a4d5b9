import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

/** What is not needed to pack the package. */
const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', 'dist', '.git', '.cache', '.e2e', 'coverage']);

/**
 * Copies the sources of a project as in a clone, and links the installed tools of the original.
 *
 * @param copy a folder that does not exist yet
 */
export function copyProject(project: string, copy: string): void {
	cpSync(project, copy, {
		recursive: true,
		filter: (path) => path === project || !LEFT_OUT.has(basename(path)),
	});
	symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'), 'junction');
}

/**
 * Runs `npm pack`, with the build that belongs to it.
 *
 * @param folder where the tarball goes; it must exist
 * @returns the path of the tarball
 * @throws when npm fails, with what it printed in `stderr`
 */
export async function pack(project: string, folder: string): Promise<string> {
	// Variables of jest and of the outer npm must not reach the npm that packs.
	const env = Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$|INIT_CWD$)/i.test(name)),
	);
	const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', folder], {
		cwd: project,
		env,
		shell: process.platform === 'win32',
	});
	// What the build prints comes first.
	const [packed] = JSON.parse(stdout.slice(stdout.search(/^\[$/m))) as Array<{ filename: string }>;
	if (packed === undefined) throw new Error(`npm packed nothing: ${stdout}`);
	return join(folder, packed.filename);
}

/**
 * Packs a copy of the project: a build that depends on where it runs, or on what was built before, gives other bytes.
 *
 * @param folder where the tarball goes; it is created
 * @returns the path of the tarball
 * @throws when npm fails, with what it printed in `stderr`
 */
export async function packElsewhere(project: string, folder: string): Promise<string> {
	mkdirSync(folder, { recursive: true });
	const place = mkdtempSync(join(tmpdir(), 'packed elsewhere '));
	try {
		copyProject(project, join(place, 'copy'));
		return await pack(join(place, 'copy'), folder);
	} finally {
		rmSync(place, { recursive: true, force: true });
	}
}
