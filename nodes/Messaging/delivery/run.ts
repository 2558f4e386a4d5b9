import type { IExecuteFunctions } from 'n8n-workflow';

import { whyUnusable } from '../agent/caller';
import { MOST_KEYS } from '../fields/options';
import type { Properties } from '../input/parameter-types';
import { sourceOf } from '../input/source';
import type { Operation } from '../operations/operation';
import { Asked } from '../question/asked';
import { connect } from '../service/connect';
import { type Failure, isFailure } from '../service/endings';
import { systemClock } from '../shared/clock';
import type { CallEnvironment } from './call';
import { isDone, type Ledger } from './ledger';
import { type Hints, LookUps } from './look-up';
import { rowOf } from './once/key-row';
import { keyStoreOf } from './once/key-store';
import { OnceKeys, uuidOfKey } from './once/once-keys';
import { gateOf } from './pace/key-gate';
import { RunQueue } from './pace/run-queue';
import { runSettings } from './settings';
import { refusal, tooManyKeys } from './wording';

/** One run of the node: what its items share. Each function takes the members that it needs. */
export type Run = Readonly<Exclude<Awaited<ReturnType<typeof prepare>>, Failure>>;

/** Prepares what all items of a run share; a failure if the run can't be made. */
export async function prepare(context: IExecuteFunctions, operation: Operation, ledger: Ledger) {
	const { fields, name, previews, resource, waits = false } = operation;
	const unusable = whyUnusable(context, operation);
	if (unusable !== undefined) return unusable;
	const settings = settingsOf(context, fields);
	if (isFailure(settings)) return settings;
	const { keepToPlan, keyOption, lookupSettings, maxInFlight, onceHistory, ordered, pauseMs } = settings;
	ledger.usesKeys = keyOption !== undefined;
	const store = keyOption === undefined ? undefined : keyStoreOf(context, keyOption);
	if (store !== undefined && isFailure(store)) return store;
	const messages = store === undefined ? 0 : ledger.entries.filter((entry) => !isDone(entry)).length;
	if (messages > MOST_KEYS) return tooManyKeys(messages);
	const service = await connect(context, ledger.entries.length);
	if (isFailure(service)) return service;
	/** Ends the run early: nothing more may be sent then. */
	const halt = new AbortController();
	const gate = gateOf(service);
	const { signal } = halt;
	const pace = { service, keepToPlan: keepToPlan && previews === undefined, signal, maxInFlight, pauseMs };
	const calls: CallEnvironment = {
		gate,
		queue: new RunQueue(gate, pace),
		timezone: context.getTimezone(),
		clock: systemClock,
		random: Math.random,
	};
	// A retry remembers as many keys as the first try: the whole list.
	const mostKeys = Math.min(MOST_KEYS, Math.max(onceHistory, ledger.entries.length));
	const once = store && { store, scope: `${resource} ${previews ?? name}`, messages, mostKeys, signal };
	const onceKeys = once && previews === undefined ? new OnceKeys(rowOf(once.store.place), once) : undefined;
	return {
		...{ context, operation, ledger, calls, onceKeys, ordered, halt },
		/** The questions asked; only in an operation that waits for an answer. */
		asked: waits ? new Asked(context) : undefined,
		lookUps: new LookUps(calls, lookupSettings),
		hints: new Map() as Hints,
		mask: service.mask,
		/** A UUID for what is sent under a once key; `undefined` if the run has no keys. */
		uuidOfKey: (key: string) => once && uuidOfKey(once, key),
	};
}

/** Reads the settings of a run from the options of its first item. */
function settingsOf(
	context: IExecuteFunctions,
	fields: Properties,
): ReturnType<typeof runSettings> | Failure {
	try {
		return runSettings(sourceOf(context, fields, 0), fields);
	} catch (error) {
		return refusal(error);
	}
}
