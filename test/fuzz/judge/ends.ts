/** How the items of a run ended, by what n8n shows. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { asText } from '../../../harness/as-text.ts';
import type { Run } from '../../engine/run.ts';
import type { Execution, Played } from '../play.ts';
import { aboutItem, arrivalsOf, isClear, madeFor, takenOf, thingsOf, underKey } from './seen.ts';

/** The end of an item. */
export type End = 'done' | 'alreadySent' | 'rejected' | 'unsent' | 'unknown';

/** How each item ended; undefined when the run gave no items. What is wrong with the items themselves is added. */
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
				// What an item wants may take several requests, each of which gives a result.
				const isMore = kind.sharesCalls && isSuccess && ends.get(index) === end;
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

/** What an output item says is about the item that it is paired with. */
function shown(played: Played, execution: Execution, item: number, output: INodeExecutionData): string[] {
	const { json } = output;
	const end = endOf(output);
	const { kind, items } = played.scenario;
	const wrong = `item ${item} is paired with something else`;
	if (end === 'alreadySent') {
		const key = items[item]?.key ?? '';
		const ids = new Set(underKey(played, key).map(({ packageId }) => packageId));
		// What has no packageId shows none.
		const isIts = json['onceKey'] === key && ids.has(json['packageId'] as string | undefined);
		return isIts ? [] : [`item ${item} is alreadySent as another message`];
	}
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

/** The same where an item may want several things: what its result, or its error, says of each. */
function shownOfSeveral(played: Played, execution: Execution, item: number, json: IDataObject): string[] {
	const wanted = played.scenario.items[item]?.things ?? [];
	const thingOf = (id: string): string | undefined =>
		wanted.find((thing) => thing.endsWith(id.trim().toLowerCase()));
	const own = takenOf(madeFor(played, execution.number, item));
	const failure = failureIn(json);
	if (failure !== undefined) {
		const said = /Done: ([^.]*)\.(?: Perhaps done: ([^.]*)\.)?(?: Not done: ([^.]*)\.)?$/.exec(
			asText(failure['description']),
		);
		if (said === null) return [];
		const [doneThings, perhapsThings, restThings] = said
			.slice(1)
			.map((ids) => (ids === undefined ? [] : ids.split(', ').map(thingOf)));
		const taken = thingsOf(takenOf(aboutItem(played, execution.number, item)));
		const clearly = thingsOf(own.filter(isClear));
		const isTrue =
			doneThings?.every((thing) => thing !== undefined && taken.has(thing)) === true &&
			perhapsThings?.every((thing) => thing !== undefined) === true &&
			restThings?.every((thing) => thing !== undefined && !clearly.has(thing)) === true;
		return isTrue ? [] : [`item ${item} does not tell what was done of it: ${said[0]}`];
	}
	const usual = takenOf(arrivalsOf(played, execution.number)).every(({ fate }) => fate.kind !== 'odd');
	if (!usual) return [];
	const ids = (json['ids'] ?? []) as string[];
	return ids.some((id) => thingOf(id) !== undefined) ? [] : [`item ${item} is paired with something else`];
}
