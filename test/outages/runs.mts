/** Runs of the node behind a gateway, compared with what has arrived at the service: the sandbox, in this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { INodeParameters } from 'n8n-workflow';
import { sendThrough } from '../../dev/harness/workflows.mts';
import { named } from '../../dev/harness/world.mts';
import { Sandbox } from '../../dev/sandbox/sandbox.mts';
import { createService } from '../../dev/sandbox/service.mts';
import type { FaultRule } from '../../dev/sandbox/types.mts';
import { endsOf, type Order } from '../engine/delivery-lab.mts';
import { startEngine, type Engine, type NodeOptions } from '../engine/engine.mts';
import type { Run } from '../engine/run.mts';
import { messagingNode, nodeName, startName, startNode, workflow } from '../engine/workflow.mts';
import type { NodeSettings } from '../engine/workflow.mts';
import { listening, type RawServer } from '../raw-server.mts';
import { eventually } from '../waiting.mts';
import type { Gateway, OpenGateway } from './gateways.mts';
import { isInstalled, type ProgramName } from './programs.mts';

/** What is always so: a message takes a moment. */
const QUICK: FaultRule = { kind: 'latency', ms: 20 };
/** The key tells no plan, so the gate begins carefully. */
const NO_PLAN: FaultRule = { kind: 'reply', method: 'GET', path: '/Me$', body: {} };

let workflows = 0;

/** A service, a gateway in front of it, and a workflow that sends through both. */
export class Front {
	readonly sandbox = new Sandbox(2000);
	readonly #engine: Engine;
	readonly #open: OpenGateway;
	readonly #app: FastifyInstance;
	readonly #always: readonly FaultRule[];
	#server!: RawServer;
	#gateway!: Gateway;
	/** How many requests the service works on. It ends its work although nobody waits for the answer any more. */
	#atWork = 0;
	/** Once keys are kept for a workflow. */
	readonly #workflowId = `behind-a-gateway-${++workflows}`;

	private constructor(engine: Engine, open: OpenGateway, tellsPlan: boolean) {
		this.#always = tellsPlan ? [QUICK] : [NO_PLAN, QUICK];
		this.#engine = engine;
		this.#open = open;
		this.#app = createService({
			hook: async (exchange) => {
				this.#atWork += 1;
				return await this.sandbox.handle(exchange).finally(() => (this.#atWork -= 1));
			},
		});
		this.fail();
	}

	static async open(engine: Engine, gateway: OpenGateway, tellsPlan = false): Promise<Front> {
		const front = new Front(engine, gateway, tellsPlan);
		await front.#app.ready();
		front.#server = await listening(front.#app.server);
		try {
			front.#gateway = await gateway(front.#server.port);
			return front;
		} catch (error) {
			await front.#server.close();
			throw error;
		}
	}

