/** Where a complete n8n is installed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { n8nFolder } from '../../dev/harness/n8n/paths.mts';
import { cacheFolder } from './install.mts';
import { versions } from './versions.mts';

/** Packages that n8n takes from elsewhere than the registry, or whose newer versions break it. */
const overrides = { xlsx: '0.18.5', '@langchain/langgraph-checkpoint': '1.0.0' };

/** The folder for a complete n8n, installed or not: for the newest one, that of the other tests. */
export function wholeN8nFolder(n8n: string): string {
	if (n8n === versions.at(-1)?.n8n) return n8nFolder();
	const folder = join(cacheFolder, `n8n-${n8n}`);
	mkdirSync(folder, { recursive: true });
	const wanted = { name: 'compat-n8n', private: true, dependencies: { n8n }, pnpm: { overrides } };
	writeFileSync(join(folder, 'package.json'), JSON.stringify(wanted));
	return folder;
}
