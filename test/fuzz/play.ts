/** Plays a scenario in n8n's engine, then ends all faults and runs it to completion. */
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'flatted';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Engine, RunHandle } from '../engine/engine.ts';
import { eventually } from '../soon.ts';
import { Run } from '../engine/run.ts';
import { messagingNode, nodeName, startName, startNode, workflow } from '../engine/workflow.ts';
import type { WorkflowJson } from '../engine/protocol.ts';
import { times, type Engines, type Time } from './engines.ts';
import type { Act, Scenario, Trouble, WhenUnknown } from './scenario.ts';
import type { FuzzService } from './service.ts';
import { World } from './world.ts';

/** One execution of the workflow, with its retries. */
export interface Execution {
	readonly number: number;
	/** The runs that ended, the newest last, and their ends in the world's time. */
	readonly runs: Run[];
	readonly endedAt: number[];
	/** How often it began, ended or not, and the last beginning in the world's time. */
	begun: number;
	beganAt: number;
	/** Whether it was ever cancelled or killed. */
	isStopped: boolean;
	/** The settings of When Outcome Is Unknown, with their beginnings in the world's time, the newest last. */
	readonly policies: Array<{ readonly since: number; readonly whenUnknown: WhenUnknown }>;
	/** Whether it lasted as long as a request's timeout, so that a request may have timed out, answered or not. */
	timedOut: boolean;
}

/** The store for once keys failed in an act. */
export interface Troubled extends Trouble {
	/** Its beginning in the world's time; undefined when it never failed. */
	readonly since: number | undefined;
}

/** What has happened by the end of an act. */
export interface Played {
	readonly scenario: Scenario;
	readonly world: World;
	readonly executions: readonly Execution[];
	/** The executions that this act ran. */
	readonly acted: readonly Execution[];
	/** Whether an execution of the same items ran at the same time, or an engine was killed, so far. */
	readonly hadCompany: boolean;
	readonly wasKilled: boolean;
	/** How the store failed in this act. */
	readonly troubled: Troubled | undefined;
	/** The first item with a broken parameter in this act. */
	readonly brokenFrom: number | undefined;
	/** Whether this is the first act, or the last, which is without faults. */
	readonly isFirst: boolean;
	readonly isLast: boolean;
}

/** What a scenario needs to be played. */
export interface Theatre {
	readonly service: FuzzService;
	readonly engines: Engines;
}

/** Only a guard against hanging. */
const longestMs = 300_000;

/** Thrown when a run does not end. */
class Hangs extends Error {}

/** Thrown when n8n fails before the node runs, because the machine is too busy. */
class TooBusy extends Error {}

/** n8n's error when the regular expressions of a locator take longer than its limit of 250 ms. */
const tooBusy = 'Regular expression execution timed out';

/** The clock speed for a scenario. */
function timeOf({ isKeyed }: Scenario): Time {
	return isKeyed ? 'brisk' : 'fast';
}

/** How often a round is tried at most when the machine is too busy. */
const mostTakes = 5;

/**
 * Plays a scenario.
 *
 * @param judge called after each act
 * @returns the findings; empty when everything is right
 */
export async function play(
	scenario: Scenario,
	theatre: Theatre,
	judge: (played: Played) => string[],
): Promise<string[]> {
	const { engines } = theatre;
	const playIn = async (engine: Engine): Promise<string[]> =>
		await playRound(scenario, theatre, judge, engine);
	switch (scenario.stage) {
		case 'shared':
			return await playIn(scenario.isKeyed ? await engines.keyed() : engines.shared);
		case 'troubled':
			return await engines.withTroubled(playIn);
		case 'deadly': {
			const own = await engines.startOwn(timeOf(scenario));
			try {
				return await playIn(own);
			} finally {
				await own.stop();
			}
		}
	}
}

