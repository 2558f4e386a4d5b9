import type { IExecuteFunctions } from 'n8n-workflow';

import type { ParameterSource } from '../input/input';
import { InvalidParameter } from '../input/invalid-parameter';
import type { Properties } from '../input/parameter-types';
import { refuseUnsendable } from '../input/unsendable';
import type { CompiledCall, Operation } from '../operations/operation';
import type { Asked } from '../question/asked';
import { type Failure, isFailure, unsent } from '../service/endings';
import { maskShapes } from '../service/secrets';
import { defined } from '../shared/json';
import { said } from '../shared/text';
import { type Entry, isDone, type Ledger } from './ledger';
import type { OnceKeys, Ticket } from './once/once-keys';
import { mayGoOutAgain } from './repetition';
import { ASKED_BEFORE, brokenBefore, SAME_KEY } from './report/wording';
import { callSettings, type CallSettings, onceKeyOf } from './settings';
import { Together } from './together';

/** What has to be sent for one item, or for several that share a call. */
export interface Job {
	readonly items: readonly number[];
	/** One call; more only for a single item with more entries than a call takes. They go out one after the other. */
	readonly calls: readonly [CompiledCall, ...CompiledCall[]];
	readonly settings: CallSettings;
	/** Where an item takes several calls: how many entries it has, and how many one call takes. */
	readonly split?: { readonly entries: number; readonly perCall: number };
	/** Where the item has a once key. */
	readonly ticket?: Ticket;
}

/** What one item's parameters make. */
interface Compiled {
	readonly made: CompiledCall;
	readonly settings: CallSettings;
}

/** Items that share a call which is not full yet. */
interface Group {
	readonly compiled: Compiled;
	readonly items: number[];
	readonly entries: string[];
}

/** The input items of a run, and what has to be sent for them. This is the only loop over items. */
export class Items {
	private readonly together: Together;

	private readonly groups = new Map<string, Group>();

	/** What was to be sent under each once key in this run. */
	private readonly fingerprints = new Map<string, string>();

	/**
	 * @param asked what was asked, in an operation that waits for an answer
	 * @param onceKeys those of the run; a failure when it can have none
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly ledger: Ledger,
		private readonly asked: Asked | undefined,
		private readonly onceKeys: () => OnceKeys | Failure,
	) {
		this.together = new Together(context);
	}

	/** What has to be sent, item by item, made when its turn has come; `null` for an item that needs nothing (yet). */
	*jobs(): Generator<Job | null> {
		for (const item of this.ledger.entries.keys()) {
			try {
				yield this.jobOf(item) ?? null;
			} catch (error) {
				this.ledger.fail([item], brokenBefore(error));
				yield null;
			}
		}
		for (const group of this.groups.values()) yield jobOfGroup(group);
	}

	/** What has to be sent for an item; `undefined` when it has ended already, or waits to share a call. */
	private jobOf(item: number): Job | undefined {
		const { ledger } = this;
		const entry = ledger.entry(item);
		if (isDone(entry)) {
			// Made only for its message: another item with the same key is compared with it in a later try too.
			if (ledger.usesKeys) this.isOtherMessage(this.compile(item));
			this.refuseDeadLink(item);
			return undefined;
		}
		const compiled = this.compile(item);
		if (isFailure(compiled)) {
			ledger.fail([item], compiled);
			return undefined;
		}
		if (this.isOtherMessage(compiled)) {
			ledger.fail([item], SAME_KEY);
			return undefined;
		}
		const { made, settings } = compiled;
		const { tried } = entry.saved;
		if (tried !== undefined && !mayGoOutAgain(tried, made.call, settings)) {
			if (settings.whenUnknown === 'countAsSent' && settings.onceKey === undefined) {
				ledger.sent([item], [{ alreadySent: true, ...made.known }], 'inEarlierTry');
				this.refuseDeadLink(item);
				return undefined;
			}
			// Held back: nothing new has happened, so in stop mode too the rest goes out before the run fails again.
			if (settings.whenUnknown === 'hold') return undefined;
		}
		if (made.sharing !== undefined) return this.shared(item, compiled, tried !== undefined);
		const ticket = this.ticketFor(settings);
		Object.assign(entry, defined<Pick<Entry, 'onceKey'>>({ onceKey: settings.onceKey }));
		if (ticket !== undefined && isFailure(ticket)) {
			ledger.fail([item], ticket);
			return undefined;
		}
		return { items: [item], calls: [made], settings, ...defined<Pick<Job, 'ticket'>>({ ticket }) };
	}

	/** Fails an item whose question was asked in another execution: nobody can answer it any more. */
	private refuseDeadLink(item: number): void {
		const { asked, ledger } = this;
		if (asked?.has(ledger.entry(item).key) === false) ledger.fail([item], ASKED_BEFORE);
	}

