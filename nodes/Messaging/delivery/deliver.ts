import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { InvalidParameter } from '../input/invalid-parameter';
import type { Operation } from '../operations/operation';
import { Asked, canAsk } from '../question/asked';
import { readsOnly } from '../service/api-call';
import { connect, type Service } from '../service/connect';
import { type Failure, isFailure, unsent } from '../service/endings';
import { systemClock } from '../shared/clock';
import { type CallEnvironment, newStats } from './call';
import { type Job, Items, refusal, sourceOf } from './items';
import { isDone, Ledger } from './ledger';
import { keyStoreOf } from './once/key-store';
import { OnceKeys } from './once/once-keys';
import { rowOf } from './once/rows';
import { gateOf } from './pace/key-gate';
import { addHints, logProgress, stopError } from './report/summary';
import { ASKED_BEFORE, brokenBefore, STOPPED } from './report/wording';
import { schedule } from './scheduler';
import { Sender } from './send';
import { onceLabel, optionsOf, type RunSettings, runSettings } from './settings';

/** What all items of a run need. */
interface SetUp {
	readonly operation: Operation;
	readonly service: Service;
	readonly settings: RunSettings;
}

/**
 * Runs an operation (undefined when the node names one that is not there) for every input item, and gives the output
 * in input order.
 *
 * With On Error "Stop Workflow" the first failure for good throws, once what is under way has ended; otherwise every
 * failed item becomes an error item, and nothing is thrown. An operation that waits fails when nobody was asked.
 */
export async function deliver(
	context: IExecuteFunctions,
	operation: Operation | undefined,
): Promise<INodeExecutionData[][]> {
	const opened = await openLedger(context, operation);
	const ledger = isFailure(opened) ? Ledger.forgetful(context.getInputData().length) : opened;
	const setUp = isFailure(opened) ? opened : await prepare(context, operation, ledger);
	let waits = false;
	if (isFailure(setUp)) {
		// Nobody waits any more for an answer to what an earlier try has asked.
		if (operation?.waits === true) failAsked(ledger);
		ledger.failRun(setUp);
		ledger.leave();
	} else {
		try {
			waits = await new Run(context, setUp, ledger).all();
		} catch (error) {
			ledger.failRun(brokenBefore(error));
			ledger.leave();
		}
	}
	// An item with an error in it would have n8n repeat the node.
	if (waits) return [[]];
	ledger.failLeft();
	ledger.failRest(STOPPED);
	const { first } = ledger;
	// Also when it was cancelled with nothing on its way: n8n would retry from the next node, as if this one were done.
	if (first !== undefined && !context.continueOnFail()) throw stopError(context, first, ledger);
	const output = await ledger.output();
	// At the very last: whatever fails before must find it.
	if (context.getExecutionCancelSignal()?.aborted !== true) ledger.closeAfterReturn();
	return [output];
}

/** The ledger of the run; a failure in an n8n that can't say where it keeps things. */
async function openLedger(
	context: IExecuteFunctions,
	operation: Operation | undefined,
): Promise<Ledger | Failure> {
	try {
		return await Ledger.open(context, operation);
	} catch (error) {
		return brokenBefore(error);
	}
}

function failAsked(ledger: Ledger): void {
	for (const [item, entry] of ledger.entries.entries()) {
		if (isDone(entry)) ledger.fail([item], ASKED_BEFORE);
	}
}

/** It never throws: under On Error "Continue" a throw would pass the input off as success. */
async function prepare(
	context: IExecuteFunctions,
	operation: Operation | undefined,
	ledger: Ledger,
): Promise<SetUp | Failure> {
	if (operation === undefined) {
		return unsent(
			'This node has no such operation',
			'Choose the resource and the operation of this node once more.',
		);
	}
	if (operation.waits === true && !canAsk(context)) {
		return unsent(
			`This n8n is too old for "${operation.displayName}"`,
			'It does not sign the links on which a question is answered, so nobody was asked. Update n8n.',
		);
	}
	const settings = settingsOf(context, operation);
	if (isFailure(settings)) return settings;
	ledger.usesKeys = settings.usesKeys;
	const service = await connect(context);
	return isFailure(service) ? service : { operation, service, settings };
}

/** Settings are about the run: nothing is made of the item. */
const NOTHING_MADE = { callId: () => '', answerLink: () => '' };

