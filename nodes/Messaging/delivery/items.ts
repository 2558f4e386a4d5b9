import type { IExecuteFunctions } from 'n8n-workflow';

import type { ParameterSource } from '../input/input';
import { InvalidParameter } from '../input/invalid-parameter';
import type { Properties } from '../input/parameter-types';
import { refuseUnsendable } from '../input/unsendable';
import type { CompiledCall, Operation, Sharing } from '../operations/operation';
import type { Asked } from '../question/asked';
import { type Failure, isFailure, unsent } from '../service/endings';
import { maskShapes } from '../service/secrets';
import { defined } from '../shared/json';
import { said } from '../shared/text';
import type { CallEnvironment } from './call';
import { isDone, type Ledger } from './ledger';
import type { OnceKeys, Ticket } from './once/once-keys';
import { mayGoOutAgain } from './repetition';
import { ASKED_BEFORE, brokenBefore, SAME_KEY } from './report/wording';
import { callSettings, type CallSettings, onceKeyOf } from './settings';
import { Together } from './together';

/** One run of the node. */
export interface Run extends CallEnvironment {
	readonly context: IExecuteFunctions;
	readonly operation: Operation;
	readonly ledger: Ledger;
	/** What was asked, in an operation that waits for an answer. */
	readonly asked: Asked | undefined;
	/** Those of its items, if the option for them is added. */
	readonly onceKeys: OnceKeys | undefined;
	/** Whether calls to one recipient or resource keep their order. */
	readonly ordered: boolean;
	/** Ends the run before its time. */
	readonly halt: AbortController;
}

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

/** Items that share a call. */
interface Group {
	readonly items: number[];
	readonly entries: string[];
	readonly settings: CallSettings;
	readonly sharing: Sharing;
}

/** The input items of a run, and what has to be sent for them. This is the only loop over items. */
export class Items {
	private readonly together: Together;

	/** Those whose call is not full yet. */
	private readonly groups = new Map<string, Group>();

	/** What was to be sent under each once key in this run. */
	private readonly fingerprints = new Map<string, string>();

	constructor(private readonly run: Run) {
		this.together = new Together(run.context);
	}

	/** What has to be sent, item by item, made when its turn has come; `null` for an item that needs nothing (yet). */
	*jobs(): Generator<Job | null> {
		for (const item of this.run.ledger.entries.keys()) {
			try {
				yield this.jobOf(item) ?? null;
			} catch (error) {
				this.run.ledger.fail([item], brokenBefore(error));
				yield null;
			}
		}
		for (const group of this.groups.values()) yield jobOfGroup(group);
	}

	/** What has to be sent for an item; `undefined` when it has ended already, or waits to share a call. */
	private jobOf(item: number): Job | undefined {
		const { ledger } = this.run;
		const entry = ledger.entry(item);
		if (isDone(entry)) {
			// Only for its message: a later item with the same key is compared with it.
			if (ledger.usesKeys) this.isOtherMessage(this.compile(item));
			this.refuseDeadLink(item);
			return undefined;
		}
		const compiled = this.compile(item);
		if (isFailure(compiled) || this.isOtherMessage(compiled)) {
			ledger.fail([item], isFailure(compiled) ? compiled : SAME_KEY);
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
		if (made.sharing !== undefined) return this.shared(item, made.sharing, settings, tried !== undefined);
		const ticket = this.ticketFor(settings);
		return { items: [item], calls: [made], settings, ...defined<Pick<Job, 'ticket'>>({ ticket }) };
	}

	/** The wish for the once key of an item; `undefined` when it has none. */
	private ticketFor({ onceKey, maxWaitMs }: CallSettings): Ticket | undefined {
		if (onceKey === undefined) return undefined;
		const { onceKeys } = this.run;
		if (onceKeys === undefined) throw new Error('This run has no once keys');
		return onceKeys.want(onceKey, maxWaitMs);
	}

	/** Fails an item whose question was asked in another execution: its link no longer works. */
	private refuseDeadLink(item: number): void {
		const { asked, ledger } = this.run;
		if (asked?.has(ledger.entry(item).key) === false) ledger.fail([item], ASKED_BEFORE);
	}

	/**
	 * Adds an item to those that it shares a call with.
	 *
	 * @param isDoubtful whether it may have been processed: a refusal would leave items in doubt that share its call
	 * @returns what has to be sent now: a call that is full, or the calls of an item that has its own
	 */
	private shared(
		item: number,
		sharing: Sharing,
		settings: CallSettings,
		isDoubtful: boolean,
	): Job | undefined {
		const { entries, key, most } = sharing;
		const own = { items: [item], entries: [...entries], settings, sharing };
		if (key === undefined || entries.length > most) return jobOfGroup(own);
		const id = `${isDoubtful} ${settings.whenUnknown} ${key}`;
		const group = this.groups.get(id);
		if (group !== undefined && group.entries.length + entries.length <= most) {
			group.items.push(item);
			group.entries.push(...entries);
			return undefined;
		}
		this.groups.set(id, own);
		return group && jobOfGroup(group);
	}

	/** Whether an earlier item of this run has the same once key, and another message. */
	private isOtherMessage(compiled: Compiled | Failure): boolean {
		if (isFailure(compiled)) return false;
		const { made, settings } = compiled;
		const { onceKey } = settings;
		if (onceKey === undefined || made.fingerprint === undefined) return false;
		const own = made.fingerprint().normalize('NFC');
		const first = this.fingerprints.get(onceKey) ?? own;
		this.fingerprints.set(onceKey, first);
		return first !== own;
	}

	private compile(item: number): Compiled | Failure {
		const { asked, context, ledger, onceKeys, operation } = this.run;
		const source = sourceOf(context, operation.fields, item, {
			together: this.together,
			callId: (own) => {
				const onceKey = onceKeyOf(own, operation.fields);
				return (onceKey === undefined ? undefined : onceKeys?.uuidOf(onceKey)) ?? ledger.uuidOf(item);
			},
			answerLink: () => asked?.linkTo(ledger.entry(item).key) ?? '',
		});
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

/** The calls of items that share one, or of an item with more entries than a call takes. */
function jobOfGroup({ entries, items, settings, sharing: { callFor, most } }: Group): Job {
	const calls: [CompiledCall, ...CompiledCall[]] = [callFor(entries.slice(0, most))];
	for (let at = most; at < entries.length; at += most) calls.push(callFor(entries.slice(at, at + most)));
	return { items, calls, settings, split: { entries: entries.length, perCall: most } };
}

/** What an item's parameters are read with; the settings of a run need none of it. */
interface Making {
	/** Evaluates the paths in the item's parameters together. */
	readonly together: Together;
	/** The UUID of what is made of the item. */
	callId(source: ParameterSource): string;
	/** The link on which the item is answered. */
	answerLink(): string;
}

/** The parameters of one item, each resolved once, when it is asked for. */
export function sourceOf(
	context: IExecuteFunctions,
	fields: Properties,
	item: number,
	making?: Making,
): ParameterSource {
	const values = new Map<string, unknown>();
	const readTogether = making?.together.ofItem(item) ?? ((_name, alone) => alone());
	let id: string | undefined;
	return {
		read(name) {
			if (!values.has(name)) {
				// A field that is hidden by another one's value has no value: it counts as its default.
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
			return (id ??= making?.callId(this) ?? '');
		},
		get answerLink() {
			return making?.answerLink() ?? '';
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
