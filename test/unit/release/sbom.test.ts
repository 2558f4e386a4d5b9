import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { sbomOf } from '../../../release/sbom.ts';

/** The bill of materials where the package is not alone; `test/package/pack.test.ts` has that of the package as it is. */

const run = promisify(execFile);

let folder = '';

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'unified-messaging-sbom-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A tarball with this in its package.json, and these files beside it. */
async function tarballWith(more: object, files: readonly string[] = []): Promise<string> {
	const manifest = {
		name: 'n8n-nodes-example',
		version: '1.2.3',
		description: 'An example',
		license: 'MIT',
		homepage: 'https://example.com',
		author: { name: 'Somebody' },
		repository: { type: 'git', url: 'git+https://example.com/n8n-nodes-example.git' },
		...more,
	};
	for (const name of ['package.json', ...files]) {
		const path = join(folder, 'package', name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, JSON.stringify(manifest));
	}
	const tarball = join(folder, 'example.tgz');
	await run('tar', ['-czf', tarball, '-C', folder, 'package']);
	return tarball;
}

test('a package alone is the only thing on it', async () => {
	const bill = await sbomOf(
		await tarballWith({ dependencies: {}, peerDependencies: { 'n8n-workflow': '*' } }),
	);
	expect(bill).toMatchObject({
		metadata: { component: { name: 'n8n-nodes-example', version: '1.2.3', author: 'Somebody' } },
		components: [],
	});
});

test.each([
	['a dependency', { dependencies: { luxon: '3.7.2' } }, []],
	['an optional one', { optionalDependencies: { luxon: '3.7.2' } }, []],
	['one that is packed along', { bundleDependencies: ['luxon'] }, []],
	['one that only the tarball shows', {}, ['node_modules/luxon/package.json']],
])('%s makes none: a list without it would be wrong', async (_kind, more, files) => {
	await expect(sbomOf(await tarballWith(more, files))).rejects.toThrow('brings other packages along');
});
