import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

test('api/schema.d.ts is what api/openapi.yaml gives', async () => {
	const root = process.cwd();
	const folder = await mkdtemp(join(tmpdir(), 'api-types-'));
	try {
		const generated = join(folder, 'schema.d.ts');
		const generator = join(root, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
		await promisify(execFile)(process.execPath, [generator, 'api/openapi.yaml', '--output', generated], {
			cwd: root,
		});
		const [fresh, committed] = await Promise.all([
			readFile(generated, 'utf8'),
			readFile(join(root, 'api', 'schema.d.ts'), 'utf8'),
		]);
		if (fresh !== committed) {
			throw new Error('api/schema.d.ts is stale: run "npm run types:api" and commit what it writes.');
		}
	} finally {
		await rm(folder, { recursive: true });
	}
}, 60_000);
