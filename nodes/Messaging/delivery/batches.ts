import type { IDataObject } from 'n8n-workflow';

import type { Parts } from '../contract/any-operation';
import { defined } from '../json/defined';
import type { ApiCall } from '../service/api-call';
import type { CallEnd, Failure } from '../service/endings';
import { type Clock, systemClock } from '../time/clock';
import type { ItemCall, Job } from './jobs';
import type { Memory } from './memory/memory';
import { mayGoOutAgain } from './repetition';
import { notSentAgain } from './report/not-sent';
import type { Results } from './report/results';
import { Turns } from '../time/turns';

/** A part of a call, such as an id: which items asked for it, and how its call ended. */
interface Part {
	readonly name: string;
	/** What the parts of its call have in common. */
	readonly scope: string;
	/** The group whose calls it may go out with. */
	readonly group: string;
	readonly settings: ItemCall['settings'];
	/** Whether all items that name it allow to repeat a call that may have been processed. */
	resendUnknown: boolean;
	/** The call of the item that named it first. */
	readonly call: ApiCall;
	/** Under which key it is remembered; worked out when its turn comes. */
	key?: string;
	end?: CallEnd;
	before: boolean;
	/** The failure of an earlier try of the execution that may have been processed and is repeated now. */
	unclear?: Failure;
}

/** How many parts that need no call are passed over at once. */
const MOST_PASSED = 200;

/** Items whose parts share calls, made and set up as the first of them says. */
interface Group {
	readonly own: Parts;
	readonly settings: ItemCall['settings'];
	readonly parts: Map<string, Part>;
}

/**
 * Gathers the parts of many items into as few calls as the operation allows, each part once, and spreads the results
 * back over the items. What an earlier try of the execution has sent is remembered part by part.
 */
export class Batches {
	private readonly groups = new Map<string, Group>();

	private readonly partsOfItem = new Map<number, Part[]>();

	private readonly earlier: ReturnType<Memory['recollection']>;

	constructor(
		/** The most parts that one call takes. */
		private readonly mostParts: number,
		private readonly memory: Memory,
	) {
		// Items that share no calls may name the same part: what one of them sends now is not from an earlier try.
		this.earlier = memory.recollection();
	}

	/** Adds the parts of an item. */
	add(item: number, { prepared, settings }: ItemCall): void {
		const own = prepared.parts?.();
		if (own === undefined) throw new TypeError('The call has no parts');
		const id = own.shares ? own.scope : `${own.scope} item ${item}`;
		const group = this.groups.get(id) ?? { own, settings, parts: new Map<string, Part>() };
		this.groups.set(id, group);
		const parts = this.partsOfItem.get(item) ?? [];
		this.partsOfItem.set(item, parts);
		for (const name of own.names) {
			// UUIDs are the same in upper and lower case.
			const known = name.toLowerCase();
			const part = group.parts.get(known) ?? {
				name,
				scope: own.scope,
				group: id,
				settings,
				resendUnknown: settings.resendUnknown,
				call: prepared.call,
				before: false,
			};
			part.resendUnknown &&= settings.resendUnknown;
			group.parts.set(known, part);
			parts.push(part);
		}
	}

	/** The calls for all parts that have not gone out before; `null` now and then where there are many that have. */
	*jobs(): Generator<Job | null> {
		for (const group of this.groups.values()) {
			const open = new Map<string, Part[]>();
			let passed = 0;
			for (const part of group.parts.values()) {
				this.look(part);
				if (part.end !== undefined) {
					passed += 1;
					if (passed < MOST_PASSED) continue;
					yield null;
					passed = 0;
					continue;
				}
				const kind = kindOf(part);
				const alike = open.get(kind) ?? [];
				open.set(kind, alike);
				alike.push(part);
				if (alike.length < this.mostParts) continue;
				open.delete(kind);
				yield this.job(group, alike);
			}
			for (const alike of open.values()) yield this.job(group, alike);
		}
	}

	/** How an item has ended, by its parts; `undefined` while one of them is open. */
	endOf(item: number): 'done' | 'failed' | undefined {
		const parts = this.partsOfItem.get(item);
		if (parts === undefined || parts.some(({ end }) => end === undefined)) return undefined;
		return parts.some(({ end }) => end !== undefined && 'failure' in end) ? 'failed' : 'done';
	}

	/** Writes the results of all items: one whose parts did not all go out fails, naming which did. */
	async settle(results: Results, clock: Clock = systemClock): Promise<void> {
		const turns = new Turns(clock);
		const failures = new Map<Failure, FailedItems>();
		const successes = new Successes();
		for (const [item, parts] of this.partsOfItem) {
			const failed: Failure[] = [];
			let [open, done, isNew] = [0, 0, false];
			for (const part of parts) {
				// In a run that was halted, the turn of some has not come.
				this.look(part);
				this.endInDoubt(part);
				if (part.end === undefined) open += 1;
				else if ('failure' in part.end) {
					failed.push(part.end.failure);
					isNew ||= !part.before;
				} else done += 1;
				if (turns.over) await turns.next();
			}
			if (done > 0 && done < parts.length) results.partly += 1;
			if (failed[0] !== undefined) {
				const failure = split(parts, failed);
				const those = failures.get(failure) ?? { items: [], isNew };
				those.items.push(item);
				failures.set(failure, those);
			} else if (open === 0) {
				for (const { end, before, group } of parts) {
					if (end !== undefined && 'json' in end) successes.add(group, end.json, before, item);
					if (turns.over) await turns.next();
				}
			}
		}
		for (const [failure, { items, isNew }] of failures) {
			if (isNew) results.fail({ failure, items });
			else results.holdBack({ failure, items });
		}
		for (const { json, items, before } of successes.all()) {
			results.succeed(
				[...items].sort((one, other) => one - other),
				json,
				before ? 'inEarlierTry' : undefined,
			);
			if (turns.over) await turns.next();
		}
	}