	/** Has the service fail by these rules, or be well. */
	fail(...rules: FaultRule[]): void {
		this.sandbox.faults.set([...this.#always, ...rules]);
	}

	/** Restarts the service: breaks all connections, and refuses new ones for a while. */
	async restart(ms: number): Promise<void> {
		const { port } = this.#server;
		await this.#server.close();
		await sleep(ms);
		this.#server = await listening(this.#app.server, port);
	}

	/** Refuses new connections for a while; those that are open stay. */
	async shut(ms: number): Promise<void> {
		const { port } = this.#gateway;
		await this.#gateway.close();
		await sleep(ms);
		this.#gateway = await this.#open(this.#server.port, port);
	}

	/** Sends each item once. */
	async run(
		items: readonly Order[],
		options: INodeParameters = {},
		settings: NodeSettings = { onError: 'continueRegularOutput' },
	): Promise<Run> {
		const { parameters, ...rest } = this.#node(options, settings);
		const nodes = [startNode(), messagingNode(parameters, rest)];
		return await this.#engine.run({
			workflow: { ...workflow(nodes, [[startName, nodeName]]), id: this.#workflowId },
			credential: this.#credential,
			items: items.map((json) => ({ json })),
		});
	}

	/** Retries a run that has failed, to its end. */
	async retry(failed: Run, options: INodeParameters = {}): Promise<Run> {
		const node = this.#node(options, { onError: 'continueRegularOutput' });
		return await this.#engine.retry(failed, { credential: this.#credential, node });
	}

	/** The packageIds that have arrived for each recipient, once the service has ended all its work. */
	async arrived(): Promise<Map<string, string[]>> {
		await eventually(async () => this.#atWork === 0, 'the end of all work');
		const byRecipient = Map.groupBy(this.sandbox.state.messages, ({ recipient }) => recipient ?? '');
		return new Map([...byRecipient].map(([to, all]) => [to, all.map(({ packageId }) => packageId)]));
	}

	/** What a run says that is not so, and what has arrived more than once: how many messages, each. */
	async faults(items: readonly Order[], run: Run): Promise<string[]> {
		const ends = endsOf(run);
		const arrived = await this.arrived();
		const wrong = items.flatMap(({ to }, item): string[] => {
			const end = ends[item] ?? 'without an end';
			const packageIds = arrived.get(to) ?? [];
			const { size } = new Set(packageIds);
			const times = packageIds.length;
			if (times > 1) return [`${end}, and arrived ${times} times under ${size} packageIds`];
			const isTrue = end === 'done' || end === 'alreadySent' ? times === 1 : end === 'unknown' || times === 0;
			return isTrue ? [] : [`${end}, and arrived ${times} times`];
		});
		return [...Map.groupBy(wrong, (each) => each)].map(
			([each, { length }]) => `${length} of them are ${each}`,
		);
	}

	async close(): Promise<void> {
		await this.#gateway.close();
		await this.#server.close();
		await this.#app.close();
	}

	get #credential() {
		return { baseUrl: `http://127.0.0.1:${this.#gateway.port}`, apiKey: this.sandbox.tokens.org };
	}

	#node(options: INodeParameters, settings: NodeSettings): NodeOptions {
		const { channelId } = named([...this.sandbox.state.channels.values()], 'Support E-mail');
		return { parameters: sendThrough(channelId, { options }), ...settings };
	}
}

/** Something that is played behind a gateway. */
export interface Behind {
	readonly name: string;
	readonly open: OpenGateway;
	/** The program that the gateway is; without it, the case is skipped. */
	readonly program?: ProgramName;
}

/**
 * Plays cases in one engine, all of a group at once, each with a service and a gateway of its own: they don't affect each
 * other, since the gate is per API key and address. Each case is a test of what was found.
 *
 * @param groups one after the other: those with once keys apart, since beside many others n8n may take more than three
 * seconds to lock keys
 */
export function testBehindGateways<C extends Behind, F>(
	groups: ReadonlyArray<readonly C[]>,
	play: (front: Front, each: C) => Promise<F>,
	expectOf: (found: F, each: C) => void,
	{ tellsPlan = false, then = () => {} }: { tellsPlan?: boolean; then?: (found: Map<C, F>) => void } = {},
): void {
	const found = new Map<C, F>();
	const isPlayed = ({ program }: C): boolean => program === undefined || isInstalled(program);
	let engine: Engine | undefined;
	beforeAll(async () => {
		const running = (engine = await startEngine({}));
		for (const group of groups) {
			const all = group.filter(isPlayed).map(async (each) => {
				const front = await Front.open(running, each.open, tellsPlan);
				try {
					found.set(each, await play(front, each));
				} finally {
					await front.close();
				}
			});
			await Promise.all(all);
		}
		then(found);
	}, 300_000);
	afterAll(async () => await engine?.stop());
	for (const each of groups.flat()) {
		(isPlayed(each) ? test : test.skip)(each.name, () => expectOf(found.get(each)!, each));
	}
}
