/**
 * What many executions leak in n8n's process, and how one execution's cost grows with its items. The figures go to
 * `.e2e/soak/figures.json`, for the documentation.
 *
 *     npx node test/soak/main.mts                                 on a quiet machine a quarter of an hour
 *     npx node test/soak/main.mts --messages 20000 --items 1000   fewer messages; growth up to so many items: 1000, 10000 or 100000
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../dev/harness/n8n/paths.mts';
import buildPackage from '../build.mts';
import { faultsOfGrowth, growth } from './growth.mts';
import { faultsOfSoak, soak } from './soak.mts';

const { values: options } = parseArgs({
	options: {
		messages: { type: 'string', default: '100000' },
		items: { type: 'string', default: '100000' },
	},
});
await buildPackage();
const began = performance.now();
const progress = (line: string): void =>
	console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}`);

const figures = {
	soak: await soak(Number(options.messages), progress),
	growth: await growth(Number(options.items), progress),
};
const results = join(projectRoot(), '.e2e/soak');
mkdirSync(results, { recursive: true });
writeFileSync(join(results, 'figures.json'), `${JSON.stringify(figures, null, '\t')}\n`);
const faults = [...faultsOfSoak(figures.soak), ...faultsOfGrowth(figures.growth)];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
