import { setTimeout as sleep } from 'node:timers/promises';

import {
	N8nApiError,
	outputOf,
	unfinished,
	type Execution,
	type N8nClient,
} from '../../dev/harness/n8n/api.ts';
import { names } from '../../dev/harness/workflows.ts';
import type { AppEvent } from './load.ts';

type Listing = Pick<N8nClient, 'allExecutions' | 'execution'>;

/**
 * The executions among these that have not ended.
 *
 * n8n's list may lack some executions; those are requested one by one, once none in the list is running.
 */
export async function notEnded(
	client: Listing,
	workflowId: string,
	executions: ReadonlySet<string>,
): Promise<Set<string>> {
	const listed = new Map((await client.allExecutions(workflowId)).map(({ id, status }) => [id, status]));
	const left = new Set([...executions].filter((id) => unfinished.has(listed.get(id) ?? 'unknown')));
	if ([...left].some((id) => listed.has(id))) return left;
	for (const id of left) {
		if (!unfinished.has((await client.execution(id)).status)) left.delete(id);
	}
	return left;
}

const millisecondsUntilSeen = 60_000;

/**
 * Finds the executions of events whose webhook call got no answer.
 *
 * @param unanswered one per call; the same event may have been delivered more than once
 * @param known executions of other calls
 * @throws when n8n has not started one within a minute: the event is lost then
 */
export async function startedBy(
	client: Listing,
	workflowId: string,
	unanswered: readonly AppEvent[],
	known: Iterable<string>,
): Promise<Map<AppEvent, string>> {
	const found = new Map<AppEvent, string>();
	const seen = new Set(known);
	const deadline = Date.now() + millisecondsUntilSeen;
	for (;;) {
		for (const { id } of await client.allExecutions(workflowId).catch(whileAway)) {
			if (seen.has(id)) continue;
			const eventId = eventIdOf(await client.execution(id));
			const event = unanswered.find((each) => each.id === eventId && !found.has(each));
			if (event === undefined) continue;
			seen.add(id);
			found.set(event, id);
		}
		if (found.size === unanswered.length) return found;
		if (Date.now() > deadline) {
			const lost = unanswered.filter((event) => !found.has(event)).map(({ id }) => id);
			throw new Error(`n8n neither answered nor started an execution for: ${lost.join(', ')}`);
		}
		await sleep(500);
	}
}

/** n8n answers 503 while its database is away; nothing is known then. */
function whileAway(error: unknown): never[] {
	if (error instanceof N8nApiError && error.statusCode === 503) return [];
	throw error;
}

/** The id of the event that the webhook was called with; undefined until n8n has saved it. */
function eventIdOf(execution: Execution): unknown {
	const { body } = outputOf(execution, names.start)[0]?.json ?? {};
	return typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
}
