import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { InvalidParameter } from '../input/invalid-parameter';
import type { Operation } from '../operations/operation';
import { Asked, canAsk } from '../question/asked';
import { connect, type Service } from '../service/connect';
import { type Failure, isFailure, unsent } from '../service/endings';
import { systemClock } from '../shared/clock';
import { isPlainObject } from '../shared/json';
import { type CallEnvironment, newStats } from './call';
import { type Job, Items, refusal, sourceOf } from './items';
import { isDone, Ledger } from './ledger';
import { rowOf } from './once/key-row';
import { type KeyStore, keyStoreOf } from './once/key-store';
import { OnceKeys } from './once/once-keys';

import { gateOf } from './pace/key-gate';
import { addHints, logProgress, stopError } from './report/summary';
import { ASKED_BEFORE, brokenBefore, STOPPED } from './report/wording';
import { schedule } from './scheduler';
import { Sender } from './send';
import { onceLabel, type RunSettings, runSettings } from './settings';

/** What all items of a run need. */
interface SetUp {
	readonly operation: Operation;
	readonly service: Service;
	readonly settings: RunSettings;
	/** Where n8n keeps once keys, if the run uses any. */
	readonly keyStore: KeyStore | undefined;
}

/**
 * Runs an operation (undefined when the node names one that does not exist) for every input item, and gives the output
 * in input order.
 *
 * With On Error "Stop Workflow" the first failure for good throws, once what is under way has ended; otherwise every
 * failed item becomes an error item, and nothing is thrown. An operation that waits fails when nobody was asked.
 */
export async function deliver(
	context: IExecuteFunctions,
	operation: Operation | undefined,
): Promise<INodeExecutionData[][]> {
	const ledger = new Ledger(context);
	let waits = false;
	try {
		await ledger.open(operation);
		const setUp = await prepare(context, operation);
		if (!isFailure(setUp)) waits = await new Run(context, setUp, ledger).all();
		else {
			if (operation?.waits === true) failAsked(ledger);
			ledger.failRun(setUp);
			ledger.leave();
		}
	} catch (error) {
		// With On Error "Continue", n8n would pass off the input of a node that throws as its output.
		ledger.failRun(brokenBefore(error));
		ledger.leave();
	}
	// With an error in an item, n8n would repeat the node.
	if (waits) return [[]];
	ledger.failLeft();
	ledger.failRest(STOPPED);
	const { first } = ledger;
	// Also when it was cancelled with nothing on its way: n8n would retry from the next node, as if this one were done.
	if (first !== undefined && !context.continueOnFail()) throw stopError(context, first, ledger);
	const output = await ledger.output();
	// At the very end: a retry after any failure before needs what is remembered.
	if (context.getExecutionCancelSignal()?.aborted !== true) ledger.closeAfterReturn();
	return [output];
}

/** Fails what an earlier try has asked: nobody waits for an answer in a run that can't start. */
function failAsked(ledger: Ledger): void {
	for (const [item, entry] of ledger.entries.entries()) {
		if (isDone(entry)) ledger.fail([item], ASKED_BEFORE);
	}
}

/** Finds out what all items of a run need. */
async function prepare(
	context: IExecuteFunctions,
	operation: Operation | undefined,
): Promise<SetUp | Failure> {
	if (operation === undefined) {
		return unsent('This node has no such operation', 'Choose its resource and its operation again.');
	}
	if (operation.waits === true && !canAsk(context)) {
		return unsent(
			`This n8n is too old for "${operation.displayName}"`,
			'It does not sign the links on which a question is answered, so nobody was asked. Update n8n.',
		);
	}
	const settings = settingsOf(context, operation);
	if (isFailure(settings)) return settings;
	const label = onceLabel(operation.fields) ?? '';
	const keyStore = settings.usesKeys ? keyStoreOf(context, label) : undefined;
	if (keyStore !== undefined && isFailure(keyStore)) return keyStore;
	const service = await connect(context);
	return isFailure(service) ? service : { operation, service, settings, keyStore };
}

/** The settings of a run are those in the options of its first item. */
function settingsOf(context: IExecuteFunctions, { fields }: Operation): RunSettings | Failure {
	const source = sourceOf(context, fields, 0);
	try {
		return runSettings(source, fields);
	} catch (error) {
		if (error instanceof InvalidParameter) return refusal(error);
		// An expression that fails for the first item is that item's failure: the run has the standard settings, and once
		// keys if the option is added.
		const entered = source.unresolved?.('options');
		const options = isPlainObject(entered) && 'onceKey' in entered ? { onceKey: '' } : {};
		return runSettings({ ...source, read: () => options }, fields);
	}
}

/** One run of the node: has the calls of all items made, in the order and at the pace that they may be. */
class Run {
	/** What was asked, in an operation that waits for an answer. */
	private readonly asked: Asked | undefined;

	private readonly halt = new AbortController();

	private readonly env: CallEnvironment;

	private readonly onceKeys: OnceKeys | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly setUp: SetUp,
		private readonly ledger: Ledger,
	) {
		const { keyStore, operation, service, settings } = setUp;
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
		this.onceKeys =
			keyStore &&
			new OnceKeys(rowOf(keyStore.place), {
				store: keyStore,
				scope: `${operation.resource} ${operation.name}`,
				mostKeys: settings.onceHistory,
				signal: this.halt.signal,
			});
		ledger.usesKeys = settings.usesKeys;
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
			// A loop runs the node many times in one execution.
			cancel?.removeEventListener('abort', onCancel);
		}
		if (cancel?.aborted === true) return false;
		const isWaiting = asked?.any === true;
		if (isWaiting || ledger.first === undefined || context.continueOnFail()) {
			addHints(context, this.env, ledger, isWaiting);
		}
		// What is remembered stays: n8n may repeat an execution that was stopped while it waited.
		if (isWaiting) await asked.wait();
		return isWaiting;
	}

	private async sendAll(): Promise<void> {
		const { context, env, ledger, onceKeys, setUp } = this;
		const { resource, name } = setUp.operation;
		const execution = context.getExecutionId();
		const runName = `${resource} ${name}${execution === undefined ? '' : `, execution ${execution}`}`;
		const logEnd = logProgress(env, ledger, runName, (line) => context.logger.info(line));
		try {
			await this.sendInOrder();
		} finally {
			if (onceKeys !== undefined) ledger.unnoted = await onceKeys.close();
			logEnd();
		}
	}

	private async sendInOrder(): Promise<void> {
		const { asked, context, env, ledger, onceKeys, setUp } = this;
		const { operation, settings } = setUp;
		const sender = new Sender(env, ledger, operation.fields, asked);
		const jobs = new Items(context, operation, ledger, asked, onceKeys).jobs();
		await schedule<Job>(
			{
				next: () => {
					const { done, value } = jobs.next();
					this.stopIfFailed();
					return done === true ? undefined : value;
				},
				laneOf: ({ calls: [{ lane }] }) => (settings.ordered ? lane : undefined),
				needsOf: ({ ticket }) => ticket,
				run: async (job) => {
					await sender.send(job);
					this.stopIfFailed();
				},
				halted: () => env.signal.aborted,
			},
			env.limiter,
			env.clock,
		);
	}

	/** A failure stops the run with On Error "Stop Workflow". Questions still go out: anybody who was asked may answer. */
	private stopIfFailed(): void {
		if (this.ledger.hasFailed && !this.context.continueOnFail() && this.asked === undefined) {
			this.halt.abort();
		}
	}
}
