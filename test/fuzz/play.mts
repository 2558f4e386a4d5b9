/** Plays a scenario in n8n's engine, then ends all faults and runs it to completion. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import type { Engine, RunHandle } from '../engine/engine.mts';
import { eventually } from '../waiting.mts';
import { messagingNode, nodeName, startName, startNode, workflow } from '../engine/workflow.mts';
import type { WorkflowJson } from '../engine/protocol.mts';
import { choiceOf, countRefused, hold, resumable, type Execution, type Played } from './executions.mts';
import { times, type Engines, type Time } from './engines.mts';
import { judge } from './judge/judge.mts';
import { parametersOf } from './messages.mts';
import type { Act, Scenario, Trouble, WhenUnknown } from './scenario.mts';
import type { FaultyService } from '../service/faulty-service.mts';
import { World } from './world.mts';

/** Only a guard against hanging. */
const longestMs = 300_000;

/** The clock speed for a scenario. */
function timeOf({ elsewhere, isKeyed, outage }: Scenario): Time {
	return isKeyed || elsewhere !== undefined || outage?.channel !== undefined ? 'brisk' : 'fast';
}

/** Plays a scenario, and says what is wrong after the first act that ends wrongly; empty when none does. */
export async function play(scenario: Scenario, service: FaultyService, engines: Engines): Promise<string[]> {
	const time = timeOf(scenario);
	const own = scenario.stage === 'shared' ? undefined : await engines.startOwn(time);
	try {
		return await new Round(scenario, service, engines, own ?? (await engines.at(time))).play();
	} finally {
		await own?.stop();
	}
}

class Round {
	readonly #scenario: Scenario;
	readonly #service: FaultyService;
	readonly #engines: Engines;
	readonly #world: World;
	readonly #played: Played;
	/** The store for once keys is per workflow. */
	readonly #workflowId = `fuzz-${randomUUID()}`;
	#engine: Engine;

	constructor(scenario: Scenario, service: FaultyService, engines: Engines, engine: Engine) {
		this.#scenario = scenario;
		this.#service = service;
		this.#engines = engines;
		this.#engine = engine;
		const world = (this.#world = new World(scenario));
		const none = {
			hadCompany: false,
			wasKilled: false,
			isLast: false,
			shownAt: new Map(),
			brokenFrom: undefined,
		};
		this.#played = { scenario, world, executions: [], acted: [], ...none };
	}

	async play(): Promise<string[]> {
		this.#service.open(this.#world);
		try {
			for (const act of this.#scenario.acts) {
				await this.#act(act);
				const wrong = judge(this.#played);
				if (wrong.length > 0) return wrong;
			}
			await this.#end();
			return judge(this.#played);
		} finally {
			// Answers that are held back would keep the other runs from ending.
			this.#world.release();
			this.#service.close(this.#world);
		}
	}

	/** The last act: without faults, everything not yet sent can be sent. */
	async #end(): Promise<void> {
		this.#world.isWell = true;
		this.#played.brokenFrom = undefined;
		this.#played.isLast = true;
		const acted = this.#scenario.isKeyed ? [this.#begin()] : this.#failed();
		for (const execution of acted) {
			const isNew = execution.begun === 0;
			await this.#finish(execution, isNew ? this.#start(execution) : this.#retry(execution, hold));
		}
		this.#played.acted = acted;
		await this.#quiet();
	}

	async #act({ what, times: count, which, whenUnknown, brokenFrom, trouble }: Act): Promise<void> {
		const failed = this.#failed().at(-1 - which);
		this.#played.acted = [];
		if (what === 'retry' && failed === undefined) return;
		if (what === 'run' && count > 1) this.#played.hadCompany = true;
		this.#played.brokenFrom = what === 'retry' ? brokenFrom : undefined;
		const failsBefore = trouble?.how === 'storeFails' && trouble.after === 0;
		if (failsBefore) await this.#engine.failStore(true);
		else if (trouble !== undefined) this.#world.holdAfter(trouble.after);
		const acted = Array.from({ length: count }, () => (what === 'retry' ? failed! : this.#begin()));
		const handles = acted.map((execution) =>
			what === 'retry' ? this.#retry(execution, whenUnknown) : this.#start(execution),
		);
		const all = Promise.all(acted.map(async (execution, n) => await this.#finish(execution, handles[n]!)));
		if (trouble !== undefined && !failsBefore) {
			const over = all.then(
				() => false,
				() => false,
			);
			const isHolding = await Promise.race([this.#world.holds.then(() => true), over]);
			if (isHolding) await this.#disturb(trouble.how, acted, handles);
			this.#world.release();
		}
		await all;
		if (trouble?.how === 'storeFails') await this.#engine.failStore(false);
		await this.#quiet();
		this.#played.acted = acted;
	}

	async #disturb(
		how: Trouble['how'],
		acted: readonly Execution[],
		handles: readonly RunHandle[],
	): Promise<void> {
		if (how === 'storeFails') return await this.#engine.failStore(true);
		// Requests that leave in the same turn are then all in flight.
		await this.#engine.takeTurns();
		for (const execution of how === 'kill' ? acted : acted.slice(0, 1)) execution.isStopped = true;
		if (how === 'kill') {
			this.#played.wasKilled = true;
			await this.#engine.kill();
			this.#engine = await this.#engines.at(timeOf(this.#scenario));
		} else await handles[0]?.cancel();
		const stopped = this.#world.arrivals.filter(
			({ execution }) => this.#played.executions[execution]?.isStopped === true,
		);
		// On a busy machine, nobody knows whether the last answers before the stop were read.
		for (const arrival of stopped) arrival.isLate = true;
		// No one reads the answers to a stopped execution, except another retry of it that waits for this one to end.
		if (acted.length > 1 && acted.at(-1) === acted[0]) return;
		for (const arrival of stopped) if (arrival.isOpen) arrival.isCutOff = true;
	}

	/** Waits until the service has seen all requests, and none is in flight. */
	async #quiet(): Promise<void> {
		const { arrivals } = this.#world;
		await this.#service.caughtUp();
		await eventually(async () => arrivals.every(({ isOpen }) => !isOpen), 'an end of all requests');
		// On a very busy machine, any answer may be read after the timeout.
		const { executions } = this.#played;
		for (const arrival of arrivals) arrival.isLate ||= executions[arrival.execution]?.timedOut === true;
	}

	/** Executions whose newest run failed or was cancelled, the oldest first: only those can be retried. */
	#failed(): Execution[] {
		return this.#played.executions.filter(({ runs, begun }) => {
			const status = runs.at(-1)?.status;
			return runs.length === begun && (status === 'error' || status === 'canceled');
		});
	}

	#begin(): Execution {
		const { executions } = this.#played;
		const whenUnknown = this.#world.isWell ? hold : this.#scenario.options.whenUnknown;
		const execution: Execution = {
			number: executions.length,
			runs: [],
			begun: 0,
			isStopped: false,
			timedOut: false,
			policies: [{ since: 0, whenUnknown }],
		};
		executions.push(execution);
		return execution;
	}

