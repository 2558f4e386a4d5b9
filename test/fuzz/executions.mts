/** What a scenario has run. */
import { stringify } from 'flatted';
import type { IDataObject } from 'n8n-workflow';
import { Run } from '../engine/run.mts';
import { nodeName, startName } from '../engine/workflow.mts';
import type { Scenario, WhenUnknown } from './scenario.mts';
import type { World } from './world.mts';

/** One execution of the workflow, with its retries. */
export interface Execution {
	readonly number: number;
	/** The runs that ended, the newest last. */
	readonly runs: Run[];
	/** How often it began, ended or not. */
	begun: number;
	/** Whether it was ever cancelled or killed. */
	isStopped: boolean;
	/** The settings of When Outcome Is Unknown, with their beginnings in the world's time, the newest last. */
	readonly policies: Array<{ readonly since: number; readonly whenUnknown: WhenUnknown }>;
	/** Whether it lasted as long as a request's timeout, so that a request may have timed out, answered or not. */
	timedOut: boolean;
}

/** What has happened by the end of an act. */
export interface Played {
	readonly scenario: Scenario;
	readonly world: World;
	readonly executions: Execution[];
	/** The executions that this act ran. */
	acted: readonly Execution[];
	/** Whether an execution of the same items ran at the same time, or an engine was killed, so far. */
	hadCompany: boolean;
	wasKilled: boolean;
	/** When each once key was first shown as already sent, in the world's time. */
	readonly shownAt: Map<string, number>;
	/** Whether this is the last act, which is without faults. */
	isLast: boolean;
	/** The first item with a broken parameter in this act. */
	brokenFrom: number | undefined;
}

/**
 * A run that can be retried. n8n saves a cancelled execution at once, and a moment later puts the node back among those
 * to run: which of the two states is in its database depends on timing.
 */
export function resumable(failed: Run, { items }: Scenario): Run {
	const { request, report } = failed;
	const data = structuredClone(failed.data);
	const { executionData, resultData } = data;
	if (executionData === undefined || executionData.nodeExecutionStack.length > 0) return failed;
	const node = request.workflow.nodes.find(({ name }) => name === nodeName);
	if (node === undefined) return failed;
	executionData.nodeExecutionStack.push({
		node,
		data: { main: [items.map(({ json }, item) => ({ json: json as IDataObject, pairedItem: { item } }))] },
		source: { main: [{ previousNode: startName }] },
	});
	delete resultData.runData[nodeName];
	return new Run(request, { ...report, saved: stringify(data) }, nodeName);
}

/** The items of all runs, and how many of them the node refused to read. */
const read = { items: 0, refused: 0 };

/** Counts the items that a run refused to read. */
export function countRefused(run: Run, items: number): void {
	// With On Error: Stop Workflow, the error names the first one alone.
	const failures = [run.error, ...run.main.flat().map(({ json }) => json['error'])];
	read.items += items;
	read.refused += failures.filter((error) => /The field \\"/.test(JSON.stringify(error ?? ''))).length;
}

/** The share of items that the node refused to read, as a line to print. */
export function refusedLine(): string {
	const share = ((100 * read.refused) / read.items).toFixed(2);
	return `${read.refused} of ${read.items} items (${share} %) were refused for the value of a field.`;
}

/** In the last act, nothing in doubt is sent again or counted as sent. */
export const hold: WhenUnknown = ['hold', 'hold'];

/** The option's value: an expression where it differs between items. */
export function choiceOf([even, odd]: WhenUnknown): string {
	return even === odd ? even : `={{ ["${even}", "${odd}"][$itemIndex % 2] }}`;
}