	/**
	 * Adds an item to those that it shares a call with.
	 *
	 * @param isDoubtful whether it may have been processed: a refusal would leave items in doubt that share its call
	 * @returns what has to be sent now: a call that is full, or the calls of an item that has its own
	 */
	private shared(item: number, compiled: Compiled, isDoubtful: boolean): Job | undefined {
		const { made, settings } = compiled;
		const { sharing } = made;
		if (sharing === undefined) return undefined;
		const { entries, key, most, callFor } = sharing;
		if (key === undefined || entries.length > most) {
			const [first = [], ...more] = inPortions(entries, most);
			const calls = [callFor(first), ...more.map((some) => callFor(some))] as const;
			return { items: [item], calls, settings, split: { entries: entries.length, perCall: most } };
		}
		const id = `${isDoubtful} ${settings.whenUnknown} ${key}`;
		const group = this.groups.get(id);
		if (group !== undefined && group.entries.length + entries.length <= most) {
			group.items.push(item);
			group.entries.push(...entries);
			return undefined;
		}
		this.groups.set(id, { compiled, items: [item], entries: [...entries] });
		return group && jobOfGroup(group);
	}

	/** Whether an earlier item of this run has the same once key, and another message. */
	private isOtherMessage(compiled: Compiled | Failure): boolean {
		if (isFailure(compiled)) return false;
		const { made } = compiled;
		const { onceKey } = compiled.settings;
		if (onceKey === undefined || made.fingerprint === undefined) return false;
		const own = made.fingerprint().normalize('NFC');
		const first = this.fingerprints.get(onceKey) ?? own;
		this.fingerprints.set(onceKey, first);
		return first !== own;
	}

	/** The wish for the once key of an item; `undefined` when it has none. */
	private ticketFor({ onceKey, maxWaitMs }: CallSettings): Ticket | Failure | undefined {
		if (onceKey === undefined) return undefined;
		const keys = this.onceKeys();
		return isFailure(keys) ? keys : keys.want(onceKey, maxWaitMs);
	}

	private compile(item: number): Compiled | Failure {
		const { asked, context, ledger, operation } = this;
		const callId = (source: ParameterSource): string => {
			const onceKey = onceKeyOf(source, operation.fields);
			const keys = onceKey === undefined ? undefined : this.onceKeys();
			if (onceKey === undefined || keys === undefined || isFailure(keys)) return ledger.uuidOf(item);
			return keys.uuidOf(onceKey);
		};
		const answerLink = (): string => asked?.linkTo(ledger.entry(item).key) ?? '';
		const source = sourceOf(context, operation.fields, item, { callId, answerLink }, this.together);
		try {
			const settings = callSettings(source, operation.fields);
			const made = operation.compile(source);
			refuseUnsendable(made.call, operation.fields, made.sources);
			return { settings, made };
		} catch (error) {
			return refusal(error);
		}
	}
}

function jobOfGroup({ compiled: { made, settings }, items, entries }: Group): Job {
	return { items, calls: [made.sharing?.callFor(entries) ?? made], settings };
}

function inPortions(entries: readonly string[], most: number): string[][] {
	const portions: string[][] = [];
	for (let at = 0; at < entries.length; at += most) portions.push(entries.slice(at, at + most));
	return portions;
}

/**
 * The parameters of one item, each resolved once, when it is asked for.
 *
 * @param made what is made of the item when it is asked for: its UUID, from what stands in its other parameters, and the
 *   link on which it is answered
 * @param together what evaluates the item's expressions together, where there are items before it
 */
export function sourceOf(
	context: IExecuteFunctions,
	fields: Properties,
	item: number,
	made: { callId(source: ParameterSource): string; answerLink(): string },
	together?: Together,
): ParameterSource {
	const values = new Map<string, unknown>();
	const readTogether = together?.ofItem(item) ?? ((_name, alone) => alone());
	let id: string | undefined;
	return {
		read(name) {
			if (!values.has(name)) {
				// A field that is hidden by another one's value has no value: its default stands in.
				const fallback = fields.find((field) => field.name === name)?.default ?? '';
				// Fields are checked where they are read; to look for n8n's own checks in them costs more than that.
				const alone = (): unknown => context.getNodeParameter(name, item, fallback, { skipValidation: true });
				values.set(name, readTogether(name, alone));
			}
			return values.get(name);
		},
		unresolved: (path) => context.getNodeParameter(path, item, '', { rawExpressions: true }),
		resolve(text) {
			if (!values.has(text)) values.set(text, context.evaluateExpression(text, item));
			return values.get(text);
		},
		timezone: context.getTimezone(),
		get callId() {
			// Every collection of the item asks for it too: hashing it once is enough.
			return (id ??= made.callId(this));
		},
		get answerLink() {
			return made.answerLink();
		},
	};
}

/** The failure of an item whose parameters could not be read or do not fit. */
export function refusal(error: unknown): Failure {
	// What a field holds that is refused may be a key, entered in the wrong place.
	if (error instanceof InvalidParameter) return unsent(maskShapes(error.message), error.hint);
	// Anything else comes from n8n while it resolves an expression: its own words say what is wrong.
	const { message, description, context } = error as {
		message?: unknown;
		description?: unknown;
		context?: { parameter?: unknown };
	};
	const field = typeof context?.parameter === 'string' ? ` in the parameter "${context.parameter}"` : '';
	const advice = typeof description === 'string' && description !== '' ? ` ${said(description)}` : '';
	return unsent(
		typeof message === 'string' && message !== ''
			? maskShapes(said(message))
			: 'A parameter could not be read',
		`Check the expression${field}.${maskShapes(advice)}`,
	);
}
