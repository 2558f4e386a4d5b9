/** Runs of the node behind a gateway, compared with what has arrived at the service. */
import type { INodeParameters } from 'n8n-workflow';
import { sendThrough } from '../../dev/harness/workflows.mts';
import { ids } from '../cases/values.mts';
import { endsOf, type Order } from '../engine/delivery-lab.mts';
import type { Engine, NodeOptions } from '../engine/engine.mts';
import type { Run } from '../engine/run.mts';
import {
	messagingNode,
	nodeName,
	startName,
	startNode,
	workflow,
	type NodeSettings,
} from '../engine/workflow.mts';
import { CountingService } from './counting-service.mts';
import type { Gateway, OpenGateway } from './gateways.mts';

let workflows = 0;

/** A service, a gateway in front of it, and a workflow that sends through both. */
export class Front {
	readonly service: CountingService;
	readonly #engine: Engine;
	readonly #gateway: Gateway;
	/** Once keys are kept for a workflow. */
	readonly #workflowId = `behind-a-gateway-${++workflows}`;

	private constructor(engine: Engine, service: CountingService, gateway: Gateway) {
		this.#engine = engine;
		this.service = service;
		this.#gateway = gateway;
	}

	static async open(engine: Engine, gateway: OpenGateway): Promise<Front> {
		const service = new CountingService();
		await service.start();
		try {
			return new Front(engine, service, await gateway(service.port));
		} catch (error) {
			await service.stop();
			throw error;
		}
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

	/** What a run says that is not so, and what has arrived more than once: how many messages, each. */
	faults(items: readonly Order[], run: Run): string[] {
		const ends = endsOf(run);
		const wrong = items.flatMap(({ to }, item): string[] => {
			const end = ends[item] ?? 'without an end';
			const packageIds = this.service.arrived.get(to) ?? [];
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
		await this.service.stop();
	}

	get #credential() {
		return { baseUrl: `http://127.0.0.1:${this.#gateway.port}`, apiKey: 'acc_0123456789abcdef' };
	}

	#node(options: INodeParameters, settings: NodeSettings): NodeOptions {
		return { parameters: sendThrough(ids.channel, { options }), ...settings };
	}
}
