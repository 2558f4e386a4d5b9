/** Lets a scenario happen in n8n's engine, and then makes everything well again. */
import { stringify } from 'flatted';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Engine, RunHandle } from '../engine/engine.ts';
import { eventually } from '../engine/eventually.ts';
import { Run } from '../engine/run.ts';
import { messagingNode, nodeName, startName, startNode, workflow } from '../engine/workflow.ts';
import type { WorkflowJson } from '../engine/protocol.ts';
import type { Act, Scenario } from './scenario.ts';
import { World, type FuzzService } from './service.ts';

/** One execution of the workflow, and the retries of it. */
export interface Execution {
	readonly number: number;
	/** Those that ended, the newest last. */
	readonly runs: Run[];
	/** How often it began, whether or not that ended. */
	begun: number;
	/** Whether it was cancelled or killed at some time. */
	isStopped: boolean;
	/** Whether Resend Unknown was on at some time. */
	resends: boolean;
}

/** What has happened by the end of an act. */
export interface Played {
	readonly scenario: Scenario;
	readonly world: World;
	readonly executions: readonly Execution[];
	/** The executions that this act ran. */
	readonly acted: readonly Execution[];
	/** Whether another execution of the same items ran beside, or an engine was killed, by now. */
	readonly hadCompany: boolean;
	readonly wasKilled: boolean;
	/** Whether this is the last act, in which nothing goes wrong. */
	readonly isLast: boolean;
}

/** What a scenario needs to happen. */
export interface Theatre {
	readonly service: FuzzService;
	/** The engine that the rounds share. */
	readonly engine: Engine;
	/** Starts one that may be killed, with the store of the shared one. */
	startOwn(): Promise<Engine>;
}

/** A guard against hanging, not a measure. */
const longestMs = 90_000;

const channelId = '7d3f0d1e-5c57-4b6e-9a55-0c6a2f0e9b11';

/** Thrown when something never ends. */
class Hangs extends Error {}

/**
 * Lets it happen.
 *
 * @param judge told of each act as it has ended
 * @returns what is wrong with it; empty when nothing is
 */
export async function play(
	scenario: Scenario,
	theatre: Theatre,
	judge: (played: Played) => string[],
): Promise<string[]> {
	const world = new World(scenario);
	theatre.service.open(world);
	try {
		return await new Round(scenario, theatre, world, judge).play();
	} catch (error) {
		if (error instanceof Hangs) return [error.message];
		throw error;
	} finally {
		world.release();
		theatre.service.close(world);
	}
}

/**
 * A run that can be retried. Of an execution that is cancelled n8n saves at once what it has, and a moment later has put
 * the node back among those to run: which of the two is in its database depends on how fast that is.
 */
function resumable(failed: Run, { items }: Scenario): Run {
	const { data, request, report } = failed;
	const { executionData, resultData } = data;
	if (executionData === undefined || executionData.nodeExecutionStack.length > 0) return failed;
	const node = request.workflow.nodes.find(({ name }) => name === nodeName);
	if (node === undefined) return failed;
	executionData.nodeExecutionStack.push({
		node,
		data: { main: [items.map(({ json }, item) => ({ json: json as IDataObject, pairedItem: { item } }))] },
		source: { main: [{ previousNode: startName }] },
	});
	delete resultData.runData[nodeName];
	return new Run(request, { ...report, saved: stringify(data) }, nodeName);
}

class Round {
	readonly #scenario: Scenario;
	readonly #theatre: Theatre;
	readonly #world: World;
	readonly #judge: (played: Played) => string[];
	readonly #executions: Execution[] = [];
	#engine: Engine;
	#hadCompany = false;
	#wasKilled = false;

	constructor(scenario: Scenario, theatre: Theatre, world: World, judge: (played: Played) => string[]) {
		this.#scenario = scenario;
		this.#theatre = theatre;
		this.#world = world;
		this.#judge = judge;
		this.#engine = theatre.engine;
	}

	async play(): Promise<string[]> {
		const { acts } = this.#scenario;
		const isDeadly = acts.some(({ stop }) => stop?.how === 'kill');
		if (isDeadly) this.#engine = await this.#theatre.startOwn();
		try {
			for (const act of acts) {
				const wrong = this.#judge(this.#played(await this.#act(act), false));
				if (wrong.length > 0) return wrong;
			}
			return await this.#end();
		} finally {
			if (this.#engine !== this.#theatre.engine) await this.#engine.stop();
		}
	}

	/** Nothing goes wrong any more: what is left can be sent. */
	async #end(): Promise<string[]> {
		this.#world.isWell = true;
		const settings = { onError: 'continueRegularOutput' } as const;
		if (this.#scenario.isKeyed) {
			const again = this.#begin();
			await this.#finish(again, this.#start(again, settings));
			return this.#judge(this.#played([again], true));
		}
		const acted: Execution[] = [];
		for (const execution of this.#failed()) {
			await this.#finish(execution, this.#retry(execution, false, settings));
			acted.push(execution);
		}
		return this.#judge(this.#played(acted, true));
	}

