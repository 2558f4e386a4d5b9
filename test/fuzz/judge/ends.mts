/** How the items of a run ended according to n8n. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Run } from '../../engine/run.mts';
import type { Execution, Played } from '../executions.mts';
import { madeFor, underKey } from './seen.mts';

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
			const [index = NaN] = pairs;
			const end = endOf(item);
			const isSuccess = end === 'done' || end === 'alreadySent';
			if (pairs.length !== 1 || !(index in items)) wrong.push(`an item is paired with ${pairs.join(', ')}`);
			if (ends.has(index)) wrong.push(`item ${index} left twice`);
			if (index < last) wrong.push(`item ${index} left after item ${last}`);
			if (hasErrorOutput && (output === 1) === isSuccess)
				wrong.push(`item ${index} left by the wrong output`);
			if (isSuccess && !isItsOutput(played, execution, index, item.json, end)) {
				wrong.push(`item ${index} is paired with something else`);
			}
			ends.set(index, end);
			last = index;
		}
	}
	if (ends.size !== items.length) wrong.push(`${ends.size} of ${items.length} items have an end`);
	return ends;
}

function endOf({ json, error }: INodeExecutionData): End {
	if (error !== undefined && error !== null) return 'unknown';
	const failure = json['error'] as IDataObject | undefined;
	if (failure !== undefined) return failure['outcome'] as End;
	return json['alreadySent'] === true ? 'alreadySent' : 'done';
}

/** Whether the output of a success has the packageId under which the item went out. */
function isItsOutput(
	played: Played,
	{ number }: Execution,
	index: number,
	json: IDataObject,
	end: End,
): boolean {
	const { isKeyed, items } = played.scenario;
	const key = items[index]?.key ?? '';
	if (isKeyed && json['onceKey'] !== key) return false;
	const sent = isKeyed ? underKey(played, key) : madeFor(played, number, index);
	// The service's own fields win over those of the node.
	const hasOwn = end === 'done' && sent.some(({ treatment }) => treatment.kind === 'odd');
	return hasOwn || sent.every(({ packageId }) => packageId === json['packageId']);
}