	async #finish(execution: Execution, handle: RunHandle): Promise<void> {
		execution.begun += 1;
		const began = performance.now();
		const late = sleep(longestMs, undefined, { ref: false }).then(() => {
			throw new Error(`execution ${execution.number} never ends`);
		});
		// A run in a killed engine has no result.
		const lost = handle.finished.catch((error: unknown) => {
			if (!execution.isStopped) throw error;
		});
		const run = await Promise.race([lost, late]);
		if (run === undefined) return;
		execution.runs.push(run);
		countRefused(run, this.#scenario.items.length);
		// By this process's clock.
		const timeoutMs = (this.#scenario.options.timeout * 1000) / times[timeOf(this.#scenario)];
		if (performance.now() - began >= timeoutMs) execution.timedOut = true;
	}

	#start(execution: Execution): RunHandle {
		return this.#engine.start({
			workflow: this.#workflow(execution),
			credential: this.#credential(),
			items: this.#scenario.items.map(({ json }) => ({ json: json as never })),
		});
	}

	/** With the current workflow if that has changed (a broken parameter included), else with the one that failed. */
	#retry(execution: Execution, whenUnknown: WhenUnknown | undefined): RunHandle {
		const failed = resumable(execution.runs.at(-1)!, this.#scenario);
		if (whenUnknown !== undefined) execution.policies.push({ since: this.#world.tick(), whenUnknown });
		const isChanged = whenUnknown !== undefined || this.#played.brokenFrom !== undefined;
		return this.#engine.startRetry(failed, {
			credential: this.#credential(),
			...(isChanged ? { workflow: this.#workflow(execution) } : {}),
		});
	}

	/** The last act has another API key, so that a pause asked for under the first one does not delay it. */
	#credential(): { baseUrl: string; apiKey: string } {
		const [first, last] = this.#world.keys;
		return { baseUrl: this.#service.url, apiKey: this.#world.isWell ? last : first };
	}

	#workflow(execution: Execution): WorkflowJson {
		const { isWell } = this.#world;
		const { nodeTries, onError } = this.#scenario;
		const parameters = { ...parametersOf(execution.number), options: this.#options(execution) };
		const repeats = { retryOnFail: true, maxTries: nodeTries, waitBetweenTries: 1 };
		const node = messagingNode(parameters, {
			onError: isWell ? 'continueRegularOutput' : onError,
			...(nodeTries > 1 && !isWell ? repeats : {}),
		});
		return { ...workflow([startNode(), node], [[startName, nodeName]]), id: this.#workflowId };
	}

	#options({ policies }: Execution): INodeParameters {
		const { isKeyed, options } = this.#scenario;
		return {
			...options,
			...(this.#world.isWell ? { maxWait: 300, keepToPlan: false } : {}),
			whenUnknown: choiceOf(policies.at(-1)!.whenUnknown),
			...(isKeyed ? { onceKey: '={{ $json.id }}' } : {}),
			...(this.#played.brokenFrom === undefined
				? {}
				: { maxTries: `={{ $itemIndex < ${this.#played.brokenFrom} ? ${options.maxTries} : "x" }}` }),
		};
	}
}