	#played(acted: Execution[], isLast: boolean): Played {
		return {
			scenario: this.#scenario,
			world: this.#world,
			executions: this.#executions,
			acted,
			hadCompany: this.#hadCompany,
			wasKilled: this.#wasKilled,
			isLast,
		};
	}

	async #act(act: Act): Promise<Execution[]> {
		const failed = this.#failed().at(-1 - act.which);
		if (act.what === 'retry' && failed === undefined) return [];
		if (act.beside > 1) this.#hadCompany = true;
		if (act.stop !== undefined) this.#world.holdAfter(act.stop.after);
		const acted =
			act.what === 'retry' && failed !== undefined
				? [failed]
				: Array.from({ length: act.beside }, () => this.#begin());
		const handles = acted.map((execution) =>
			act.what === 'retry' ? this.#retry(execution, act.resends) : this.#start(execution),
		);
		const all = Promise.all(acted.map(async (execution, n) => await this.#finish(execution, handles[n]!)));
		// Whatever becomes of it is seen below.
		all.catch(() => {});
		if (act.stop !== undefined) await this.#stop(act.stop.how, acted, handles, all);
		await all;
		await this.#quiet();
		return acted;
	}

	async #stop(
		how: 'cancel' | 'kill',
		acted: readonly Execution[],
		handles: readonly RunHandle[],
		all: Promise<unknown>,
	): Promise<void> {
		const isRunning = await Promise.race([
			this.#world.holds.then(() => true),
			all.then(
				() => false,
				() => false,
			),
		]);
		if (isRunning) {
			// What is let out together is under way together.
			await this.#engine.takeTurns();
			if (how === 'kill') {
				for (const execution of acted) execution.isStopped = true;
				this.#wasKilled = true;
				await this.#engine.kill();
				this.#engine = this.#theatre.engine;
			} else {
				const [first] = acted;
				if (first !== undefined) first.isStopped = true;
				await handles[0]?.cancel();
			}
			// Whatever is answered now, nobody reads it.
			for (const arrival of this.#world.arrivals) {
				const isOver = this.#executions[arrival.execution]?.isStopped === true;
				if (arrival.isOpen && isOver) arrival.isCutOff = true;
			}
		}
		this.#world.release();
	}

	/** Waits until the service has nothing under way. */
	async #quiet(): Promise<void> {
		const { arrivals } = this.#world;
		await eventually(async () => arrivals.every(({ isOpen }) => !isOpen), 'an end of all requests').catch(
			() => {
				throw new Hangs('a request is still open although its execution is over');
			},
		);
	}

	/** Executions whose newest run failed or was cancelled, the oldest first: only those can be retried. */
	#failed(): Execution[] {
		return this.#executions.filter(({ runs, begun }) => {
			const status = runs.at(-1)?.status;
			return runs.length === begun && (status === 'error' || status === 'canceled');
		});
	}

	#begin(): Execution {
		const execution: Execution = {
			number: this.#executions.length,
			runs: [],
			begun: 0,
			isStopped: false,
			resends: this.#scenario.options.resendUnknown,
		};
		this.#executions.push(execution);
		return execution;
	}

	async #finish(execution: Execution, handle: RunHandle): Promise<void> {
		execution.begun += 1;
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_, reject) => {
			timer = setTimeout(() => reject(new Hangs(`execution ${execution.number} never ends`)), longestMs);
		});
		try {
			execution.runs.push(await Promise.race([handle.finished, late]));
		} catch (error) {
			// Of an engine that was killed nothing comes back.
			if (error instanceof Hangs || !execution.isStopped) throw error;
		} finally {
			clearTimeout(timer);
		}
	}

	#start(execution: Execution, settings: { onError?: Scenario['onError'] } = {}): RunHandle {
		return this.#engine.start({
			workflow: this.#workflow(execution, settings),
			credential: { baseUrl: this.#theatre.service.url, apiKey: this.#key() },
			items: this.#scenario.items.map(({ json }) => ({ json: json as never })),
		});
	}

	/** With the workflow as it is now where that has changed, else with the one that failed. */
	#retry(execution: Execution, resends: boolean, settings?: { onError: Scenario['onError'] }): RunHandle {
		const failed = resumable(execution.runs.at(-1)!, this.#scenario);
		if (resends) execution.resends = true;
		const isChanged = resends || settings !== undefined;
		return this.#engine.startRetry(failed, {
			credential: { baseUrl: this.#theatre.service.url, apiKey: this.#key() },
			...(isChanged ? { workflow: this.#workflow(execution, settings ?? {}) } : {}),
		});
	}

	/** In the end another key: the pause that the service has asked for is not in the way then. */
	#key(): string {
		return this.#world.keys[this.#world.isWell ? 1 : 0];
	}

	#workflow(execution: Execution, { onError }: { onError?: Scenario['onError'] }): WorkflowJson {
		const { scenario, isWell } = { scenario: this.#scenario, isWell: this.#world.isWell };
		const { nodeTries, options, isKeyed, seed } = scenario;
		const parameters: INodeParameters = {
			resource: 'message',
			operation: 'send',
			channelId: { __rl: true, mode: 'id', value: channelId },
			toEmail: '={{ $json.to }}',
			text: '={{ $json.text }}',
			additionalFields: { correlationId: `=e${execution.number}i{{ $itemIndex }}` },
			options: {
				...options,
				resendUnknown: isWell ? false : execution.resends,
				...(isWell ? { maxWait: 300, keepToPlan: false } : {}),
				...(isKeyed ? { onceKey: '={{ $json.id }}' } : {}),
			},
		};
		const node = messagingNode(parameters, {
			onError: onError ?? scenario.onError,
			...(nodeTries > 1 && !isWell ? { retryOnFail: true, maxTries: nodeTries, waitBetweenTries: 1 } : {}),
		});
		const flow = workflow([startNode(), node], [[startName, nodeName]]);
		// The store keeps what it knows by workflow.
		return { ...flow, id: `fuzz-${seed}` };
	}
}