	/** @param parts all of one kind */
	private job({ own, settings }: Group, parts: readonly Part[]): Job {
		const unclear = parts[0]?.unclear;
		const resendUnknown = parts[0]?.resendUnknown ?? false;
		return {
			prepared: own.callFor(parts.map(({ name }) => name)),
			settings: { ...settings, resendUnknown },
			keys: parts.map((part) => this.keyOf(part)),
			...defined<Pick<Job, 'unclear'>>({ unclear }),
			ended: (end) => {
				// Nothing that shares calls has a once key.
				if ('sentBefore' in end || 'heldBack' in end) return;
				for (const part of parts) part.end = end;
			},
		};
	}

	/** Looks up, once, what an earlier try of the execution has made of a part. */
	private look(part: Part): void {
		if (part.key !== undefined) return;
		const remembered = this.earlier(this.keyOf(part));
		if (remembered === undefined) return;
		if ('failure' in remembered) {
			const { failure } = remembered;
			const { call, settings, resendUnknown } = part;
			if (mayGoOutAgain(failure, call, { ...settings, resendUnknown })) part.unclear = failure;
			else part.end = { failure: notSentAgain(failure, this.memory) };
		} else part.end = remembered;
		part.before = part.end !== undefined;
	}

	/** What an earlier try left in doubt, and was to go out again, stays in doubt where its turn has not come. */
	private endInDoubt(part: Part): void {
		if (part.end !== undefined || part.unclear === undefined) return;
		part.end = { failure: notSentAgain(part.unclear, this.memory) };
		part.before = true;
	}

	private keyOf(part: Part): string {
		return (part.key ??= this.memory.partKey(part.scope, part.name.toLowerCase()));
	}
}

/** Items that failed in the same way, and whether that is anything new. */
interface FailedItems {
	readonly items: number[];
	readonly isNew: boolean;
}

/**
 * Which parts may share a call. What is repeated, or is in doubt already, would take the others along: they would be
 * repeated against their items' settings, and a definite refusal would leave them in doubt.
 */
function kindOf({ unclear, resendUnknown }: Part): string {
	return `${unclear === undefined ? 'new' : 'unclear'} ${resendUnknown}`;
}

/** A result, and the items that share it. */
interface Success {
	readonly json: IDataObject[];
	readonly items: Set<number>;
	readonly before: boolean;
}

/** The results of parts, those of one call together. */
class Successes {
	private readonly byText = new Map<string, Success>();

	/** The same by the result itself: it may name a hundred parts, and is written out once. */
	private readonly byResult = new Map<IDataObject[], Map<string, Success>>();

	add(group: string, json: IDataObject[], before: boolean, item: number): void {
		const known = this.byResult.get(json) ?? new Map<string, Success>();
		this.byResult.set(json, known);
		const success = known.get(group) ?? this.find(group, json, before);
		known.set(group, success);
		success.items.add(item);
	}

	all(): Iterable<Success> {
		return this.byText.values();
	}

	private find(group: string, json: IDataObject[], before: boolean): Success {
		// Remembered results come back from the database as copies: their text tells which are one.
		const text = group + JSON.stringify(json);
		const success = this.byText.get(text) ?? { json, items: new Set(), before };
		this.byText.set(text, success);
		return success;
	}
}

/** The failure of an item of which some parts went out and some did not. */
function split(parts: Part[], failures: Failure[]): Failure {
	const [first, unknown] = [failures[0], failures.find(({ outcome }) => outcome === 'unknown')];
	const failure = (unknown ?? first) as Failure;
	const named = (wanted: (end: CallEnd | undefined) => boolean): string =>
		parts
			.filter(({ end }) => wanted(end))
			.map(({ name }) => name)
			.join(', ');
	const inDoubt = (end: CallEnd | undefined): boolean =>
		end !== undefined && 'failure' in end && end.failure.outcome === 'unknown';
	const done = named((end) => end !== undefined && 'json' in end);
	if (done === '') return failure;
	const lists = [
		['Done', done],
		// Whoever took these for not done would do them twice.
		['Perhaps done', named(inDoubt)],
		['Not done', named((end) => end === undefined || ('failure' in end && !inDoubt(end)))],
	];
	const said = lists.flatMap(([what, names]) => (names === '' ? [] : [`${what}: ${names}.`]));
	return { ...failure, description: [failure.description, ...said].join(' ') };
}