async function playRound(
	scenario: Scenario,
	theatre: Theatre,
	judge: (played: Played) => string[],
	engine: Engine,
): Promise<string[]> {
	for (let take = 1; ; take++) {
		const world = new World(scenario);
		theatre.service.open(world);
		const round = new Round(scenario, theatre, world, judge, engine, take);
		try {
			return await round.play();
		} catch (error) {
			if (error instanceof TooBusy && take < mostTakes) {
				await round.over();
				continue;
			}
			if (error instanceof Hangs || error instanceof TooBusy) return [error.message];
			throw error;
		} finally {
			world.release();
			theatre.service.close(world);
		}
	}
}

/**
 * A run that can be retried. n8n saves a cancelled execution at once, and a moment later puts the node back among those
 * to run: which of the two states is in its database depends on timing.
 */
function resumable(failed: Run, { items }: Scenario): Run {
	const { request, report } = failed;
	const data = structuredClone(failed.data);
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

/** In the last act, nothing in doubt is sent again or counted as sent. */
const hold: WhenUnknown = ['hold', 'hold'];

/** The option's value: an expression where it differs between items. */
function choiceOf([even, odd]: WhenUnknown): string {
	return even === odd ? even : `={{ ["${even}", "${odd}"][$itemIndex % 2] }}`;
}

class Round {
	readonly #scenario: Scenario;
	readonly #theatre: Theatre;
	readonly #world: World;
	readonly #judge: (played: Played) => string[];
	readonly #take: number;
	readonly #executions: Execution[] = [];
	#engine: Engine;
	readonly #handles: RunHandle[] = [];
	#hadCompany = false;
	#wasKilled = false;
	#brokenFrom: number | undefined;

	constructor(
		scenario: Scenario,
		theatre: Theatre,
		world: World,
		judge: (played: Played) => string[],
		engine: Engine,
		take: number,
	) {
		this.#take = take;
		this.#scenario = scenario;
		this.#theatre = theatre;
		this.#world = world;
		this.#judge = judge;
		this.#engine = engine;
	}

	async play(): Promise<string[]> {
		for (const [n, act] of this.#scenario.acts.entries()) {
			this.#brokenFrom = act.what === 'retry' ? this.#scenario.brokenFrom[n] : undefined;
			const { acted, troubled } = await this.#act(act);
			const wrong = this.#judge(this.#played(acted, { troubled, isFirst: n === 0, isLast: false }));
			if (wrong.length > 0) return wrong;
		}
		return await this.#end();
	}

	/** The last act: without faults, everything not yet sent can be sent. */
	async #end(): Promise<string[]> {
		this.#world.isWell = true;
		this.#brokenFrom = undefined;
		const settings = { onError: 'continueRegularOutput' } as const;
		const acted: Execution[] = [];
		if (this.#scenario.isKeyed) {
			const again = this.#begin();
			await this.#finish(again, this.#start(again, settings));
			acted.push(again);
		} else {
			for (const execution of this.#failed()) {
				await this.#finish(execution, this.#retry(execution, hold, settings));
				acted.push(execution);
			}
		}
		await this.#quiet();
		return this.#judge(this.#played(acted, { troubled: undefined, isFirst: false, isLast: true }));
	}

	#played(acted: readonly Execution[], act: Pick<Played, 'troubled' | 'isFirst' | 'isLast'>): Played {
		return {
			scenario: this.#scenario,
			world: this.#world,
			executions: this.#executions,
			acted,
			hadCompany: this.#hadCompany,
			wasKilled: this.#wasKilled,
			brokenFrom: this.#brokenFrom,
			...act,
		};
	}

	/** Waits until none of its runs is running. */
	async over(): Promise<void> {
		this.#world.release();
		await Promise.allSettled(this.#handles.map(({ finished }) => finished));
	}

	async #act(act: Act): Promise<{ acted: Execution[]; troubled: Troubled | undefined }> {
		const { trouble, stop } = act;
		const failed = this.#failed().at(-1 - act.which);
		if (act.what === 'retry' && failed === undefined) return { acted: [], troubled: undefined };
		if (act.beside > 1) this.#hadCompany = true;
		if (stop !== undefined) this.#world.holdAfter(stop.after);
		else if (trouble?.when === 'during') this.#world.holdAfter(trouble.after);
		let broken = trouble?.when === 'before' ? await this.#breakStore(trouble) : undefined;
		const acted =
			act.what === 'retry' && failed !== undefined
				? Array.from({ length: act.isDouble ? 2 : 1 }, () => failed)
				: Array.from({ length: act.beside }, () => this.#begin());
		const handles = acted.map((execution) =>
			act.what === 'retry' ? this.#retry(execution, act.whenUnknown) : this.#start(execution),
		);
		this.#handles.push(...handles);
		const all = Promise.all(acted.map(async (execution, n) => await this.#finish(execution, handles[n]!)));
		// Handled below; this only prevents an unhandled rejection.
		all.catch(() => {});
		if (stop !== undefined) await this.#stop(stop.how, acted, handles, all);
		else if (trouble?.when === 'during') {
			if (await this.#isHolding(all)) broken = await this.#breakStore(trouble);
			this.#world.release();
		}
		await all;
		await broken?.worksAgain;
		if (trouble !== undefined) await this.#troubleStore('none');
		await this.#quiet();
		return { acted, troubled: trouble && { ...trouble, since: broken?.since } };
	}

	/** Makes the store fail, for `backAfterMs` if that is given. */
	async #breakStore({ backAfterMs }: Trouble): Promise<{ since: number; worksAgain: Promise<void> }> {
		await this.#troubleStore('fails');
		const wait = async (): Promise<void> => {
			if (backAfterMs === undefined) return;
			await sleep(backAfterMs);
			await this.#troubleStore('none');
		};
		return { since: this.#world.tick(), worksAgain: wait() };
	}

	async #troubleStore(trouble: 'fails' | 'none'): Promise<void> {
		await this.#engine.troubleStore(trouble);
	}

	/** Waits until the service holds an answer back; false when all runs end first. */
	async #isHolding(all: Promise<unknown>): Promise<boolean> {
		return await Promise.race([
			this.#world.holds.then(() => true),
			all.then(
				() => false,
				() => false,
			),
		]);
	}

	async #stop(
		how: 'cancel' | 'kill',
		acted: readonly Execution[],
		handles: readonly RunHandle[],
		all: Promise<unknown>,
	): Promise<void> {
		if (await this.#isHolding(all)) {
			// Requests that leave in the same turn are then all in flight.
			await this.#engine.takeTurns();
			if (how === 'kill') {
				for (const execution of acted) execution.isStopped = true;
				this.#wasKilled = true;
				await this.#engine.kill();
				const { engines } = this.#theatre;
				this.#engine = this.#scenario.isKeyed ? await engines.keyed() : engines.shared;
			} else {
				const [first] = acted;
				if (first !== undefined) first.isStopped = true;
				await handles[0]?.cancel();
			}
			// No one reads the answers to a stopped execution.
			for (const arrival of this.#world.arrivals) {
				const isOver = this.#executions[arrival.execution]?.isStopped === true;
				if (arrival.isOpen && isOver) arrival.isCutOff = true;
			}
		}
		this.#world.release();
	}

	/** Waits until the service has seen all requests, and none is in flight. */
	async #quiet(): Promise<void> {
		const { arrivals } = this.#world;
		await this.#theatre.service.caughtUp();
		await eventually(async () => arrivals.every(({ isOpen }) => !isOpen), 'an end of all requests').catch(
			() => {
				throw new Hangs('a request is still open although its execution is over');
			},
		);
		// On a very busy machine, any answer may be read after the timeout.
		for (const arrival of arrivals) arrival.isLate ||= this.#executions[arrival.execution]?.timedOut === true;
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
			endedAt: [],
			begun: 0,
			beganAt: 0,
			isStopped: false,
			timedOut: false,
			policies: [{ since: 0, whenUnknown: this.#world.isWell ? hold : this.#scenario.options.whenUnknown }],
		};
		this.#executions.push(execution);
		return execution;
	}

	async #finish(execution: Execution, handle: RunHandle): Promise<void> {
		execution.begun += 1;
		execution.beganAt = this.#world.tick();
		const began = performance.now();
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_, reject) => {
			timer = setTimeout(() => reject(new Hangs(`execution ${execution.number} never ends`)), longestMs);
		});
		try {
			const run = await Promise.race([handle.finished, late]);
			if (run.error?.message === tooBusy) throw new TooBusy(run.error.message);
			execution.runs.push(run);
			execution.endedAt.push(this.#world.tick());
			if (performance.now() - began >= this.#timeoutMs) execution.timedOut = true;
		} catch (error) {
			// A run in a killed engine has no result.
			if (error instanceof Hangs || error instanceof TooBusy || !execution.isStopped) throw error;
		} finally {
			clearTimeout(timer);
		}
	}

	/** The timeout of a request, in milliseconds of this process's clock. */
	get #timeoutMs(): number {
		return (this.#scenario.options.timeout * 1000) / times[timeOf(this.#scenario)];
	}

	#start(execution: Execution, settings: { onError?: Scenario['onError'] } = {}): RunHandle {
		return this.#engine.start({
			workflow: this.#workflow(execution, settings),
			credential: { baseUrl: this.#theatre.service.url, apiKey: this.#key() },
			items: this.#scenario.items.map(({ json }) => ({ json: json as never })),
		});
	}

	/** With the current workflow if that has changed (a broken parameter included), else with the one that failed. */
	#retry(
		execution: Execution,
		whenUnknown: WhenUnknown | undefined,
		settings?: { onError: Scenario['onError'] },
	): RunHandle {
		const failed = resumable(execution.runs.at(-1)!, this.#scenario);
		if (whenUnknown !== undefined) execution.policies.push({ since: this.#world.tick(), whenUnknown });
		const isChanged = whenUnknown !== undefined || settings !== undefined || this.#brokenFrom !== undefined;
		return this.#engine.startRetry(failed, {
			credential: { baseUrl: this.#theatre.service.url, apiKey: this.#key() },
			...(isChanged ? { workflow: this.#workflow(execution, settings ?? {}) } : {}),
		});
	}

	/** The last act has another API key, so that a pause asked for under the first one does not delay it. */
	#key(): string {
		return this.#world.keys[this.#world.isWell ? 1 : 0];
	}

	#workflow(execution: Execution, { onError }: { onError?: Scenario['onError'] }): WorkflowJson {
		const { isWell } = this.#world;
		const { nodeTries, kind, seed } = this.#scenario;
		const parameters: INodeParameters = {
			...kind.parameters(execution.number, isWell),
			options: this.#options(execution),
		};
		const node = messagingNode(parameters, {
			onError: onError ?? this.#scenario.onError,
			...(nodeTries > 1 && !isWell ? { retryOnFail: true, maxTries: nodeTries, waitBetweenTries: 1 } : {}),
		});
		const flow = workflow([startNode(), node], [[startName, nodeName]]);
		// The store for once keys is per workflow.
		return { ...flow, id: `fuzz-${seed}-${this.#take}` };
	}

	/** The options that the operation has. */
	#options({ policies }: Execution): INodeParameters {
		const { isWell } = this.#world;
		const { kind, isKeyed, options } = this.#scenario;
		const { ordering, grouping, whenUnknown: _, ...common } = options;
		return {
			...common,
			...(isWell ? { maxWait: 300, keepToPlan: false } : {}),
			...(kind.offers.ordering ? { ordering } : {}),
			...(kind.sharesCalls ? { grouping } : {}),
			...(kind.offers.whenUnknown ? { whenUnknown: choiceOf(policies.at(-1)!.whenUnknown) } : {}),
			...(isKeyed ? { onceKey: '={{ $json.id }}' } : {}),
			...(this.#brokenFrom === undefined
				? {}
				: { maxTries: `={{ $itemIndex < ${this.#brokenFrom} ? ${options.maxTries} : "x" }}` }),
		};
	}
}
