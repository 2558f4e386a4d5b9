import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { InvalidParameter } from '../fields/invalid-parameter';
import type { AnyOperation } from '../contract/any-operation';
import { canAsk } from '../ask/asked';
import { connect } from '../service/connect';
import { type Failure, isFailure, unsent } from '../service/endings';
import { refusal, sourceOf } from './jobs';
import { oneAtATime } from './memory/one-at-a-time';
import { brokenBefore } from './report/broken';
import { NOT_STARTED } from './report/not-sent';
import { Results } from './report/results';
import { stopError } from './report/stop-error';
import { Run, type SetUp } from './run';
import { endWithoutRun } from './without-run';
import { optionsOf, type RunSettings, runSettings } from './settings';

/**
 * Runs an operation (undefined when the node names one that is not there) for every input item, and gives the output
 * in input order.
 *
 * With On Error "Stop Workflow" the first failure for good throws, once what is under way has ended; otherwise every
 * failed item becomes an error item, and nothing is thrown. An operation that waits fails when nobody was asked.
 */
export async function deliver(
	context: IExecuteFunctions,
	operation: AnyOperation | undefined,
): Promise<INodeExecutionData[][]> {
	const isOver = await oneAtATime(context);
	try {
		return await deliverInTurn(context, operation);
	} finally {
		isOver();
	}
}

async function deliverInTurn(
	context: IExecuteFunctions,
	operation: AnyOperation | undefined,
): Promise<INodeExecutionData[][]> {
	const results = new Results(context.getInputData().length);
	const setUp = await prepare(context, operation);
	if (isFailure(setUp)) await endWithoutRun(context, operation, results, setUp);
	else if (await deliverAll(context, setUp, results)) return answerToCome();
	if (results.first !== undefined && !context.continueOnFail())
		throw stopError(context, results.first, results);
	results.failRest(NOT_STARTED);
	return [await results.items()];
}

/**
 * What a node that waits gives out for the time being. An item with an error in it would have n8n repeat the node. Made
 * anew each time: n8n writes into it.
 */
const answerToCome = (): INodeExecutionData[][] => [[]];

/**
 * Makes all calls of a run. Whatever goes wrong, every item gets an end that is true.
 *
 * @returns whether the execution waits for an answer now
 */
async function deliverAll(context: IExecuteFunctions, setUp: SetUp, results: Results): Promise<boolean> {
	let run: Run;
	try {
		run = new Run(context, setUp, results);
	} catch (error) {
		results.failAll(brokenBefore(error));
		return false;
	}
	return await run.all();
}

/** It never throws: under On Error "Continue" a throw would pass the input off as success. */
async function prepare(
	context: IExecuteFunctions,
	operation: AnyOperation | undefined,
): Promise<SetUp | Failure> {
	if (operation === undefined) {
		return unsent(
			'This node has no such operation',
			'Choose the resource and the operation of this node once more.',
		);
	}
	if (operation.waits === true && !canAsk(context)) {
		return unsent(
			`This n8n is too old for "${operation.displayName}"`,
			'It does not sign the links on which a question is answered, so nobody was asked. Update n8n.',
		);
	}
	const service = await connect(context);
	if (isFailure(service)) return service;
	const settings = settingsOf(context, operation);
	return isFailure(settings) ? settings : { operation, service, settings };
}

/** Settings are about the run: nothing is made of the item. */
const NOTHING_MADE = { callId: () => '', answerLink: () => '' };

/** The settings of a run stand in the options of its first item. */
function settingsOf(context: IExecuteFunctions, operation: AnyOperation): RunSettings | Failure {
	try {
		return runSettings(optionsOf(sourceOf(context, operation.fields, 0, NOTHING_MADE)));
	} catch (error) {
		if (error instanceof InvalidParameter) return refusal(error);
		// An expression that fails for the first item is that item's failure, which comes when its turn does.
		return runSettings(optionsOf({ read: () => undefined, timezone: '', callId: '' }));
	}
}
