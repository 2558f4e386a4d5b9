import type { ExecutionStatus, INodeExecutionData } from 'n8n-workflow';

import { outputOf, type Execution } from '../../dev/harness/n8n/api.mts';
import { names } from '../../dev/harness/workflows.mts';
import type { MessageRecord } from '../../dev/sandbox/types.mts';
import type { AppEvent } from './load.mts';

/** What n8n says about one message: sent, why not, or nothing because its execution failed as a whole. */
export type Verdict =
	| 'sent'
	| 'unknown'
	| 'unsent'
	| 'rejected'
	| 'alreadySent'
	| 'execution failed'
	| 'nothing';

/** An event that n8n has taken, and the execution that it started. */
export interface Taken {
	readonly event: AppEvent;
	readonly execution: Execution;
}

/** The outcome of all messages of all events that n8n has taken. */
export type Ledger = ReturnType<typeof balance>;

/**
 * Compares what n8n says with what the service has.
 *
 * @param records everything that the service has accepted
 */
export function balance(taken: readonly Taken[], records: readonly MessageRecord[]) {
	const times = new Map<string, number>();
	const byWorker: Record<string, number> = {};
	for (const { text, correlationId } of records) {
		times.set(text ?? '', (times.get(text ?? '') ?? 0) + 1);
		const worker = correlationId ?? 'nobody';
		byWorker[worker] = (byWorker[worker] ?? 0) + 1;
	}
	const verdicts: Partial<Record<Verdict, number>> = {};
	const executions: Partial<Record<ExecutionStatus, number>> = {};
	const lostInSilence: string[] = [];
	const deniedThoughSent: string[] = [];
	let messages = 0;
	for (const { event, execution } of taken) {
		executions[execution.status] = (executions[execution.status] ?? 0) + 1;
		const said = verdictsOf(event, execution);
		for (const { id } of event.messages) {
			messages++;
			const verdict = said.get(id) ?? 'nothing';
			verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
			const arrived = times.has(id);
			if (verdict === 'nothing' || (claimsArrival.has(verdict) && !arrived)) lostInSilence.push(id);
			if (deniesArrival.has(verdict) && arrived) deniedThoughSent.push(id);
		}
	}
	return {
		messages,
		/** The ids of accepted messages, duplicates included, and of those accepted more than once. */
		accepted: records.map(({ text }) => text ?? ''),
		twice: [...times].filter(([, count]) => count > 1).map(([id]) => id),
		/** Number of messages by verdict, and of executions by final status. */
		verdicts,
		executions,
		/** Messages of which n8n says nothing, or that they were sent although the service has not accepted them. */
		lostInSilence,
		/** Accepted messages that n8n shows as not sent: a user would send them again. */
		deniedThoughSent,
		/** Number of messages by worker. */
		byWorker,
	};
}

const claimsArrival: ReadonlySet<Verdict> = new Set(['sent', 'alreadySent']);
const deniesArrival: ReadonlySet<Verdict> = new Set(['unsent', 'rejected']);

/** A failed execution is visible in n8n, so its messages are not lost silently, sent or not. */
const seenAsFailed: ReadonlySet<ExecutionStatus> = new Set<ExecutionStatus>(['error', 'crashed', 'canceled']);

function verdictsOf(event: AppEvent, execution: Execution): Map<string, Verdict> {
	if (seenAsFailed.has(execution.status)) {
		return new Map(event.messages.map(({ id }) => [id, 'execution failed']));
	}
	if (execution.status !== 'success') return new Map();
	const said = new Map<string, Verdict>();
	for (const output of [0, 1]) {
		for (const item of outputOf(execution, names.messaging, output)) {
			const message = event.messages[indexOf(item)];
			if (message !== undefined) said.set(message.id, verdictOf(item));
		}
	}
	return said;
}

function indexOf({ pairedItem }: INodeExecutionData): number {
	const first = Array.isArray(pairedItem) ? pairedItem[0] : pairedItem;
	return typeof first === 'number' ? first : (first?.item ?? -1);
}

function verdictOf({ json }: INodeExecutionData): Verdict {
	const { error } = json;
	if (typeof error === 'object' && error !== null && 'outcome' in error) return error.outcome as Verdict;
	return json['alreadySent'] === true ? 'alreadySent' : 'sent';
}
