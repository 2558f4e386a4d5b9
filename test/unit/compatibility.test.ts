import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { chosenTests, compatibility, documentFile } from '../compat/document.ts';
import { readResults } from '../compat/results.ts';
import { oldest, versions } from '../compat/versions.ts';

/** What is said about the n8n that the package runs in, held against what was found. */

const read = (path: string): string => readFileSync(join(process.cwd(), path), 'utf8');

/** Prettier sets tables by their widest cell. */
const words = (text: string): string => text.replace(/-{3,}/g, '---').replace(/[ \t]+/g, ' ');

test('docs/compatibility.md says what the runs have found', () => {
	expect(words(read(documentFile))).toBe(words(compatibility(readResults())));
});

test('the oldest that is supported was tried, and nothing failed in it; nothing is kept of others than the list has', () => {
	const results = readResults();
	const tried = Object.values(results[oldest.n8n]?.tried ?? {});
	expect(tried.length).toBeGreaterThan(0);
	expect(tried.flatMap(({ failures }) => failures)).toEqual([]);
	expect(Object.keys(results).filter((n8n) => !versions.some((one) => one.n8n === n8n))).toEqual([]);
});

test('the list ends with the n8n that the project is made with', () => {
	const { dependencies } = JSON.parse(read('harness/n8n/package.json')) as { dependencies: { n8n: string } };
	expect(versions.at(-1)?.n8n).toBe(dependencies.n8n);
});

test('package.json asks for no more of n8n than the oldest one has, and the README names it', () => {
	const { n8n } = JSON.parse(read('package.json')) as { n8n: { n8nNodesApiVersion: number } };
	// The only level that there was until now, which an n8n that knows of no levels takes as well.
	expect(n8n.n8nNodesApiVersion).toBe(1);
	const [major, minor] = oldest.n8n.split('.');
	expect(read('README.md')).toContain(`The oldest n8n that is supported is ${major}.${minor}, `);
});

test('the chosen tests are there', () => {
	expect(chosenTests.filter((file) => !existsSync(join(process.cwd(), file)))).toEqual([]);
});
