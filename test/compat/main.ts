/**
 * `npm run compat`: runs the engine tests in each n8n of `versions.ts`, and writes docs/compatibility.md.
 *
 *     npm run compat                  all of them: an hour and more (nice npm run compat: behind your other work)
 *     npm run compat -- 2.0.3 2.4.8   these alone; what is known of the others stays
 *     npm run compat -- --chosen      a short choice of tests in each
 *     npm run compat -- --first-node  each on the oldest Node.js that it runs on, and on no other
 *     npm run compat -- --workers 2   with so many test files at the same time
 *     npm run compat -- --e2e 2.0.3   the end-to-end tests in the whole of an n8n
 *     npm run compat -- --oldest      a short choice of tests in the oldest one; writes nothing
 *     npm run compat -- --document    writes the document from what is known
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { findNode24 } from '../../harness/n8n/node24.ts';
import { chosenTests, compatibility, documentFile } from './document.ts';
import { runEndToEndTests } from './e2e.ts';
import { runEngineTests, type Counted } from './engine-tests.ts';
import { installedCore, installedNode } from './install.ts';
import { readResults, resultsFile, writeResults } from './results.ts';
import { prepare } from './under-test.ts';
import { oldest, versions, type N8nVersion } from './versions.ts';

const { values: options, positionals: asked } = parseArgs({
	allowPositionals: true,
	options: {
		chosen: { type: 'boolean', default: false },
		oldest: { type: 'boolean', default: false },
		'first-node': { type: 'boolean', default: false },
		workers: { type: 'string' },
		e2e: { type: 'boolean', default: false },
		document: { type: 'boolean', default: false },
	},
});
const node24 = findNode24();
const unknown = asked.filter((wanted) => !versions.some(({ n8n }) => n8n === wanted));
if (unknown.length > 0) throw new Error(`Not in test/compat/versions.ts: ${unknown.join(', ')}`);

let failed = 0;

function say({ n8n }: N8nVersion, node: string, { passed, failed: failures, ...rest }: Counted): void {
	failed += failures;
	process.stdout.write(`n8n ${n8n} on Node ${node}: ${passed} passed, ${failures} failed\n`);
	for (const name of rest.failures) process.stdout.write(`  failed: ${name}\n`);
	for (const name of rest.repeated) process.stdout.write(`  passed when repeated: ${name}\n`);
}

/** Runs all engine tests on the oldest Node.js of a version, and the chosen ones on the others. */
async function tryVersion(version: N8nVersion): Promise<void> {
	const { n8n, core } = version;
	const folder = await installedCore(core, node24);
	for (const [index, major] of version.nodes.entries()) {
		if (index > 0 && options['first-node']) break;
		const program = await installedNode(major, node24);
		const node = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().slice(1);
		const { under, probed } = await prepare(folder, program);
		const tests = index === 0 && !options.chosen ? 'all' : 'chosen';
		const files = tests === 'all' ? ['test/engine/'] : chosenTests;
		const counted = await runEngineTests(under, files, options.workers);
		say(version, node, counted);
		const results = readResults();
		const known = results[n8n];
		writeResults({
			...results,
			[n8n]: {
				...known,
				workflow: probed.workflow,
				tried: { ...known?.tried, [major]: { node, tests, lacks: probed.lacks, ...counted } },
			},
		});
	}
}

/** Runs the end-to-end tests. */
async function tryWhole(version: N8nVersion): Promise<void> {
	const counted = await runEndToEndTests(version.n8n);
	say(version, node24.version, counted);
	const results = readResults();
	const known = results[version.n8n] ?? { workflow: '', tried: {} };
	writeResults({ ...results, [version.n8n]: { ...known, e2e: { node: node24.version, ...counted } } });
}

if (options.oldest) {
	const [major = 24] = oldest.nodes;
	const program = await installedNode(major, node24);
	const { under } = await prepare(await installedCore(oldest.core, node24), program);
	say(oldest, String(major), await runEngineTests(under, chosenTests, options.workers));
} else {
	if (!options.document) {
		for (const version of versions) {
			if (asked.length > 0 ? !asked.includes(version.n8n) : options.e2e) continue;
			await (options.e2e ? tryWhole(version) : tryVersion(version));
		}
	}
	writeFileSync(join(process.cwd(), documentFile), compatibility(readResults()));
	execFileSync(process.execPath, [
		'node_modules/prettier/bin/prettier.cjs',
		'--write',
		documentFile,
		resultsFile,
	]);
}
process.exitCode = failed === 0 ? 0 : 1;
