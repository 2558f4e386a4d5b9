/** Plays one outage with a separate service and a run of the node that is sending when it begins. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sendThrough } from '../../dev/harness/workflows.mts';
import { named } from '../../dev/harness/world.mts';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import { spawnSandbox } from '../../dev/sandbox/spawn.mts';
import { endsOf, orders } from '../engine/delivery-lab.mts';
import type { Engine, NodeOptions } from '../engine/engine.mts';
import { openDoor } from './gateways.mts';
import type { Scenario } from './scenarios.mts';

/** What an outage cost. */
export interface Figures {
	readonly messages: number;
	/** The outcomes according to the node. */
	readonly sent: number;
	readonly unknown: number;
	readonly unsent: number;
	/** According to the service: the duplicates, and the messages whose outcome the node shows wrongly. */
	readonly twice: number;
	readonly untrue: number;
	/** The number of requests, including GET /Me. */
	readonly requests: number;
	/** The hints of the run. */
	readonly hint: string;
}

/** The number of requests before the outage begins. */
const BEFORE = 200;

/** Runs the scenario and counts. */
export async function play(engine: Engine, scenario: Scenario): Promise<Figures> {
	const { fault, messages = 2000, options = {}, plan, seconds, stops = false } = scenario;
	const { gateway: open = openDoor } = scenario;
	const sandbox = await spawnSandbox();
	const client = new SandboxClient(sandbox.control);
	const target = Number(new URL(sandbox.url).port);
	let gateway = await open(target);
	const { port } = gateway;
	if (plan !== undefined) await client.setPlan({ limit: plan, seconds: 1, algorithm: 'sliding' });
	const latency = { kind: 'latency', ms: 20 } as const;
	const rules = fault === 'nothing listens' ? [] : [{ ...fault, skip: BEFORE }];
	await client.setFaults([latency, ...rules]);

	const { channels } = await client.state();
	const items = orders(messages);
	const node = (onError: NonNullable<NodeOptions['onError']>): NodeOptions => ({
		parameters: sendThrough(named(channels, 'Support E-mail').channelId, { options }),
		onError,
	});
	const continuing = node('continueRegularOutput');
	let isOver = false;
	const outage = async (): Promise<void> => {
		if (seconds === undefined) return;
		while (!isOver && (await client.requests()).length <= BEFORE) await sleep(100);
		// Requests in flight keep their connections.
		if (fault === 'nothing listens') await gateway.close();
		await sleep(seconds * 1000);
		if (fault === 'nothing listens') gateway = await open(target, port);
		await client.setFaults([latency]);
	};
	const over = outage();
	const credential = { baseUrl: `http://127.0.0.1:${port}`, apiKey: sandbox.tokens.org };
	const run = await engine.run({
		credential,
		items: items.map((json) => ({ json })),
		node: stops ? node('stopWorkflow') : continuing,
	});
	// Something else than the outage stopped it: without this, the outage would wait for requests forever.
	isOver = true;
	await over;
	const final = stops ? await engine.retry(run, { credential, node: continuing }) : run;

	const accepted = (await client.state()).messages.map(({ text }) => text ?? '');
	const times = new Map([...Map.groupBy(accepted, (text) => text)].map(([text, all]) => [text, all.length]));
	const requests = (await client.requests()).length;
	await gateway.close();
	await sandbox.stop();

	const ends = endsOf(final);
	const number = (wanted: string): number => ends.filter((end) => end === wanted).length;
	const isUntrue = (end: string, item: number): boolean => {
		const arrived = times.get(items[item]?.text ?? '') ?? 0;
		return (end === 'done' && arrived !== 1) || ((end === 'unsent' || end === 'rejected') && arrived !== 0);
	};
	return {
		messages: items.length,
		...{ sent: number('done'), unknown: number('unknown'), unsent: number('unsent') },
		twice: [...times.values()].filter((each) => each > 1).length,
		untrue: ends.filter(isUntrue).length,
		requests,
		hint: final.hints.map(({ message }) => message).join(' '),
	};
}
