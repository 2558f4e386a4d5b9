/**
 * What many executions leak in n8n's process, and how one execution's cost grows with its items.
 *
 *     npx node test/soak/main.mts                                 on a quiet machine a quarter of an hour
 *     npx node test/soak/main.mts --messages 20000 --items 1000   fewer messages; growth up to so many items: 1000, 10000 or 100000
 */
import { parseArgs } from 'node:util';
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

const faults = [
	...faultsOfSoak(await soak(Number(options.messages), progress)),
	...faultsOfGrowth(await growth(Number(options.items), progress)),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
