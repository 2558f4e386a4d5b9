import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { copyProject, pack, packElsewhere } from '../../dev/release/pack.mts';

/** `npm pack` in a clone, where nothing is built yet, and what n8n finds in its tarball. */

jest.setTimeout(300_000);

const run = promisify(execFile);
let place = '';
let clone = '';
let tarball = '';

beforeAll(async () => {
	place = mkdtempSync(join(tmpdir(), 'unified-messaging-clone-'));
	clone = join(place, 'clone');
	copyProject(process.cwd(), clone);
	tarball = await pack(clone, place);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

test('packed again, in another folder, it has the same bytes', async () => {
	const again = await packElsewhere(clone, join(place, 'again'));
	expect(readFileSync(again).equals(readFileSync(tarball))).toBe(true);
});

/** Where n8n looks for packages: below the clone, so that they find its n8n-workflow. */
const folders = {
	'~/.n8n/nodes': 'PackageDirectoryLoader',
	'~/.n8n/custom': 'CustomDirectoryLoader',
} as const;

test.each(Object.entries(folders))(
	"%s: n8n's loader finds nodes and credential, and loads each file once, also the one with the gates",
	async (_folder, loader) => {
		const directory = join(clone, loader);
		const installed = join(directory, 'node_modules', 'n8n-nodes-unified-messaging');
		mkdirSync(installed, { recursive: true });
		await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
		// As n8n starts: jest's NODE_ENV would have the loader read classes another way.
		const program = `
			const core = require('n8n-core');
			const [loader, directory] = process.argv.slice(1);
			const loading = new core[loader](directory);
			loading.loadAll().then(() => {
				const names = [...Object.keys(loading.nodeTypes), ...Object.keys(loading.credentialTypes)];
				const files = Object.keys(require.cache).filter((file) => file.includes('unified-messaging/dist'));
				process.stdout.write('\\n' + JSON.stringify({ names, files }));
				process.exit();
			});
		`;
		const where = loader === 'CustomDirectoryLoader' ? directory : installed;
		const { NODE_ENV: _, ...env } = process.env;
		const { stdout } = await run(process.execPath, ['--eval', program, loader, where], { cwd: clone, env });
		const { names, files } = JSON.parse(stdout.split('\n').at(-1) ?? '') as Record<string, string[]>;
		expect(names).toStrictEqual(['messaging', 'messagingTrigger', 'messagingApi']);
		expect(files?.filter((file) => file.endsWith('/delivery/pace/key-gate.js'))).toHaveLength(1);
	},
);
