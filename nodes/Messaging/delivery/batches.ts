import type { IDataObject } from 'n8n-workflow';

import type { Batching } from '../operations/operation';
import type { Failure } from '../service/failure';
import type { ItemCall, Job, Landing } from './jobs';
import type { Memory } from './memory';
import type { Results } from './results';
import { mayResend, notSentAgain } from './unknown';

/** A part of a call, such as an id: which items asked for it, and how its call ended. */
interface Part {
	readonly name: string;
	readonly key: string;
	/** The group whose calls it may go out with. */
	readonly group: string;
	readonly items: number[];
	landing?: Landing;
	before: boolean;
	/** Why an earlier try of the execution, which is repeated now, may have been processed. */
	doubt?: Failure;
}

/** Items whose parts share calls. */
interface Group {
	readonly first: ItemCall;
	readonly parts: Map<string, Part>;
}

/**
 * Gathers the parts of many items into as few calls as the operation allows, each part once, and spreads the results
 * back over the items. What an earlier try of the execution has sent is remembered part by part.
 */
export class Batches {
	private readonly groups = new Map<string, Group>();

	private readonly partsOfItem = new Map<number, Part[]>();

	constructor(
		private readonly batching: Batching,
		private readonly memory: Memory,
	) {}

	/** Adds the parts of an item. */
	add(item: number, call: ItemCall): void {
		const { facts } = call.compiled;
		const scope = this.batching.scopeOf(facts);
		const id = this.batching.shares(facts) ? scope : `${scope} item ${item}`;
		const group = this.groups.get(id) ?? { first: call, parts: new Map<string, Part>() };
		this.groups.set(id, group);
		for (const name of this.batching.partsOf(facts)) {
			// UUIDs are the same in upper and lower case.
			const part = group.parts.get(name.toLowerCase()) ?? this.newPart(name, scope, id, call);
			group.parts.set(name.toLowerCase(), part);
			part.items.push(item);
			this.partsOfItem.set(item, [...(this.partsOfItem.get(item) ?? []), part]);
		}
	}

	/** The calls for all parts that have not gone out before. */
	*jobs(): Generator<Job> {
		const { batching } = this;
		for (const { first, parts } of this.groups.values()) {
			const open = [...parts.values()].filter(({ landing }) => landing === undefined);
			for (let start = 0; start < open.length; start += batching.mostParts) {
				const chunk = open.slice(start, start + batching.mostParts);
				const doubt = chunk.find((part) => part.doubt !== undefined)?.doubt;
				yield {
					compiled: batching.callFor(
						first.compiled.facts,
						chunk.map(({ name }) => name),
					),
					settings: first.settings,
					keys: chunk.map(({ key }) => key),
					...(doubt === undefined ? {} : { doubt }),
					landed: (landing) => {
						for (const part of chunk) part.landing = landing;
					},
				};
			}
		}
	}

	/** Writes the results of all items: one whose parts did not all go out fails, naming which did. */
	settle(results: Results): void {
		const failures = new Map<Failure, number[]>();
		const successes = new Map<string, { json: IDataObject[]; items: Set<number>; before: boolean }>();
		for (const [item, parts] of this.partsOfItem) {
			const failed = parts.flatMap(({ landing }) =>
				landing !== undefined && 'failure' in landing ? [landing.failure] : [],
			);
			const open = parts.filter(({ landing }) => landing === undefined);
			if (failed[0] !== undefined) {
				const failure = split(parts, failed);
				failures.set(failure, [...(failures.get(failure) ?? []), item]);
			} else if (open.length === 0) {
				for (const { landing, before, group } of parts) {
					if (landing === undefined || !('json' in landing)) continue;
					// Remembered results come back from the database as copies: their text tells which are one.
					const id = group + JSON.stringify(landing.json);
					const success = successes.get(id) ?? { json: landing.json, items: new Set(), before };
					success.items.add(item);
					successes.set(id, success);
				}
			}
		}
		for (const [failure, items] of failures) results.fail({ failure, items });
		for (const { json, items, before } of successes.values()) {
			results.succeed(
				[...items].sort((one, other) => one - other),
				json,
				before,
			);
		}
	}

	private newPart(name: string, scope: string, group: string, { settings }: ItemCall): Part {
		const key = this.memory.partKey(scope, name.toLowerCase());
		const part: Part = { name, key, group, items: [], before: false };
		const remembered = this.memory.recall(key);
		if (remembered === undefined) return part;
		if (!('failure' in remembered)) return { ...part, before: true, landing: remembered };
		if (mayResend(remembered, settings)) return { ...part, doubt: remembered.failure };
		return { ...part, before: true, landing: { failure: notSentAgain(remembered.failure) } };
	}
}

/** The failure of an item of which some parts went out and some did not. */
function split(parts: Part[], failures: Failure[]): Failure {
	const [first, unknown] = [failures[0], failures.find(({ outcome }) => outcome === 'unknown')];
	const failure = (unknown ?? first) as Failure;
	const named = (wanted: (landing: Landing | undefined) => boolean): string =>
		parts
			.filter(({ landing }) => wanted(landing))
			.map(({ name }) => name)
			.join(', ');
	const done = named((landing) => landing !== undefined && 'json' in landing);
	if (done === '') return failure;
	const rest = named((landing) => landing === undefined || 'failure' in landing);
	return { ...failure, description: `${failure.description} Done: ${done}. Not done: ${rest}.` };
}
