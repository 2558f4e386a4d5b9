import type { IExecuteFunctions } from 'n8n-workflow';

import { whyUnusable } from '../agent/caller';
import type { ParameterSource } from '../input/parameter-source';
import type { Properties } from '../input/parameter-types';
import { sourceOf } from '../input/source';
import type { Operation } from '../operations/operation';
import { Asked } from '../question/asked';
import { readsOnly } from '../service/api-call';
import { connect } from '../service/connect';
import { type Failure, isFailure } from '../service/endings';
import { systemClock } from '../shared/clock';
import { isPlainObject, type JsonObject } from '../shared/json';
import { type Job, Items, type Run } from './items';
import { isDone, type Ledger } from './ledger';
import { rowOf } from './once/key-row';
import { keyStoreOf } from './once/key-store';
import { OnceKeys, uuidOfKey } from './once/once-keys';
import { gateOf } from './pace/key-gate';
import { RunQueue } from './pace/run-queue';
import type { QueuedJob } from './pace/queued-call';
import { ASKED_BEFORE, refusal, tooManyKeys } from './wording';
import { readNamed } from './look-up';
import { askedTwice } from './asked-twice';
import { Sender } from './send';
import { MOST_KEYS } from '../fields/options';
import { type RunSettings, runSettings } from './settings';

/**
 * Fails questions whose links don't work, because another execution asked them.
 *
 * @param asked the questions that this execution has asked; a run that can't start has asked none
 */
export function failDeadLinks(ledger: Ledger, asked?: Asked): void {
	for (const [item, { key, sentIn }] of ledger.entries.entries()) {
		if (sentIn === 'earlierTry' && asked?.has(key) !== true) ledger.fail([item], ASKED_BEFORE);
	}
}

/** Prepares what all items of a run share; a failure if the run can't be made. */
export async function prepare(
	context: IExecuteFunctions,
	operation: Operation,
	ledger: Ledger,
): Promise<Run | Failure> {
	const { fields, name, previews, resource, waits = false } = operation;
	const unusable = whyUnusable(context, operation);
	if (unusable !== undefined) return unusable;
	const settings = settingsOf(context, fields);
	if (isFailure(settings)) return settings;
	const { keepToPlan, keyOption, lookupSettings, maxConcurrency, onceHistory, ordered, pauseMs } = settings;
	ledger.usesKeys = keyOption !== undefined;
	const store = keyOption === undefined ? undefined : keyStoreOf(context, keyOption);
	if (store !== undefined && isFailure(store)) return store;
	const messages = store === undefined ? 0 : ledger.entries.filter((entry) => !isDone(entry)).length;
	if (messages > MOST_KEYS) return tooManyKeys(messages);
	const service = await connect(context, ledger.entries.length);
	if (isFailure(service)) return service;
	const halt = new AbortController();
	const gate = gateOf(service);
	const maxInFlight = maxConcurrency === 0 ? undefined : maxConcurrency;
	const { signal } = halt;
	// A retry remembers as many keys as the first try: the whole list.
	const mostKeys = Math.min(MOST_KEYS, Math.max(onceHistory, ledger.entries.length));
	const once = { scope: `${resource} ${previews ?? name}`, messages, mostKeys, signal };
	return {
		context,
		operation,
		ledger,
		ordered,
		halt,
		gate,
		lookupSettings,
		named: {},
		lookups: new Map(),
		hints: new Map(),
		same: new Map(),
		queue: new RunQueue(
			gate,
			{ service, keepToPlan: keepToPlan && previews === undefined, signal, maxInFlight, pauseMs },
			ledger.entries.length,
		),
		timezone: context.getTimezone(),
		clock: systemClock,
		random: Math.random,
		asked: waits ? new Asked(context) : undefined,
		mask: service.mask,
		uuidOfKey: (key) => store && uuidOfKey({ store, ...once }, key),
		onceKeys:
			store && previews === undefined ? new OnceKeys(rowOf(store.place), { store, ...once }) : undefined,
	};
}

/** Reads the settings of a run from the options of its first item. */
function settingsOf(context: IExecuteFunctions, fields: Properties): RunSettings | Failure {
	try {
		return runSettings(readable(sourceOf(context, fields, 0)), fields);
	} catch (error) {
		return refusal(error);
	}
}

/** What holds for a run if an expression gives it and can't be read: its items have once keys, and all are remembered. */
const IF_UNREADABLE: JsonObject = { onceKey: '', onceHistory: MOST_KEYS };

/** A source whose options can be read. If an expression among them fails, its item reports it; the fixed ones hold. */
function readable(source: ParameterSource): ParameterSource {
	try {
		source.read('options');
		return source;
	} catch {
		const entered = source.unresolved?.('options');
		const members = Object.entries(isPlainObject(entered) ? entered : {}).map(([name, value]) => {
			return [name, typeof value === 'string' && value.startsWith('=') ? IF_UNREADABLE[name] : value];
		});
		const options: JsonObject = Object.fromEntries(members);
		return { ...source, read: () => options };
	}
}

/**
 * Makes all calls of a run. Returns at once if it is cancelled, because n8n saves the execution then; calls in flight are
 * recorded in the background.
 */
export async function deliver(run: Run): Promise<void> {
	const cancel = run.context.getExecutionCancelSignal();
	const over = new AbortController();
	const isCancelled = new Promise<void>((resolve) => {
		const onCancel = (): void => {
			run.halt.abort();
			resolve();
		};
		if (cancel?.aborted === true) onCancel();
		cancel?.addEventListener('abort', onCancel, { signal: over.signal });
	});
	try {
		await Promise.race([sendAll(run), isCancelled]);
	} finally {
		// A loop runs the node many times in one execution, and each run adds a listener.
		over.abort();
	}
}

/** Makes the calls, and waits until everything about them is recorded. */
async function sendAll(run: Run): Promise<void> {
	const { asked, context, halt, ledger, onceKeys, queue } = run;
	// With On Error "Stop Workflow" a failure stops the run, unless questions are asked: those may still be answered.
	if (!context.continueOnFail() && asked === undefined) ledger.onFailure = () => halt.abort();
	const sender = new Sender(run);
	const items = new Items(run);
	const jobs = items.jobs();
	try {
		const failure = (await readNamed(run)) ?? (asked && (await askedTwice(run)));
		if (failure !== undefined) return ledger.end(failure);
		await queue.offer(() => {
			const { done, value } = jobs.next();
			return done === true ? undefined : value && offerOf(run, value, sender);
		});
	} finally {
		items.forgetUnsent();
		if (asked !== undefined) failDeadLinks(ledger, asked);
		if (onceKeys !== undefined) ledger.unrecorded = await onceKeys.close();
		ledger.leave();
	}
}

/** A job as the queue takes it. */
function offerOf(run: Run, job: Job, sender: Sender): QueuedJob {
	const { compiled, settings } = job;
	const { call, channel = '', lane } = compiled;
	return {
		lane: run.ordered ? lane : undefined,
		channel,
		recipient: lane,
		maxWaitMs: settings.maxWaitMs,
		changes: !readsOnly(call),
		preparation: sender.preparationOf(job),
		run: async (answer) => await sender.send(job, answer),
	};
}
