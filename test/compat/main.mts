/**
 * Runs the engine tests in each n8n of `versions.mts`, each installed into `.cache/compat`. Prints the rows for
 * docs/internals/compatibility.md, which is written by hand.
 *
 *     npx node test/compat/main.mts              all of them: an hour and more
 *     npx node test/compat/main.mts 2.0.3 2.4.8  these alone
 *     npx node test/compat/main.mts --oldest     a short choice of tests in the oldest one
 *     npx node test/compat/main.mts --newest     all tests in the newest n8n-core on npm
 *
 * With `--outputFile FILE`, the totals are written into a file, as jest does it.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { findNode24 } from '../../dev/harness/n8n/node24.mts';
import buildPackage from '../build.mts';
import type { Lack } from '../engine/n8n-under-test.mts';
import { runEngineTests } from './tests.mts';
import { installedCore, installedNode, newestCore } from './install.mts';
import { prepare } from './under-test.mts';
import { chosenTests, oldest, versions, type N8nVersion } from './versions.mts';

const { values: options, positionals: asked } = parseArgs({
	allowPositionals: true,
	options: {
		oldest: { type: 'boolean', default: false },
		newest: { type: 'boolean', default: false },
		outputFile: { type: 'string' },
	},
});
await buildPackage();
const node24 = findNode24();
const unknown = asked.filter((wanted) => !versions.some(({ n8n }) => n8n === wanted));
if (unknown.length > 0) throw new Error(`Not in test/compat/versions.mts: ${unknown.join(', ')}`);

/** The page's names for features that an n8n lacks. */
const names: Readonly<Record<Lack, string>> = {
	cause: 'cause of network errors',
	isolates: 'isolated expressions',
	toolErrors: 'agents that go on after a tool fails',
};

/** As jest counts them. */
const total = { numPassedTests: 0, numFailedTests: 0 };
/** Rows of the table in docs/internals/compatibility.md. */
const rows: string[] = [];

/** Runs engine tests in one n8n on one Node.js. */
async function tryOn({ n8n, core }: N8nVersion, major: number, tests: 'all' | 'chosen'): Promise<void> {
	const folder = await installedCore(core, node24);
	const program = await installedNode(major, node24);
	const node = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().slice(1);
	const { under, workflow } = await prepare(folder, program);
	const files = tests === 'all' ? ['test/engine/'] : chosenTests;
	const { passed, skipped, failures, repeated } = await runEngineTests(under, files);
	const lacks = under.lacks.map((lack) => names[lack]).join(', ') || 'nothing';
	total.numPassedTests += passed;
	total.numFailedTests += failures.length;
	const columns = [n8n, core, workflow, node, tests, passed, failures.length, skipped, lacks];
	rows.push(`| ${columns.join(' | ')} |`);
	console.log(rows.at(-1));
	for (const name of failures) console.log(`  failed: ${name}`);
	for (const name of repeated) console.log(`  passed when repeated: ${name}`);
}

if (options.oldest) {
	await tryOn(oldest, oldest.nodes[0] ?? 24, 'chosen');
} else if (options.newest) {
	await tryOn({ n8n: 'newest', core: newestCore(), nodes: [24] }, 24, 'all');
} else {
	for (const version of versions.filter(({ n8n }) => asked.length === 0 || asked.includes(n8n))) {
		// All tests on the oldest Node.js that it runs on, the chosen ones on the newest.
		for (const [index, major] of version.nodes.entries()) {
			await tryOn(version, major, index === 0 ? 'all' : 'chosen');
		}
	}
}
if (rows.length > 0) console.log(`\nFor docs/internals/compatibility.md:\n${rows.join('\n')}`);
if (options.outputFile !== undefined) writeFileSync(options.outputFile, JSON.stringify(total));
process.exitCode = total.numFailedTests === 0 ? 0 : 1;
