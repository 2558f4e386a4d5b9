/** How the items of a run ended according to n8n. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { asText } from '../../../dev/harness/as-text.ts';
import type { Run } from '../../engine/run.ts';
import type { Execution, Played } from '../play.ts';
import { mostIds } from '../kinds/requeue.ts';
import { arrivalsOf, isClear, madeFor, takenOf, underKey } from './seen.ts';
import { truthOfParts } from './truth.ts';

/** The end of an item. */
export type End = 'done' | 'alreadySent' | 'rejected' | 'unsent' | 'unknown';

/** How each item ended (undefined when the run has no output), and what is wrong with the output items. */
export function endsOf(
	played: Played,
	execution: Execution,
	run: Run,
	wrong: string[],
): Map<number, End> | undefined {
	if (run.status !== 'success') return undefined;
	const { items, kind } = played.scenario;
	const ends = new Map<number, End>();
	for (const [output, given] of run.main.entries()) {
		let last = -1;
		for (const item of given) {
			const pairs = pairsOf(item);
			const end = endOf(item);
			const isSuccess = end === 'done' || end === 'alreadySent';
			const first = pairs[0] ?? NaN;
			if (first < last) wrong.push(`item ${first} left after item ${last}`);
			last = first;
			if (run.request.workflow.nodes.some(({ onError }) => onError === 'continueErrorOutput')) {
				if ((output === 1) === isSuccess) wrong.push(`item ${first} left by the wrong output`);
			}
			for (const index of pairs) {
				if (!(index in items)) wrong.push(`an item is paired with ${index}, which is none`);
				// An item may need several requests, with one result each.
				const isLarge = (items[index]?.things.length ?? 0) > mostIds;
				const isMore = kind.sharesCalls && isLarge && isSuccess && ends.get(index) === end;
				if (ends.has(index) && !isMore) wrong.push(`item ${index} left twice`);
				ends.set(index, end);
				wrong.push(...shown(played, execution, index, item));
			}
		}
	}
	if (ends.size !== items.length) wrong.push(`${ends.size} of ${items.length} items have an end`);
	return ends;
}

function pairsOf({ pairedItem }: INodeExecutionData): number[] {
	return [pairedItem].flat().map((pair) => (typeof pair === 'object' ? pair.item : NaN));
}

function endOf({ json, error }: INodeExecutionData): End {
	if (error !== undefined && error !== null) return 'unknown';
	const failure = failureIn(json);
	if (failure !== undefined) return failure['outcome'] as End;
	return json['alreadySent'] === true ? 'alreadySent' : 'done';
}

function failureIn(json: IDataObject): IDataObject | undefined {
	return json['error'] as IDataObject | undefined;
}

/** Checks that an output item describes the input item that it is paired with. */
function shown(played: Played, execution: Execution, item: number, output: INodeExecutionData): string[] {
	const { json } = output;
	const end = endOf(output);
	const { kind } = played.scenario;
	const wrong = `item ${item} is paired with something else`;
	const failure = failureIn(json);
	if (failure !== undefined) {
		const [message, description] = [asText(failure['message']), asText(failure['description'])];
		return truthOfParts(played, execution, item, { message, description });
	}
	if (end === 'alreadySent') return shownBefore(played, execution, item, json) ? [] : [wrong];
	if (kind.sharesCalls) return shownOfSeveral(played, execution, item, json);
	const own = madeFor(played, execution.number, item);
	const usual = own.findLast((arrival) => arrival.fate.taken && isClear(arrival));
	if (end !== 'done' || usual?.fate.kind !== 'ok') return [];
	const isIts = Object.entries(usual.shows).every(([place, value]) => at(json, place) === value);
	return isIts ? [] : [wrong];
}

/** The value at a place such as `content.text`. */
function at(json: IDataObject, place: string): unknown {
	return place
		.split('.')
		.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], json);
}

/** Whether the output of an already sent item describes the message sent before. */
function shownBefore(played: Played, execution: Execution, item: number, json: IDataObject): boolean {
	const { isKeyed, items, kind } = played.scenario;
	const { key = '', things = [] } = items[item] ?? {};
	if (json['onceKey'] !== (isKeyed ? key : undefined)) return false;
	if (kind.sharesCalls) return namesAll(json, things);
	const before = isKeyed ? underKey(played, key) : madeFor(played, execution.number, item);
	// The packageId of a message that never arrived is unknown here; operations without one show none.
	return before.every(({ packageId }) => packageId === json['packageId']);
}

/** The same for items that share requests: the result lists the entries of all items in the request. */
function shownOfSeveral(played: Played, execution: Execution, item: number, json: IDataObject): string[] {
	const isUsual = takenOf(arrivalsOf(played, execution.number)).every(({ fate }) => fate.kind !== 'odd');
	const wanted = played.scenario.items[item]?.things ?? [];
	// An item that needs several requests has one result for each.
	const isLarge = wanted.length > mostIds;
	if (!isUsual || isLarge || namesAll(json, wanted)) return [];
	return [`item ${item} is paired with something else`];
}

/** Whether the ids in a result are those of all these entries, at least. */
function namesAll(json: IDataObject, things: readonly string[]): boolean {
	const ids = ((json['ids'] ?? []) as string[]).map((id) => id.toLowerCase());
	return things.every((thing) => ids.some((id) => thing.endsWith(id)));
}
