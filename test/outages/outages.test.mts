/**
 * The cost of an outage in the middle of a run. Many scenarios run at once: they don't affect each other, since the
 * gate is per API key and address, and each has a different address.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { markdownTable } from '../bench/tables.mts';
import { startEngine, type Engine } from '../engine/engine.mts';
import { play, type Figures } from './play.mts';
import { SCENARIOS, type Scenario } from './scenarios.mts';

const results = new Map<Scenario, Figures>();
let engine: Engine | undefined;

/** What each outage cost, for the documentation. */
function table(): string {
	const rows = SCENARIOS.map((scenario) => {
		const { messages, requests, sent, twice, unknown, unsent } = results.get(scenario)!;
		const counts = [messages, sent, unknown, scenario.mostUnknown, unsent, twice, requests];
		return [scenario.name, ...counts.map((count) => count.toLocaleString('en-US'))];
	});
	const head = ['Outage', 'Messages', 'Sent', '`unknown`', 'At most', '`unsent`', 'Twice', 'Requests'];
	return `${markdownTable(head, rows)}\n`;
}

beforeAll(async () => {
	const started = (engine = await startEngine({}));
	const hasKeys = ({ options }: Scenario): boolean => options?.['onceKey'] !== undefined;
	// Those with once keys come afterwards: beside all others, n8n may take more than three seconds to lock keys.
	for (const withKeys of [false, true]) {
		const group = SCENARIOS.filter((scenario) => hasKeys(scenario) === withKeys);
		await Promise.all(group.map(async (scenario) => results.set(scenario, await play(started, scenario))));
	}
	mkdirSync('.cache', { recursive: true });
	writeFileSync('.cache/outages.md', table());
}, 300_000);

afterAll(async () => await engine?.stop());

test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', (_name, scenario) => {
	const figures = results.get(scenario)!;
	const { hint, messages, requests, sent, twice, unknown, unsent, untrue } = figures;
	expect([twice, untrue]).toEqual([0, 0]);
	expect(unknown).toBeLessThanOrEqual(scenario.mostUnknown);
	expect(sent + unknown + unsent).toBe(messages);
	if (scenario.leavesRest === true) expect(unsent).toBeGreaterThan(0);
	else expect(unsent).toBe(0);
	// Each message was sent once; the rest are probes.
	expect(requests).toBeLessThan(messages + 40);
	if (scenario.isWaitedOut === true)
		expect(hint).toMatch(/Some calls had to wait: the (service|channel) was failing/);
});
