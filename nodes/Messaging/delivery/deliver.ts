import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Operation } from '../operations/operation';
import { ask, connect, isFailure, type Service } from '../service/connect';
import { type Failure, unsent } from '../service/failure';
import { maskTokens } from '../service/redact';
import { inputOf, type Job, jobsOf, optionsOf, refusal, type Refused } from './jobs';
import { runPool } from './pool';
import { errorItem, outputItems, stopError, type Tally } from './report';
import { concurrency } from './settings';

interface Failed {
	failure: Failure;
	items: readonly number[];
}

/**
 * Runs an operation (undefined when the node names one that is not there) for every input item and gives the output in input order. This is the only loop over items.
 *
 * With On Error "Stop Workflow" the first failure for good throws, once what is under way has ended; otherwise every
 * failed item becomes an error item and nothing is thrown.
 */
export async function deliver(
	context: IExecuteFunctions,
	operation: Operation | undefined,
): Promise<INodeExecutionData[][]> {
	const total = context.getInputData().length;
	const all = Array.from({ length: total }, (_, item) => item);
	const continues = context.continueOnFail();
	const output: INodeExecutionData[][] = all.map(() => []);
	const tally: Tally = { done: 0, failed: 0, unknown: 0, total };
	let stoppedBy: Failed | undefined;

	const fail = (failed: Failed): void => {
		for (const item of failed.items) output[item]?.push(errorItem(failed.failure, item));
		tally[failed.failure.outcome === 'unknown' ? 'unknown' : 'failed'] += failed.items.length;
		if (!continues) stoppedBy ??= failed;
	};

	const setUp = await prepare(context, operation);
	if (isFailure(setUp)) {
		fail({ failure: setUp, items: all });
	} else {
		const { operation: chosen, service, bound } = setUp;
		const run = async (job: Job | Refused): Promise<void> => {
			if ('refused' in job) return fail({ failure: job.refused, items: job.items });
			const { call, facts, showToken = false } = job.compiled;
			const result = await ask(service, call, { ...job.settings, showToken });
			if (isFailure(result)) return fail({ failure: result, items: job.items });
			const body = showToken ? result.body : maskTokens(result.body);
			output[job.items[0] ?? 0]?.push(...outputItems(chosen.output(body, facts), job.items));
			tally.done += job.items.length;
		};
		const cancel = context.getExecutionCancelSignal();
		const mayStart = (): boolean => stoppedBy === undefined && cancel?.aborted !== true;
		await runPool(jobsOf(context, chosen, total), bound, run, mayStart);
	}

	if (stoppedBy !== undefined) throw stopError(context, stoppedBy.failure, stoppedBy.items, tally);
	return [output.flat()];
}

interface SetUp {
	operation: Operation;
	service: Service;
	bound: number;
}

/** What all items need. It never throws: under On Error "Continue" a throw would pass the input off as success. */
async function prepare(
	context: IExecuteFunctions,
	operation: Operation | undefined,
): Promise<SetUp | Failure> {
	if (operation === undefined) {
		return unsent(
			'This node has no such operation',
			'Choose the resource and the operation of this node once more.',
		);
	}
	const service = await connect(context);
	if (isFailure(service)) return service;
	try {
		return { operation, service, bound: concurrency(optionsOf(inputOf(context, operation, 0))) };
	} catch (error) {
		return refusal(error);
	}
}
