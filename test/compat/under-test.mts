/** Prepares an n8n other than the project's for the engine tests. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { build } from 'esbuild';

import type { Lack, N8nUnderTest } from '../engine/n8n-under-test.mts';

/** The version of n8n-workflow in an installation, and what it lacks. */
type Probe = { workflow: string; lacks: readonly Lack[] };

/** Run in the folder of the installation, so that modules resolve as for the package or a test. */
const probe = `
	const { createRequire } = require('node:module');
	const core = require('n8n-core');
	const n8n = require('n8n-workflow');
	const error = new n8n.NodeApiError({ name: '' }, Object.assign(new Error('x'), { code: 'ECONNREFUSED' }));
	let engine = 'legacy';
	try {
		const { ExpressionEngineConfig } = require('@n8n/config');
		engine = new ExpressionEngineConfig().engine;
		require('isolated-vm');
	} catch {
		engine = 'legacy';
	}
	const lacks = {
		cause: error.cause === undefined,
		isolates: engine !== 'vm',
		toolErrors: !String(core.WorkflowExecute.prototype.handleNodeExecutionError).includes('AiTool'),
	};
	const inCore = createRequire(require.resolve('n8n-core'));
	process.stdout.write('\\n' + JSON.stringify({
		workflow: inCore('n8n-workflow/package.json').version,
		lacks: Object.keys(lacks).filter((name) => lacks[name]),
	}));
	process.exit();
`;

/**
 * Puts the engine's process and the built package into an installation, so that both resolve its n8n, and finds out what
 * it lacks. Returns the version of its n8n-workflow, too.
 *
 * @param folder of the installation
 * @param node the program of the Node.js that runs it
 */
export async function prepare(
	folder: string,
	node: string,
): Promise<{ under: N8nUnderTest; workflow: string }> {
	const worker = join(folder, 'worker.mjs');
	await build({
		entryPoints: ['test/engine/worker.mts'],
		outfile: worker,
		bundle: true,
		platform: 'node',
		format: 'esm',
		// Older Node.js can't run TypeScript.
		target: 'node20',
		logLevel: 'warning',
	});
	const packageUnderTest = join(folder, 'nodes', 'n8n-nodes-unified-messaging');
	rmSync(packageUnderTest, { recursive: true, force: true });
	mkdirSync(packageUnderTest, { recursive: true });
	for (const part of ['package.json', 'dist']) {
		cpSync(part, join(packageUnderTest, part), { recursive: true });
	}
	const script = join(folder, 'probe.cjs');
	writeFileSync(script, probe);
	const said = execFileSync(node, [script], { cwd: folder, encoding: 'utf8', timeout: 60_000 });
	const { workflow, lacks } = JSON.parse(said.trim().split('\n').at(-1) ?? '') as Probe;
	return { under: { worker, node, packageUnderTest, lacks }, workflow };
}
