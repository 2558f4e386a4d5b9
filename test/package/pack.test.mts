import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { copyProject, pack } from '../../dev/release/pack.mts';

/** `npm pack` in a clone, where nothing is built yet, and what n8n finds in its tarball. */

let place = '';

beforeEach(() => (place = mkdtempSync(join(tmpdir(), 'unified-messaging-clone-'))));
afterEach(() => rmSync(place, { recursive: true, force: true }));

test('the package works where it is unpacked', async () => {
	const clone = join(place, 'clone');
	copyProject(process.cwd(), clone);
	const manifest = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as {
		name: string;
		n8n: { nodes: string[]; credentials: string[] };
	};
	const installed = join(clone, 'installed', 'node_modules', manifest.name);
	mkdirSync(installed, { recursive: true });
	const tarball = await pack(clone, place);
	await promisify(execFile)('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);

	const require = createRequire(join(installed, 'package.json'));
	const classes = [...manifest.n8n.nodes, ...manifest.n8n.credentials].flatMap((file) =>
		Object.keys(require(join(installed, file)) as object),
	);
	expect(classes).toStrictEqual(['Messaging', 'MessagingTrigger', 'MessagingApi']);
}, 300_000);
