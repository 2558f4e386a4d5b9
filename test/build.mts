import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What the build is made of. A deleted file shows in the time of its folder. */
const SOURCES = ['nodes', 'credentials', 'icons', 'api', 'test/cases', 'gulpfile.js', 'tsconfig.json'];

/** What the build writes last. */
const LAST = 'dist/nodes/Messaging/__schema__/v1.0.0.json';

/**
 * Builds the package if a source is newer than the last build. Otherwise nothing is touched: other tests may be using
 * `dist/`.
 *
 * @throws with the build's output, when it fails
 */
export default async function buildPackage(): Promise<void> {
	if (existsSync(LAST) && newest(SOURCES) < statSync(LAST).mtimeMs) return;
	const gulp = join('node_modules', 'gulp', 'bin', 'gulp.js');
	try {
		await promisify(execFile)(process.execPath, [gulp, 'build']);
	} catch (error) {
		const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
		throw new Error(`The package can't be built:\n${stdout}${stderr}`, { cause: error });
	}
}

/** When one of these files and folders, or something in them, was last changed. */
function newest(paths: readonly string[]): number {
	const all = paths.flatMap((path) => [
		path,
		...(statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []).map(
			(name) => join(path, name),
		),
	]);
	return Math.max(...all.map((path) => statSync(path).mtimeMs));
}
