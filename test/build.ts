import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Builds the package before the tests: what they load from `dist/` is what the sources say. It takes a moment, and
 * a build that is the same stays where it is, so that other tests can run beside these.
 *
 * @throws with what the build printed, when the sources can't be built
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
