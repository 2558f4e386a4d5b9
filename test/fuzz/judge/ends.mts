/** How the items of a run ended according to n8n. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Run } from '../../engine/run.mts';
import type { Execution, Played } from '../executions.mts';
import { isLarge } from '../kinds/requeue.mts';
import { arrivalsOf, isClear, madeFor, takenOf, underKey } from './seen.mts';
import { truthOfParts } from './truth.mts';

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
	const { items } = played.scenario;
	const hasErrorOutput = run.request.workflow.nodes.some(({ onError }) => onError === 'continueErrorOutput');
	const ends = new Map<number, End>();
	for (const [output, given] of run.main.entries()) {
		let last = -1;
		for (const item of given) {
			const pairs = [item.pairedItem].flat().map((pair) => (typeof pair === 'object' ? pair.item : NaN));
			const end = endOf(item);
			const isSuccess = end === 'done' || end === 'alreadySent';
			const [first = NaN] = pairs;
			if (first < last) wrong.push(`item ${first} left after item ${last}`);
			last = first;
			if (hasErrorOutput && (output === 1) === isSuccess)
				wrong.push(`item ${first} left by the wrong output`);
			for (const index of pairs) {
				if (!(index in items)) wrong.push(`an item is paired with ${index}, which is none`);
				// An item that needs several requests has one result for each.
				const isMore = isLarge(items[index]) && isSuccess && ends.get(index) === end;
				if (ends.has(index) && !isMore) wrong.push(`item ${index} left twice`);
				ends.set(index, end);
				const failure = failureIn(item);
				if (failure !== undefined) wrong.push(...truthOfParts(played, execution, index, failure['message']));
				else if (!isItsOutput(played, execution, index, item.json, end)) {
					wrong.push(`item ${index} is paired with something else`);
				}
			}
		}
	}
	if (ends.size !== items.length) wrong.push(`${ends.size} of ${items.length} items have an end`);
	return ends;
}

function endOf(item: INodeExecutionData): End {
	if (item.error !== undefined && item.error !== null) return 'unknown';
	const failure = failureIn(item);
	if (failure !== undefined) return failure['outcome'] as End;
	return item.json['alreadySent'] === true ? 'alreadySent' : 'done';
}

function failureIn({ json }: INodeExecutionData): IDataObject | undefined {
	return json['error'] as IDataObject | undefined;
}

/** Whether the output of a success describes the input item that it is paired with. */
function isItsOutput(
	played: Played,
	execution: Execution,
	item: number,
	json: IDataObject,
	end: End,
): boolean {
	const { isKeyed, items, kind } = played.scenario;
	const { key = '', things = [] } = items[item] ?? {};
	const wasSentBefore = end === 'alreadySent';
	if (wasSentBefore && json['onceKey'] !== (isKeyed ? key : undefined)) return false;
	const own = madeFor(played, execution.number, item);
	if (kind.sharesCalls) {
		const isUsual = takenOf(arrivalsOf(played, execution.number)).every(
			({ treatment }) => treatment.kind !== 'odd',
		);
		// The result lists the entries of all items in the request.
		const ids = [json['ids']].flat().map((id) => (typeof id === 'string' ? id.toLowerCase() : ''));
		const namesAll = things.every((thing) => ids.some((id) => thing.endsWith(id)));
		return namesAll || !(wasSentBefore || (isUsual && !isLarge(items[item])));
	}
	if (wasSentBefore) {
		// The packageId of a message that never arrived is unknown here; operations without one show none.
		const before = isKeyed ? underKey(played, key) : own;
		return before.every(({ packageId }) => packageId === json['packageId']);
	}
	const usual = own.findLast((arrival) => arrival.treatment.taken && isClear(arrival));
	return (
		usual?.treatment.kind !== 'ok' ||
		Object.entries(usual.shows).every(([name, value]) => json[name] === value)
	);
}
