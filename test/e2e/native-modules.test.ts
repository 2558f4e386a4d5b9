/** @jest-environment node */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { getNativeModule, nativeModulesToBuild, type NativeBuild } from '../../harness/n8n/native-modules.ts';
import { findNode24 } from '../../harness/n8n/node24.ts';
import { projectRoot } from '../../harness/n8n/paths.ts';

let folder = '';

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'native-modules-test-'));
});

afterEach(() => {
	rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, file: string, text: string): void => {
	mkdirSync(join(folder, 'node_modules', name), { recursive: true });
	writeFileSync(join(folder, 'node_modules', name, file), text);
};

/** A module as sqlite3 is, whose binary is what this program fetches. There is nothing to build it from. */
function moduleWith({ fetches }: { fetches: string }): void {
	const install = 'prebuild-install -r napi || node-gyp rebuild';
	write('sqlite3', 'package.json', JSON.stringify({ name: 'sqlite3', scripts: { install } }));
	write('sqlite3', 'index.js', "require('./binary.js')");
	write('prebuild-install', 'package.json', '{ "name": "prebuild-install" }');
	write('prebuild-install', 'bin.js', fetches);
}

const build = (): NativeBuild => ({
	root: projectRoot(),
	folder,
	// No headers are fetched for what is not built.
	node: { ...findNode24(), headers: folder },
	log: join(folder, 'log'),
});

test('a binary that can be had is fetched, with what the module says of it, and nothing is built', async () => {
	moduleWith({
		fetches:
			"require('fs').writeFileSync('binary.js', process.argv.slice(2).join() === '-r,napi' ? '' : 'wrong')",
	});
	expect(nativeModulesToBuild(build())).toStrictEqual(['sqlite3']);
	const { ok, output } = await getNativeModule('sqlite3', build());
	expect(ok).toBe(true);
	expect(output).not.toContain('gyp');
	expect(nativeModulesToBuild(build())).toStrictEqual([]);
});

test.each([
	['is not there', 'process.exit(1)'],
	['does not load', "require('fs').writeFileSync('binary.js', 'throw new Error()')"],
	['never arrives', 'setInterval(() => undefined, 1000)'],
])('where the binary %s, the module is built', async (_what, fetches) => {
	moduleWith({ fetches });
	const { ok, output } = await getNativeModule('sqlite3', { ...build(), downloadLimitMs: 2_000 });
	expect(ok).toBe(false);
	expect(output).toContain('gyp');
});
