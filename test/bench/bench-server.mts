/** A real n8n server with the package installed, which runs shipments and measures them. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { request } from 'undici';
import {
	type N8nClient,
	N8nApiError,
	outputOf,
	type Execution,
	type StoredWorkflow,
} from '../../dev/harness/n8n/api.mts';
import { startFreshN8n } from '../../dev/harness/n8n/fresh-n8n.mts';
import type { N8nInstallation } from '../../dev/harness/n8n/install.mts';
import { projectRoot } from '../../dev/harness/n8n/paths.mts';
import { freePort } from '../../dev/harness/n8n/ports.mts';
import { onTeardown } from '../../dev/harness/teardown-list.mts';
import { webhookWorkflow, withCredential } from '../../dev/harness/workflows.mts';
import type { ExpressionEngine } from '../engine/protocol.mts';
import type { Contestant, Shipment } from './contestants.mts';
import { measuresBetween, samplerPort, type Measures, type Samples } from './samples.mts';

/** The time of the contestant's node, by n8n's own record, and what it cost n8n's process. */
export interface MeasuredRun extends Measures {
	durationMs: number;
}

const longestRunMs = 900_000;
const longestRecoveryMs = 60_000;

/** One n8n with its own database. */
export class BenchServer {
	readonly #client: N8nClient;
	readonly #sampler: string;

	private constructor(client: N8nClient, sampler: string) {
		this.#client = client;
		this.#sampler = sampler;
	}

	/** Starts one; the teardown list stops it. */
	static async start(installation: N8nInstallation, expressions: ExpressionEngine): Promise<BenchServer> {
		const port = await freePort();
		const floor = await floorFolder();
		onTeardown(() => rmSync(floor, { recursive: true, force: true }));
		const sampler = pathToFileURL(join(projectRoot(), 'test', 'bench', 'samples.mts')).href;
		const { client } = await startFreshN8n(installation, {
			logFile: join(projectRoot(), '.e2e/bench-n8n.log'),
			env: {
				N8N_CUSTOM_EXTENSIONS: floor,
				N8N_EXPRESSION_ENGINE: expressions,
				NODE_OPTIONS: `--import=${sampler}`,
				[samplerPort]: String(port),
			},
		});
		return new BenchServer(client, `http://127.0.0.1:${port}`);
	}

	/** Has a contestant send a shipment, one at a time; throws unless every item succeeds. */
	async measure(contestant: Contestant, shipment: Shipment): Promise<MeasuredRun> {
		const workflow = await this.#publish(contestant, shipment);
		await this.#askSampler('begin');
		const { startedAt, durationMs } = await this.#execute(workflow, contestant, shipment);
		const samples = (await this.#askSampler('samples')) as Samples;
		return { durationMs, ...measuresBetween(samples, startedAt, startedAt + durationMs) };
	}

	/** A workflow and a credential for one run, with a fresh API key so that nothing carries over from the previous one. */
	async #publish(contestant: Contestant, shipment: Shipment): Promise<StoredWorkflow> {
		const { node, credential } = contestant.prepare(shipment);
		const stored = credential && (await this.#client.createCredential(credential));
		const workflow = await this.#client.createWorkflow(
			// n8n answers at the end of the execution, so that polling does not disturb it.
			webhookWorkflow(
				randomUUID(),
				'messages',
				{ ...node, ...(stored && withCredential(stored)) },
				{ responseMode: 'lastNode', responseData: 'noData' },
			),
		);
		await this.#client.activateWorkflow(workflow);
		return workflow;
	}

	async #execute(
		{ id, name: path }: StoredWorkflow,
		contestant: Contestant,
		{ messages }: Shipment,
	): Promise<{ startedAt: number; durationMs: number }> {
		// It answers when everything is sent.
		await this.#client.callWebhook(path, { messages }, 'POST', longestRunMs);
		const execution = await this.#endedExecution(id);
		await this.#client.deactivateWorkflow(id);
		const { lastNodeExecuted = '', runData, error } = execution.data.resultData;
		if (execution.status !== 'success') {
			throw new Error(`A run of "${contestant.name}" ended with "${execution.status}": ${error?.message}`);
		}
		const items = outputOf(execution, lastNodeExecuted).length;
		if (items !== messages.length) {
			throw new Error(`"${contestant.name}" gave ${items} of ${messages.length} items`);
		}
		const record = runData[lastNodeExecuted]?.[0];
		if (record === undefined) throw new Error(`n8n has no record of "${contestant.name}"`);
		return { startedAt: record.startTime, durationMs: record.executionTime };
	}

	/** After a run that blocked its database connection for long, n8n answers 503 until it is restored. */
	async #endedExecution(workflowId: string): Promise<Execution> {
		const deadline = Date.now() + longestRecoveryMs;
		for (;;) {
			try {
				return await this.#client.waitForFirstExecution(workflowId);
			} catch (error) {
				if (!(error instanceof N8nApiError) || error.statusCode !== 503 || Date.now() > deadline) throw error;
				await sleep(500);
			}
		}
	}

	async #askSampler(what: 'begin' | 'samples'): Promise<unknown> {
		const { body } = await request(`${this.#sampler}/${what}`);
		return await body.json();
	}
}

/** A folder for N8N_CUSTOM_EXTENSIONS with the barest node in it, as JavaScript. */
async function floorFolder(): Promise<string> {
	const path = mkdtempSync(join(tmpdir(), 'messaging-bench-floor-'));
	await build({
		entryPoints: [join(import.meta.dirname, 'barest-node.mts')],
		outfile: join(path, 'Barest.node.js'),
		format: 'cjs',
		platform: 'node',
		logLevel: 'warning',
	});
	return path;
}
