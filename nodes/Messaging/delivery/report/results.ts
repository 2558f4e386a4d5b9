import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Failure, Outcome } from '../../service/endings';
import { Turns } from '../../time/turns';

/** A failure and the items that it is about. */
export interface Failed {
	failure: Failure;
	items: readonly number[];
}

/** Output that an item has got. */
interface Made {
	readonly json: readonly IDataObject[];
	readonly pairedItem: NonNullable<INodeExecutionData['pairedItem']>;
}

/** How many items ended how. */
export interface Tally extends Record<Outcome | 'done', number> {
	total: number;
	/** Of those done: how many an earlier try of this execution had sent. */
	before: number;
	/** Of those done: how many had been sent under their once key. */
	underTheirKey: number;
	/** How many are known to have a once key. */
	keyed: number;
	/** Of those that have gone out, or may have: how many have none, so that a new run sends them again. */
	unkeyed: number;
	/** Of those not done: how many have gone out in part. */
	partly: number;
	/** Whether the calls change something: reading is not remembered, and does no harm when it is done again. */
	changes: boolean;
}

/** How far a run has got. */
export interface SoFar {
	/** How many items have ended. */
	ended: number;
	/** How many of these have failed. */
	failed: number;
}

/** The results of a run, item by item, in whichever order they come. */
export class Results {
	private firstNew: Failed | undefined;

	private firstHeldBack: Failed | undefined;

	/** Whether one of the calls changes something. */
	changes = false;

	/** The items that are known to have a once key: those whose turn has come, in this try or an earlier one. */
	private readonly withKey = new Set<number>();

	/** How many items have gone out in part. */
	partly = 0;

	/** Once keys whose end n8n did not note: what was sent under them will look as if nobody knew. */
	unnoted: readonly string[] = [];

	private readonly output: Made[][];

	private readonly ends: Array<Outcome | 'done' | undefined>;

	private readonly earlier = { inEarlierTry: 0, underItsKey: 0 };

	/** @param total how many items there are */
	constructor(readonly total: number) {
		this.output = Array.from({ length: total }, () => []);
		this.ends = Array.from({ length: total }, () => undefined);
	}

	/** The first failure; one that is nothing new only where there is no other, which has kept the rest from going out. */
	get first(): Failed | undefined {
		return this.firstNew ?? this.firstHeldBack;
	}

	/** Notes that an item has a once key. */
	noteKey(item: number): void {
		this.withKey.add(item);
	}

	/**
	 * Notes the success of a call.
	 *
	 * @param items the input items that it served, in order
	 * @param sent when it was made, if not now: by an earlier try of this execution, or under its once key
	 */
	succeed(items: readonly number[], json: IDataObject[], sent?: 'inEarlierTry' | 'underItsKey'): void {
		const [first] = items;
		if (first === undefined) return;
		const pairedItem = items.length === 1 ? { item: first } : items.map((item) => ({ item }));
		this.output[first]?.push({ json, pairedItem });
		for (const item of items) {
			if (sent !== undefined && this.ends[item] === undefined) this.earlier[sent] += 1;
			this.ends[item] = 'done';
		}
	}

	/** Notes a failure, once for each of its items. */
	fail(failed: Failed): void {
		this.firstNew ??= failed;
		this.stand(failed);
	}

	/** Notes a failure that is nothing new: what an earlier try left in doubt stays where it is. */
	holdBack(failed: Failed): void {
		this.firstHeldBack ??= failed;
		this.stand(failed);
	}

	/** Gives every item without an end this failure; it does not count as the run's first. */
	failRest(failure: Failure): void {
		this.stand({ failure, items: this.itemsWithoutEnd() });
	}

	/** Gives all items this failure, which is about the run as a whole. */
	failAll(failure: Failure): void {
		this.firstNew = { failure, items: [] };
		this.failRest(failure);
	}

	/** Whether the first output item is an error: n8n takes that for a failure of the whole node. */
	firstItemFailed(): boolean {
		for (const made of this.output) {
			const first = made.find(({ json }) => json.length > 0)?.json[0];
			if (first !== undefined) return first.error !== undefined;
		}
		return false;
	}

	/** The items that ended in one of these ways; one without an end was not sent. */
	itemsEnded(ways: ReadonlyArray<Outcome | 'done'>): number[] {
		return this.ends.flatMap((end, item) => (ways.includes(end ?? 'unsent') ? [item] : []));
	}

	/** The items that have not ended yet. */
	itemsWithoutEnd(): number[] {
		return this.ends.flatMap((end, item) => (end === undefined ? [item] : []));
	}

	/** The output in input order. The event loop turns while there is much of it. */
	async items(): Promise<INodeExecutionData[]> {
		const turns = new Turns();
		const items: INodeExecutionData[] = [];
		for (const made of this.output) {
			for (const { json, pairedItem } of made) {
				for (const fields of json) {
					if (turns.overAfter(1)) await turns.next();
					items.push({ json: fields, pairedItem });
				}
			}
		}
		return items;
	}

	/**
	 * How many items have ended by now.
	 *
	 * @param elsewhere what is known of an item that has no result yet
	 */
	soFar(elsewhere: (item: number) => 'done' | 'failed' | undefined): SoFar {
		let [ended, failed] = [0, 0];
		for (const [item, result] of this.ends.entries()) {
			const end = result ?? elsewhere(item);
			if (end === undefined) continue;
			ended += 1;
			if (end !== 'done') failed += 1;
		}
		return { ended, failed };
	}

	/** How the items ended; one without an end was not sent. */
	tally(): Tally {
		const tally = {
			done: 0,
			rejected: 0,
			unsent: 0,
			unknown: 0,
			total: this.ends.length,
			before: this.earlier.inEarlierTry,
			underTheirKey: this.earlier.underItsKey,
			keyed: this.withKey.size,
			unkeyed: 0,
			partly: this.partly,
			changes: this.changes,
		};
		for (const [item, end] of this.ends.entries()) {
			tally[end ?? 'unsent'] += 1;
			if ((end === 'done' || end === 'unknown') && !this.withKey.has(item)) tally.unkeyed += 1;
		}
		return tally;
	}

	private stand({ failure, items }: Failed): void {
		const { message, description, statusCode, outcome, problem } = failure;
		for (const item of items) {
			// What never reached the service has its cause in the item: its error says which one it is.
			const advice = outcome === 'unsent' ? `Item ${item}: ${description}` : description;
			const json = { error: { message, description: advice, statusCode, outcome, problem } };
			this.output[item]?.push({ json: [json], pairedItem: { item } });
			this.ends[item] = outcome;
		}
	}
}
