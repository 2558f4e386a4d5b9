/** Plays one outage with a separate service and runs of the node that are sending when it begins. */
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxClient } from '../../dev/sandbox/client.ts';
import { startSandbox } from '../../dev/sandbox/server.ts';
import { endsOf } from '../engine/delivery-lab.ts';
import type { Engine } from '../engine/engine.ts';
import { byId } from '../engine/lab.ts';
import { orders } from '../engine/once-lab.ts';
import type { Run } from '../engine/run.ts';
import type { Scenario } from './scenarios.ts';

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
	/** The hints of the runs. */
	readonly hint: string;
}

/** The number of requests before the outage begins. */
const BEFORE = 200;

/** Runs the scenario and counts. */
export async function play(engine: Engine, scenario: Scenario): Promise<Figures> {
	const { fault, keyed, messages = 2000, options = {}, plan, runs = ['org'], seconds, stops } = scenario;
	const sandbox = await startSandbox();
	const client = new SandboxClient(sandbox.control);
	const door = await Door.open(sandbox.url);
	if (plan !== undefined) await client.setPlan({ limit: plan, seconds: 1, algorithm: 'sliding' });
	const latency = { kind: 'latency', ms: 20 } as const;
	const isPoison = seconds === undefined && scenario.leavesRest === undefined;
	const rules = fault === 'nothing listens' ? [] : [{ ...fault, skip: isPoison ? 0 : BEFORE }];
	await client.setFaults([latency, ...rules]);

	const channels = (await client.state()).channels;
	const channelId = channels.find(({ name }) => name === 'Support E-mail')?.channelId ?? '';
	const items = orders(messages * runs.length);
	const started = runs.map((key, n) =>
		engine.start({
			credential: { baseUrl: door.url, apiKey: sandbox.tokens[key] },
			items: items.slice(n * messages, (n + 1) * messages).map((json) => ({ json })),
			node: {
				parameters: {
					resource: 'message',
					operation: 'send',
					channelId: byId(channelId),
					toEmail: '={{ $json.to }}',
					text: '={{ $json.text }}',
					options: { ...options, ...(keyed === true ? { onceKey: '={{ $json.id }}' } : {}) },
				},
				onError: stops === true ? 'stopWorkflow' : 'continueRegularOutput',
			},
		}),
	);
	const outage = async (): Promise<void> => {
		if (seconds === undefined) return;
		while ((await client.requests()).length <= BEFORE) await sleep(100);
		if (fault === 'nothing listens') await door.close();
		await sleep(seconds * 1000);
		if (fault === 'nothing listens') await door.reopen();
		await client.setFaults([latency]);
	};
	const [ended] = await Promise.all([Promise.all(started.map(({ finished }) => finished)), outage()]);
	const final = stops === true ? await Promise.all(ended.map(async (run) => await engine.retry(run))) : ended;

	const accepted = new Map<string, number>();
	for (const { text } of (await client.state()).messages) {
		accepted.set(text ?? '', (accepted.get(text ?? '') ?? 0) + 1);
	}
	const requests = (await client.requests()).length;
	await Promise.all([door.close(), sandbox.close()]);

	const ends = stops === true ? undefined : final.flatMap(endsOf);
	const isUntrue = (end: string, item: number): boolean => {
		const times = accepted.get(items[item]?.text ?? '') ?? 0;
		return (end === 'done' && times !== 1) || ((end === 'unsent' || end === 'rejected') && times !== 0);
	};
	return {
		messages: items.length,
		...(ends === undefined ? saidBy(final, items.length) : counted(ends)),
		twice: [...accepted.values()].filter((times) => times > 1).length,
		untrue: ends?.filter(isUntrue).length ?? 0,
		requests,
		hint: final.flatMap(({ hints }) => hints.map(({ message }) => message)).join(' '),
	};
}

function counted(ends: readonly string[]): Pick<Figures, 'sent' | 'unknown' | 'unsent'> {
	const number = (wanted: string): number => ends.filter((end) => end === wanted).length;
	return { sent: number('done'), unknown: number('unknown'), unsent: number('unsent') };
}

/** The counts in the error of a retry that sent the rest. */
function saidBy(runs: readonly Run[], total: number): Pick<Figures, 'sent' | 'unknown' | 'unsent'> {
	const text = runs.map(({ error }) => error?.description ?? '').join(' ');
	const number = (what: string): number =>
		Number(new RegExp(`([\\d,]+) ${what}`).exec(text)?.[1]?.replaceAll(',', '') ?? 0);
	const unknown = number('may have gone out');
	const isGreen = runs.every(({ status }) => status === 'success');
	return { sent: isGreen ? total : number('went out'), unknown, unsent: number('(?:was|were) not sent') };
}

/** A proxy to the service, which can stop listening for a while. */
class Door {
	private constructor(
		private readonly target: number,
		private server = createServer(),
		private port = 0,
	) {}

	static async open(target: string): Promise<Door> {
		const door = new Door(Number(new URL(target).port));
		await door.reopen();
		return door;
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	async reopen(): Promise<void> {
		this.server = createServer((socket) => {
			const onwards = connect(this.target, '127.0.0.1');
			socket.pipe(onwards).pipe(socket);
			socket.on('error', () => onwards.destroy());
			// Pass a reset on as a reset.
			onwards.on('error', () => socket.resetAndDestroy());
		});
		await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
		this.port = (this.server.address() as AddressInfo).port;
	}

	/** Stops listening; requests in flight keep their connections. */
	async close(): Promise<void> {
		this.server.close();
		await sleep(0);
	}
}
