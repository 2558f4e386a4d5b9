/** Packs the package: here, and as somebody else would, to see that it comes out the same. */
import { execFile } from 'node:child_process';
import {
	chmodSync,
	cpSync,
	lstatSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const shell = process.platform === 'win32';

/** What a clone does not have, or need not have, to pack the package. */
const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', 'dist', '.git', '.cache', '.e2e', 'coverage']);

/** The environment without what jest and the npm around it set: the npm that packs runs as somebody starts it. */
export function plainEnvironment(): NodeJS.ProcessEnv {
	const names = Object.keys(process.env).filter((name) => !/^(npm_|NODE_ENV$|INIT_CWD$)/i.test(name));
	return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

/** Copies the sources of a project as they stand, without what was installed or built there. */
export function copySources(project: string, copy: string): void {
	cpSync(project, copy, {
		recursive: true,
		filter: (path) => path === project || !LEFT_OUT.has(basename(path)),
	});
}

/**
 * `npm pack`, with the build and the check of types that belong to it.
 *
 * @param folder where the tarball goes; it must be there
 * @returns the path of the tarball
 * @throws when npm fails, with what it printed in `stderr`
 */
export async function pack(project: string, folder: string): Promise<string> {
	return await npmPack(project, folder, [], plainEnvironment());
}

/**
 * Packs a copy of a project whose tools are installed: in another folder, on another day, in another time zone and
 * language, with a stricter umask, from files that are older and that nobody else may read. Types are not checked
 * again: they leave nothing in the package.
 *
 * @param folder where the tarball goes; it must be there
 * @returns the path of the tarball
 * @throws when a command fails, with what it printed in `stderr`
 */
export async function packElsewhere(project: string, folder: string): Promise<string> {
	const place = mkdtempSync(join(tmpdir(), 'packed elsewhere '));
	try {
		const copy = join(place, 'Ein anderer Ordner', 'copy');
		copySources(project, copy);
		for (const path of filesIn(copy)) {
			chmodSync(path, 0o600);
			utimesSync(path, LONG_AGO, LONG_AGO);
		}
		symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'), 'junction');
		writeFileSync(join(place, 'another-day.cjs'), ANOTHER_DAY);
		const env = {
			...plainEnvironment(),
			TZ: 'Pacific/Kiritimati',
			LC_ALL: 'tr_TR.UTF-8',
			NODE_OPTIONS: `--require=${JSON.stringify(join(place, 'another-day.cjs'))}`,
		};
		const gulp = join(copy, 'node_modules', 'gulp', 'bin', 'gulp.js');
		await strictly(process.execPath, [gulp, 'build', 'papers', '--series'], copy, env);
		return await npmPack(copy, folder, ['--ignore-scripts'], env, strictly);
	} finally {
		rmSync(place, { recursive: true, force: true });
	}
}

const LONG_AGO = new Date('2001-02-03T04:05:06Z');

/** Makes it 400 days earlier for whatever Node runs. */
const ANOTHER_DAY = `'use strict';
const Today = Date;
globalThis.Date = class extends Today {
	constructor(...parts) {
		super(...(parts.length > 0 ? parts : [Date.now()]));
	}
	static now() {
		return Today.now() - 400 * 86_400_000;
	}
	static [Symbol.hasInstance](value) {
		return Object.prototype.toString.call(value) === '[object Date]';
	}
};
`;

type Run = (program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) => Promise<string>;

/** Runs a program and gives what it prints. */
const plainly: Run = async (program, args, cwd, env) =>
	(await run(program, args, { cwd, env, shell })).stdout;

/** The same, where what it writes is for its owner alone. */
const strictly: Run = async (program, args, cwd, env) =>
	shell
		? await plainly(program, args, cwd, env)
		: await plainly('sh', ['-c', 'umask 077; exec "$@"', 'sh', program, ...args], cwd, env);

async function npmPack(
	project: string,
	folder: string,
	options: readonly string[],
	env: NodeJS.ProcessEnv,
	start: Run = plainly,
): Promise<string> {
	const printed = await start(
		'npm',
		['pack', '--json', ...options, '--pack-destination', folder],
		project,
		env,
	);
	// What the build prints stands before it.
	const [packed] = JSON.parse(printed.slice(printed.search(/^\[$/m))) as Array<{ filename: string }>;
	if (packed === undefined) throw new Error(`npm packed nothing: ${printed}`);
	return join(folder, packed.filename);
}

function filesIn(folder: string): string[] {
	return readdirSync(folder, { recursive: true })
		.map((name) => join(folder, String(name)))
		.filter((path) => lstatSync(path).isFile());
}
