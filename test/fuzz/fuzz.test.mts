/** Some of the seeds of `npx node test/fuzz/main.mts`; a seed that fails says how to see it again. */
import { refusedLine } from './executions.mts';
import { fuzzAnswers, fuzzDeliveries, findingText, seedsUpTo } from './fuzz.mts';

/** Fixed, so that the test is repeatable; `npx node test/fuzz/main.mts` plays others. */
const seeds = seedsUpTo(300);

/** Enough to start engines on a busy machine and to wait for a round that hangs. */
const longestMs = 600_000;

test(
	'whatever goes wrong on the way: nothing twice, every outcome true, order kept, no key shown, nothing hangs',
	async () => {
		const findings = await fuzzDeliveries(seeds);
		console.log(refusedLine());
		expect(findings.map(findingText)).toEqual([]);
	},
	longestMs,
);

test('whatever the service answers: every item ends, and no key gets out', async () => {
	const findings = await fuzzAnswers(seeds);
	expect(findings.map(findingText)).toEqual([]);
});
