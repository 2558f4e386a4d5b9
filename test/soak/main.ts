/**
 * `npm run soak`: what many executions leak in n8n's process, and how one execution's cost grows with its items. The
 * figures go to `.e2e/soak/figures.json`, for the documentation.
 *
 *     npm run soak                     both, on a quiet machine a quarter of an hour
 *     npm run soak -- --seconds 60     a shorter soak; from 300 seconds on it sends at least 100,000 messages
 *     npm run soak -- --most 10000     growth up to so many items: 1000, 10000 or 100000
 *     npm run soak -- --only growth    only this part: soak or growth
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../dev/harness/n8n/paths.ts';
import { faultsOfGrowth, growth } from './growth.ts';
import { faultsOfSoak, soak } from './soak.ts';

const { values: options } = parseArgs({
	options: {
		seconds: { type: 'string', default: '360' },
		most: { type: 'string', default: '100000' },
		only: { type: 'string' },
	},
});
const file = join(projectRoot(), '.e2e/soak/figures.json');
const began = performance.now();
const progress = (line: string): void =>
	console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}`);

/** Keeps the figures of the part that is not measured now. */
function write(figures: object): void {
	const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object) : {};
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, `${JSON.stringify({ ...before, ...figures }, null, '\t')}\n`);
}

// The engine's processes take their n8n's folder and key from here.
const folder = mkdtempSync(join(tmpdir(), 'messaging-soak-'));
Object.assign(process.env, {
	N8N_USER_FOLDER: folder,
	N8N_ENCRYPTION_KEY: 'the key of a throwaway n8n',
	N8N_LOG_LEVEL: 'error',
});
const faults: string[] = [];
try {
	if (options.only !== 'growth') {
		const figures = await soak(Number(options.seconds), progress);
		write({ soak: figures });
		faults.push(...faultsOfSoak(figures));
	}
	if (options.only !== 'soak') {
		const figures = await growth(Number(options.most), progress);
		write({ growth: figures });
		faults.push(...faultsOfGrowth(figures));
	}
} finally {
	rmSync(folder, { recursive: true, force: true });
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
