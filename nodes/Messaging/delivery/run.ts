import type { IExecuteFunctions } from 'n8n-workflow';

import { Asked } from '../ask/asked';
import type { AnyOperation } from '../contract/any-operation';
import type { Service } from '../service/connect';
import { type Failure, isFailure } from '../service/endings';
import { systemClock } from '../time/clock';
import { Batches } from './batches';
import { type CallEnvironment, makeCall, newStats, visitorOf } from './call';
import { Items } from './items';
import type { Job } from './jobs';
import { Memory } from './memory/memory';
import { keyStoreOf } from './memory/once/key-store';
import { OnceKeys } from './memory/once/once-keys';
import { rowOf } from './memory/once/rows';
import { gateOf } from './pace/gates';
import { learnPlan } from './pace/learn-plan';
import { Questions } from './questions';
import { recallRest } from './recall';
import { addHints } from './report/hints';
import { mayBeDone } from './report/not-sent';
import { Progress } from './report/progress';
import type { Results } from './report/results';
import { schedule } from './scheduler';
import { Sender } from './sender';
import { onceLabel, type RunSettings } from './settings';

/** What all items of a run need. */
export interface SetUp {
	operation: AnyOperation;
	service: Service;
	settings: RunSettings;
}

/** How a question is asked that comes before the calls. */
const QUESTION_SETTINGS = {
	timeoutMs: 10_000,
	maxTries: 3,
	maxWaitMs: 60_000,
	resendUnknown: false,
	showToken: false,
};

/** One run of the node: draws the calls from the items, has them sent, and writes down how they ended. */
export class Run {
	private readonly stopsOnFailure: boolean;

	private readonly memory: Memory;

	/** What was asked, in an operation that waits for an answer. */
	private readonly asked: Asked | undefined;

	private readonly halt = new AbortController();

	private readonly env: CallEnvironment;

	private readonly items: Items;

	private readonly sender: Sender;

	/** Made when the first item has one. */
	private onceKeys: OnceKeys | Failure | undefined;

	/** The parts of items that share calls. */
	private batches?: Batches;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly setUp: SetUp,
		private readonly results: Results,
	) {
		const { operation, service, settings } = setUp;
		this.asked = operation.waits === true ? Asked.open(context) : undefined;
		// Whoever can be asked is asked, whatever becomes of the others.
		this.stopsOnFailure = !context.continueOnFail() && this.asked === undefined;
		this.memory = Memory.open(context, `${operation.resource} ${operation.name}`);
		this.env = {
			service,
			gate: gateOf(service),
			limiter: settings.limiter,
			clock: systemClock,
			random: Math.random,
			keepToPlan: settings.keepToPlan,
			signal: this.halt.signal,
			stats: newStats(),
		};
		const isInMemory = this.memory.remembersPart();
		const questions = new Questions(
			operation,
			(call) => makeCall(this.env, call, QUESTION_SETTINGS),
			// What the list would have told is part of the keys. What no try before has left anything of was not done.
			(failure, { parts }) =>
				parts?.().names.some((name) => isInMemory(name.toLowerCase())) === true
					? mayBeDone(failure, this.memory)
					: undefined,
		);
		this.sender = new Sender(this.env, this.memory, operation.fields, questions);
		this.items = new Items(
			context,
			operation,
			this.memory,
			this.asked,
			results,
			questions,
			() => (this.onceKeys ??= this.openOnceKeys()),
			() => this.stopIfAsked(),
		);
	}

	/**
	 * Makes all calls and writes down how they ended.
	 *
	 * @returns whether the execution waits for an answer now
	 */
	async all(): Promise<boolean> {
		const cancel = this.context.getExecutionCancelSignal();
		const onCancel = (): void => {
			// n8n saves the execution right after this: what is not remembered now is not remembered.
			this.memory.interrupt();
			this.halt.abort();
		};
		if (cancel?.aborted === true) onCancel();
		cancel?.addEventListener('abort', onCancel, { once: true });
		const progress = this.progress();
		try {
			await this.sendAll();
		} finally {
			const { memory, onceKeys, results } = this;
			const unnoted = onceKeys === undefined || isFailure(onceKeys) ? [] : await onceKeys.close();
			results.unnoted = memory.keepUnnoted(unnoted);
			progress.ended(results.tally(), cancel?.aborted === true);
			cancel?.removeEventListener('abort', onCancel);
		}
		if (cancel?.aborted === true) return false;
		if (this.asked?.any === true) {
			// The memory stays: n8n may repeat an execution that was stopped while it waited.
			addHints(this.context, this.env, this.results, true);
			await this.asked.wait();
			return true;
		}
		const throws = this.results.first !== undefined && !this.context.continueOnFail();
		if (!throws) {
			addHints(this.context, this.env, this.results, false);
			// At the very last: whatever fails before must find it.
			this.memory.closeAfterReturn(this.results.firstItemFailed());
		}
		return false;
	}

	private async sendAll(): Promise<void> {
		const { batching } = this.setUp.operation;
		if (batching === undefined) {
			await this.schedule(this.items.jobs());
			return await recallRest(this.memory, this.results, this.env.clock);
		}
		// A run that sends nothing itself has to tell of what an earlier try has sent all the same.
		if (this.memory.isRepetition) this.results.changes = true;
		const batches = (this.batches = new Batches(batching.mostParts, this.memory));
		await this.items.gatherInto(batches, this.env);
		await this.schedule(batches.jobs());
		await batches.settle(this.results, this.env.clock);
	}

	/** Tells those who run n8n where a long run is. */
	private progress(): Progress {
		const { context, env, results, setUp } = this;
		const { resource, name } = setUp.operation;
		return new Progress(
			{
				...env,
				what: `${resource} ${name}`,
				execution: context.getExecutionId(),
				total: results.total,
				soFar: () => results.soFar((item) => this.batches?.endOf(item)),
			},
			env.clock,
			(line) => context.logger.info(line),
		);
	}

	/** Runs jobs; a `null` among them is an item that needs none. */
	private async schedule(jobs: Iterator<Job | null>): Promise<void> {
		const { env, results, sender, setUp } = this;
		let started = 0;
		await schedule<Job>(
			{
				next: () => {
					const next = jobs.next();
					return next.done === true ? undefined : next.value;
				},
				laneOf: ({ prepared }) => (setUp.settings.ordered ? prepared.lane : undefined),
				needsOf: ({ ticket }) => ticket?.claimed,
				run: async (job) => {
					started += 1;
					// A run of one call does not spend a request on its plan.
					if (started > 1 && env.keepToPlan) learnPlan(env, visitorOf(env, job.settings));
					if (sender.changes(job)) results.changes = true;
					const end = await sender.send(job);
					job.ended(end);
					if ('failure' in end) this.stopIfAsked();
				},
				halted: () => this.halt.signal.aborted,
			},
			env.limiter,
			env.clock,
		);
	}

	private openOnceKeys(): OnceKeys | Failure {
		const { operation, settings } = this.setUp;
		const store = keyStoreOf(this.context, onceLabel(operation.fields) ?? '');
		if (isFailure(store)) return store;
		return new OnceKeys(rowOf(store.place), {
			store,
			scope: `${operation.resource} ${operation.name}`,
			mostKeys: settings.onceHistory,
			clock: this.env.clock,
			signal: this.halt.signal,
		});
	}

	private stopIfAsked(): void {
		if (this.stopsOnFailure) this.halt.abort();
	}
}
