import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a command ended, and what it wrote. */
export interface Ended {
	readonly ok: boolean;
	readonly output: string;
}

/** A copy of the project in a temporary folder, with the packages of the original. */
export class Copy {
	readonly root = mkdtempSync(join(tmpdir(), 'walkthrough-'));

	constructor(original: string) {
		const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
			cwd: original,
			encoding: 'utf8',
		});
		for (const file of new Set(files.split('\0'))) {
			if (file !== '') cpSync(join(original, file), join(this.root, file));
		}
		symlinkSync(join(original, 'node_modules'), join(this.root, 'node_modules'), 'dir');
	}

	read(path: string): string {
		return readFileSync(join(this.root, path), 'utf8');
	}

	write(path: string, text: string): void {
		writeFileSync(join(this.root, path), text);
	}

	remove(path: string): void {
		rmSync(join(this.root, path));
	}

	/** Runs a program of the packages, such as `gulp/bin/gulp.js`. */
	run(program: string, ...given: string[]): Ended {
		return this.node(join('node_modules', program), ...given);
	}

	/** Runs a script of the project. */
	node(script: string, ...given: string[]): Ended {
		// What fails here on purpose is no failed test of the run that this is part of.
		const { RESULTS_DIR: _, JEST_WORKER_ID: __, ...env } = process.env;
		const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...given], {
			cwd: this.root,
			env,
			encoding: 'utf8',
		});
		return { ok: status === 0, output: `${stdout}${stderr}` };
	}

	delete(): void {
		rmSync(this.root, { recursive: true, force: true });
	}
}
