import type { IExecuteFunctions } from 'n8n-workflow';

import type { AnyOperation } from '../contract/any-operation';
import type { Failure } from '../service/endings';
import { systemClock } from '../time/clock';
import { Memory } from './memory/memory';
import { recallRest } from './recall';
import { mayBeDone } from './report/not-sent';
import type { Results } from './report/results';

/**
 * Ends all items of a run that can't begin, because of its credential for one: with this failure, but for those that an
 * earlier try of the execution has sent. They have gone out all the same. Never throws.
 */
export async function endWithoutRun(
	context: IExecuteFunctions,
	operation: AnyOperation | undefined,
	results: Results,
	failure: Failure,
): Promise<void> {
	const memory = operation && memoryOf(context, operation);
	if (memory === undefined || operation === undefined || !memory.isRepetition) results.failAll(failure);
	else if (operation.batching !== undefined || operation.waits === true) {
		// What it was that went out can't be told without the service; a question that did has nobody who waits for it.
		results.changes = true;
		results.failAll(mayBeDone(failure, memory));
	} else {
		await recallRest(memory, results, systemClock);
		results.failAll(failure);
	}
	if (context.continueOnFail()) memory?.closeAfterReturn(results.firstItemFailed());
}

function memoryOf(context: IExecuteFunctions, operation: AnyOperation): Memory | undefined {
	try {
		return Memory.open(context, `${operation.resource} ${operation.name}`);
	} catch {
		// It has nothing to say then.
		return undefined;
	}
}
