import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isDeeperThan } from '../fields/depth';
import { fieldName } from '../fields/field-name';
import { Input } from '../fields/input';
import { InvalidParameter } from '../fields/invalid-parameter';
import { deliveryOptions } from '../fields/options';
import type { Operation } from '../operations/operation';
import type { ApiCall } from '../service/api-call';
import { connect, isFailure, type Service } from '../service/connect';
import { type Failure, unsent } from '../service/failure';
import { maskTokens } from '../service/tokens';
import { Batches } from './batches';
import { brokenAfter, brokenBefore, brokenDuring } from './broken';
import { type CallEnvironment, type CallWatch, makeCall, visitorOf } from './call';
import { systemClock } from './clock';
import { gateOf } from './gates';
import { completeWith, guardWith } from './guard';
import { addHints } from './hints';
import { compileItem, inputOf, type ItemCall, type Job, type Landing, optionsOf, refusal } from './jobs';
import { learnPlan } from './learn-plan';
import { Memory } from './memory';
import { stopError } from './report';
import { Results } from './results';
import { schedule, TURN_MS } from './scheduler';
import { type RunSettings, runSettings } from './settings';
import { mayResend, notSentAgain } from './unknown';

/**
 * Runs an operation (undefined when the node names one that is not there) for every input item, and gives the output
 * in input order. This is the only loop over items.
 *
 * With On Error "Stop Workflow" the first failure for good throws, once what is under way has ended; otherwise every
 * failed item becomes an error item, and nothing is thrown.
 */
export async function deliver(
	context: IExecuteFunctions,
	operation: Operation | undefined,
): Promise<INodeExecutionData[][]> {
	const results = new Results(context.getInputData().length);
	const setUp = await prepare(context, operation);
	if (isFailure(setUp)) results.failAll(setUp);
	else await deliverAll(context, setUp, results);
	if (results.first !== undefined && !context.continueOnFail())
		throw stopError(context, results.first, results.tally());
	results.failRest(NOT_STARTED);
	return [results.items()];
}

/** Makes all calls of a run. Whatever goes wrong, every item gets an end that is true. */
async function deliverAll(context: IExecuteFunctions, setUp: SetUp, results: Results): Promise<void> {
	let run: Run;
	try {
		run = new Run(context, setUp, results);
	} catch (error) {
		return results.failAll(brokenBefore(error));
	}
	await run.all();
}

/** What all items of a run need. */
interface SetUp {
	operation: Operation;
	service: Service;
	settings: RunSettings;
}

/** It never throws: under On Error "Continue" a throw would pass the input off as success. */
async function prepare(
	context: IExecuteFunctions,
	operation: Operation | undefined,
): Promise<SetUp | Failure> {
	if (operation === undefined) {
		return unsent(
			'This node has no such operation',
			'Choose the resource and the operation of this node once more.',
		);
	}
	const service = await connect(context);
	if (isFailure(service)) return service;
	const settings = settingsOf(context, operation);
	return isFailure(settings) ? settings : { operation, service, settings };
}

/** The settings of a run stand in the options of its first item. */
function settingsOf(context: IExecuteFunctions, operation: Operation): RunSettings | Failure {
	try {
		return runSettings(optionsOf(inputOf(context, operation, 0, () => '')));
	} catch (error) {
		if (error instanceof InvalidParameter) return refusal(error);
		// An expression that fails for the first item is that item's failure, which comes when its turn does.
		return runSettings(new Input(deliveryOptions, { read: () => undefined, timezone: '', callId: '' }));
	}
}

/** What stands for an item whose turn never came, because the execution was cancelled. */
const NOT_STARTED = unsent('The item was not sent', 'The execution was stopped before its turn came.');

/** How deep a reply may be nested: n8n copies and saves what it gets, one level within the other. */
const DEEPEST_REPLY = 500;

