/** The cost of an outage in the middle of a run. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { markdownTable } from '../bench/tables.mts';
import { endsOf, orders } from '../engine/delivery-lab.mts';
import { testBehindGateways, type Front } from './runs.mts';
import { SCENARIOS, type Scenario } from './scenarios.mts';

/** The number of requests before the outage begins. */
const BEFORE = 200;

/** Runs the scenario and counts. */
async function play(front: Front, scenario: Scenario) {
	const { fault, messages = 2000, options = {}, plan, seconds, stops = false } = scenario;
	const { sandbox } = front;
	if (plan !== undefined) sandbox.setPlan({ limit: plan, seconds: 1, algorithm: 'sliding' });
	if (fault !== 'nothing listens') front.fail({ ...fault, skip: BEFORE });
	const items = orders(messages);
	let isOver = false;
	const outage = async (): Promise<void> => {
		if (seconds === undefined) return;
		while (!isOver && sandbox.log.total <= BEFORE) await sleep(100);
		if (fault === 'nothing listens') await front.shut(seconds * 1000);
		else await sleep(seconds * 1000);
		front.fail();
	};
	const over = outage();
	const run = await front.run(items, options, {
		onError: stops ? 'stopWorkflow' : 'continueRegularOutput',
	});
	// Something else than the outage stopped it: without this, the outage would wait for requests forever.
	isOver = true;
	await over;
	const final = stops ? await front.retry(run, options) : run;
	const number = (wanted: string): number => endsOf(final).filter((end) => end === wanted).length;
	const times = [...(await front.arrived()).values()].map(({ length }) => length);
	return {
		messages: items.length,
		...{ sent: number('done'), unknown: number('unknown'), unsent: number('unsent') },
		twice: times.filter((each) => each > 1).length,
		/** What the node shows wrongly, according to the service. */
		wrong: await front.faults(items, final),
		/** The number of requests, including GET /Me. */
		requests: sandbox.log.total,
		hint: final.hintTexts.join(' '),
	};
}

type Results = ReadonlyMap<Scenario, Awaited<ReturnType<typeof play>>>;

/** What each outage cost, for the documentation. */
function table(results: Results): string {
	const rows = SCENARIOS.filter((scenario) => results.has(scenario)).map((scenario) => {
		const { messages, requests, sent, twice, unknown, unsent } = results.get(scenario)!;
		const counts = [messages, sent, unknown, scenario.mostUnknown, unsent, twice, requests];
		return [scenario.name, ...counts.map((count) => count.toLocaleString('en-US'))];
	});
	const head = ['Outage', 'Messages', 'Sent', '`unknown`', 'At most', '`unsent`', 'Twice', 'Requests'];
	return `${markdownTable(head, rows)}\n`;
}

const hasKeys = ({ options }: Scenario): boolean => options?.['onceKey'] !== undefined;

testBehindGateways(
	[false, true].map((withKeys) => SCENARIOS.filter((scenario) => hasKeys(scenario) === withKeys)),
	play,
	({ hint, messages, requests, sent, unknown, unsent, wrong }, { isWaitedOut, leavesRest, mostUnknown }) => {
		expect(wrong).toEqual([]);
		expect(unknown).toBeLessThanOrEqual(mostUnknown);
		expect(sent + unknown + unsent).toBe(messages);
		if (leavesRest === true) expect(unsent).toBeGreaterThan(0);
		else expect(unsent).toBe(0);
		// Each message was sent once; the rest are probes.
		expect(requests).toBeLessThan(messages + 40);
		if (isWaitedOut === true) expect(hint).toMatch(/\b(service|channel) was failing/);
	},
	{
		tellsPlan: true,
		then: (results) => {
			mkdirSync('.cache', { recursive: true });
			writeFileSync('.cache/outages.md', table(results));
		},
	},
);