/** The settings of a run stand in the options of its first item. */
function settingsOf(context: IExecuteFunctions, { fields }: Operation): RunSettings | Failure {
	try {
		return runSettings(optionsOf(sourceOf(context, fields, 0, NOTHING_MADE)), fields);
	} catch (error) {
		if (error instanceof InvalidParameter) return refusal(error);
		// An expression that fails for the first item is that item's failure, which comes when its turn does.
		return runSettings(optionsOf({ read: () => undefined, timezone: '', callId: '' }), fields);
	}
}

/** One run of the node: has the calls of all items made, in the order and at the pace that they may be. */
class Run {
	/** What was asked, in an operation that waits for an answer. */
	private readonly asked: Asked | undefined;

	private readonly halt = new AbortController();

	private readonly env: CallEnvironment;

	private readonly items: Items;

	private readonly sender: Sender;

	/** Made when the first item has one. */
	private onceKeys: OnceKeys | Failure | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly setUp: SetUp,
		private readonly ledger: Ledger,
	) {
		const { operation, service, settings } = setUp;
		this.asked = operation.waits === true ? Asked.open(context) : undefined;
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
		this.sender = new Sender(this.env, ledger, operation.fields, this.asked);
		const onceKeys = (): OnceKeys | Failure => (this.onceKeys ??= this.openOnceKeys());
		this.items = new Items(context, operation, ledger, this.asked, onceKeys);
	}

	/**
	 * Makes all calls. A run that is cancelled ends at once, because n8n saves the execution then; what is under way is
	 * noted in the background.
	 *
	 * @returns whether the execution waits for an answer now
	 */
	async all(): Promise<boolean> {
		const { asked, context, ledger } = this;
		const cancel = context.getExecutionCancelSignal();
		let onCancel: () => void = () => {};
		const isCancelled = new Promise<void>((resolve) => {
			onCancel = () => {
				this.halt.abort();
				resolve();
			};
		});
		if (cancel?.aborted === true) onCancel();
		cancel?.addEventListener('abort', onCancel, { once: true });
		const ended = this.sendAll().finally(() => ledger.leave());
		try {
			await Promise.race([ended, isCancelled]);
		} finally {
			// A loop runs the node again and again in one execution.
			cancel?.removeEventListener('abort', onCancel);
		}
		if (cancel?.aborted === true) return false;
		const isWaiting = asked?.any === true;
		if (isWaiting || ledger.first === undefined || context.continueOnFail()) {
			addHints(context, this.env, ledger, isWaiting);
		}
		// The ledger stays: n8n may repeat an execution that was stopped while it waited.
		if (isWaiting) await asked.wait();
		return isWaiting;
	}

	private async sendAll(): Promise<void> {
		const { context, env, ledger, setUp } = this;
		const { resource, name } = setUp.operation;
		const execution = context.getExecutionId();
		const runName = `${resource} ${name}${execution === undefined ? '' : `, execution ${execution}`}`;
		const logEnd = logProgress(env, ledger, runName, (line) => context.logger.info(line));
		try {
			await this.sendInOrder();
		} finally {
			const { onceKeys } = this;
			if (onceKeys !== undefined && !isFailure(onceKeys)) ledger.keysUnnoted(await onceKeys.close());
			logEnd();
		}
	}

	private async sendInOrder(): Promise<void> {
		const { env, sender, setUp } = this;
		const jobs = this.items.jobs();
		await schedule<Job>(
			{
				next: () => {
					const { done, value } = jobs.next();
					this.stopIfFailed();
					return done === true ? undefined : value;
				},
				laneOf: ({ calls: [{ lane }] }) => (setUp.settings.ordered ? lane : undefined),
				needsOf: ({ ticket }) => ticket?.claimed,
				run: async (job) => {
					if (!readsOnly(job.calls[0].call)) this.ledger.changes = true;
					await sender.send(job);
					this.stopIfFailed();
				},
				halted: () => env.signal.aborted,
			},
			env.limiter,
			env.clock,
		);
	}

	/** Whoever can be asked is asked, whatever becomes of the others. */
	private stopIfFailed(): void {
		if (this.ledger.hasFailed && !this.context.continueOnFail() && this.asked === undefined) {
			this.halt.abort();
		}
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
}