/** A body that n8n can copy and save; `undefined` when it is nested too deeply for that. */
function savable(body: unknown): unknown {
	return isDeeperThan(body, DEEPEST_REPLY) ? undefined : body;
}

/** How a question is asked that comes before the calls. */
const QUESTION_SETTINGS = {
	timeoutMs: 10_000,
	maxTries: 3,
	maxWaitMs: 60_000,
	resendUnknown: false,
	showToken: false,
};

/** One run of the node. */
class Run {
	private readonly total: number;

	private readonly stopsOnFailure: boolean;

	private readonly memory: Memory;

	private readonly halt = new AbortController();

	private readonly env: CallEnvironment;

	private readonly guard: ReturnType<typeof guardWith> | undefined;

	private readonly complete: ReturnType<typeof completeWith> | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly setUp: SetUp,
		private readonly results: Results,
	) {
		const { operation, service, settings } = setUp;
		this.total = context.getInputData().length;
		this.stopsOnFailure = !context.continueOnFail();
		this.memory = Memory.open(context, `${operation.resource} ${operation.name}`);
		this.env = {
			service,
			gate: gateOf(service),
			limiter: settings.limiter,
			clock: systemClock,
			random: Math.random,
			keepToPlan: settings.keepToPlan,
			signal: this.halt.signal,
			stats: { retries: 0, turnedAway: 0, pacedMs: 0 },
		};
		const { guard, completion } = operation;
		const question = (call: ApiCall) => () => makeCall(this.env, call, QUESTION_SETTINGS);
		this.guard = guard && guardWith(guard, question(guard.call));
		this.complete = completion && completeWith(completion, question(completion.call));
	}

	/** Makes all calls and writes down how they ended. */
	async all(): Promise<void> {
		const cancel = this.context.getExecutionCancelSignal();
		const onCancel = (): void => {
			// n8n saves the execution right after this: what is not remembered now is not remembered.
			this.memory.interrupt();
			this.halt.abort();
		};
		if (cancel?.aborted === true) onCancel();
		cancel?.addEventListener('abort', onCancel, { once: true });
		try {
			const { batching } = this.setUp.operation;
			if (batching === undefined) await this.schedule(this.itemJobs());
			else {
				const batches = new Batches(batching, this.memory);
				await this.gather(batches);
				await this.schedule(batches.jobs());
				await batches.settle(this.results, this.env.clock);
			}
		} finally {
			cancel?.removeEventListener('abort', onCancel);
		}
		const { first } = this.results;
		const throws = first !== undefined && this.stopsOnFailure;
		if (!throws && cancel?.aborted !== true) {
			this.memory.closeAfterReturn(this.results.firstItemFailed());
			addHints(this.context, this.env, this.results.tally());
		}
	}

	/** Runs jobs; a `null` among them is an item that needs none. */
	private async schedule(jobs: Iterator<Job | null>): Promise<void> {
		const { env, memory, setUp } = this;
		let started = 0;
		await schedule<Job>(
			{
				next: () => {
					const next = jobs.next();
					return next.done === true ? undefined : next.value;
				},
				laneOf: ({ compiled }) => (setUp.settings.ordered ? compiled.lane : undefined),
				run: async (job) => {
					started += 1;
					// A run of one call does not spend a request on its plan.
					if (started > 1 && env.keepToPlan) learnPlan(env, visitorOf(env, job.settings));
					const { method } = job.compiled.call;
					if (method !== 'GET') this.results.changes = true;
					// A re-run reads anew; and it may repeat what does no harm when it is done twice.
					const keys = method === 'GET' ? [] : job.keys;
					const watch = method === 'POST' ? memory.watch(keys) : undefined;
					const landing = await this.land(job, watch).catch((error: unknown) => ({
						failure: brokenDuring(error, job.compiled.call),
					}));
					const unknown = 'failure' in landing && landing.failure.outcome === 'unknown';
					const remembered = 'json' in landing || (unknown && watch !== undefined);
					memory.ended(keys, remembered ? landing : undefined);
					job.landed(landing);
					if ('failure' in landing) this.stopIfAsked();
				},
				halted: () => this.halt.signal.aborted,
			},
			env.limiter,
			env.clock,
		);
	}

	private async land(job: Job, watch: CallWatch | undefined): Promise<Landing> {
		const { compiled, settings, doubt } = job;
		const { call, facts, showToken = false, sources } = compiled;
		const { fields, output } = this.setUp.operation;
		const objection = await this.guard?.(facts).catch(brokenBefore);
		if (objection !== undefined) return { failure: objection };
		const nameOf = (path: string): string => fieldName(fields, path, sources);
		const result = await makeCall(this.env, call, { ...settings, showToken, nameOf }, watch, doubt);
		if (isFailure(result)) return { failure: result };
		try {
			return { json: output(showToken ? savable(result.body) : maskTokens(result.body), facts) };
		} catch (error) {
			return { failure: brokenAfter(error, call) };
		}
	}

	/** One job for each item that needs a call, made when its turn has come. */
	private *itemJobs(): Generator<Job | null> {
		for (let item = 0; item < this.total; item++) {
			try {
				yield this.itemJob(item) ?? null;
			} catch (error) {
				this.fail(item, brokenBefore(error));
				yield null;
			}
		}
	}

	/** The call that an item needs; `undefined` when it needs none, because it has ended already. */
	private itemJob(item: number): Job | undefined {
		const { memory, results } = this;
		const key = memory.itemKey(item);
		const remembered = memory.recall(key);
		if (remembered !== undefined) results.changes = true;
		if (remembered !== undefined && 'json' in remembered) {
			results.succeed([item], remembered.json, true);
			return undefined;
		}
		const made = this.compile(item, key);
		if (isFailure(made)) {
			this.fail(item, made);
			return undefined;
		}
		if (remembered !== undefined && !mayResend(remembered, made.settings)) {
			// Nothing new has happened: also in stop mode, the rest goes out before the run fails again.
			results.fail({ failure: notSentAgain(remembered.failure), items: [item] });
			return undefined;
		}
		return {
			...made,
			keys: [key],
			...(remembered === undefined ? {} : { doubt: remembered.failure }),
			landed: (landing) => {
				if ('json' in landing) results.succeed([item], landing.json);
				else results.fail({ failure: landing.failure, items: [item] });
			},
		};
	}

	/** Reads all items before anything is sent, because they share calls; the event loop turns in between. */
	private async gather(batches: Batches): Promise<void> {
		const { clock } = this.env;
		let turnBegan = clock.now();
		for (let item = 0; item < this.total && !this.halt.signal.aborted; item++) {
			try {
				const made = await this.completed(this.compile(item, this.memory.itemKey(item)));
				if (isFailure(made)) this.fail(item, made);
				else batches.add(item, made);
			} catch (error) {
				this.fail(item, brokenBefore(error));
			}
			if (clock.now() - turnBegan >= TURN_MS) {
				await clock.sleep(0);
				turnBegan = clock.now();
			}
		}
	}

	private async completed(made: ItemCall | Failure): Promise<ItemCall | Failure> {
		if (isFailure(made) || this.complete === undefined) return made;
		const done = await this.complete(made.compiled.facts);
		return isFailure(done) ? done : { ...made, compiled: { ...made.compiled, facts: done.facts } };
	}

	private compile(item: number, key: string): ItemCall | Failure {
		const { operation } = this.setUp;
		return compileItem(
			operation,
			inputOf(this.context, operation, item, () => this.memory.uuidOf(key)),
		);
	}

	private fail(item: number, failure: Failure): void {
		this.results.fail({ failure, items: [item] });
		this.stopIfAsked();
	}

	private stopIfAsked(): void {
		if (this.stopsOnFailure) this.halt.abort();
	}
}
