/**
 * `npx node test/queue/freezes.mts 60`: n8n in queue mode on PostgreSQL, whose workers send under the same keys, while the
 * one that holds the lease is frozen for 15 seconds, so many times. Prints each freeze, and what was sent twice. 60 take
 * half an hour.
 */
import { ensureN8n } from '../../dev/harness/n8n/install.mts';
import { buildQueueStage } from '../../dev/harness/queue/stage.mts';
import { tearDown } from '../../dev/harness/teardown-list.mts';
import buildPackage from '../build.mts';
import { freezeHolders } from './frozen-holders.mts';

try {
	await buildPackage();
	const n8n = await ensureN8n();
	const times = Math.min(200, Number(process.argv[2] ?? 60));
	const result = await freezeHolders(n8n, await buildQueueStage(n8n), times, (line) =>
		console.log(new Date().toISOString().slice(11, 19), line),
	);
	console.log(JSON.stringify(result, null, 1));
	process.exitCode = result.twice.length === 0 ? 0 : 1;
} finally {
	await tearDown();
}
