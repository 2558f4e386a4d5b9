import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { chosenTests, versions } from '../compat/versions.mts';

/** Compares the list of n8n versions with what the package declares. */

const read = (path: string): string => readFileSync(join(process.cwd(), path), 'utf8');

test('the list ends with the n8n that the project is made with', () => {
	const { dependencies } = JSON.parse(read('dev/harness/n8n/package.json')) as {
		dependencies: { n8n: string };
	};
	expect(versions.at(-1)?.n8n).toBe(dependencies.n8n);
});

test('package.json asks for no more of n8n than the oldest one has', () => {
	const { n8n } = JSON.parse(read('package.json')) as { n8n: { n8nNodesApiVersion: number } };
	// The only level so far; an n8n that does not know levels accepts it too.
	expect(n8n.n8nNodesApiVersion).toBe(1);
});

test('the chosen tests are there', () => {
	expect(chosenTests.filter((file) => !existsSync(join(process.cwd(), file)))).toEqual([]);
});
