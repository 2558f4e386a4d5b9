/**
 * Preloaded into the engine's process: whoever requires n8n's own modules there gets those of the installed n8n, so
 * that its nodes and the package under test run in the very same engine.
 */
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { resolve } = createRequire(join(process.cwd(), 'test', 'e2e', 'n8n', 'package.json'));
const shared = new Map(
	['n8n-core', 'n8n-workflow', 'flatted'].map((name) => [name, pathToFileURL(resolve(name)).href]),
);

registerHooks({
	resolve(specifier, context, nextResolve) {
		const url = shared.get(specifier);
		if (url === undefined || context.conditions.includes('import')) return nextResolve(specifier, context);
		return { url, format: 'commonjs', shortCircuit: true };
	},
});
