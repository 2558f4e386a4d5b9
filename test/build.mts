import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Builds the package before the tests, so that `dist/` matches the sources. An unchanged build is left in place, so that
 * other tests can run at the same time.
 *
 * @throws with the build's output, when it fails
 */
export default async function buildPackage(): Promise<void> {
	const gulp = join(process.cwd(), 'node_modules', 'gulp', 'bin', 'gulp.js');
	try {
		await promisify(execFile)(process.execPath, [gulp, 'build']);
	} catch (error) {
		const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
		throw new Error(`The package can't be built:\n${stdout}${stderr}`, { cause: error });
	}
}
