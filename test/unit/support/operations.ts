import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { AnyOperation, Prepared } from '../../../nodes/Messaging/contract/any-operation.ts';
import { Input, type ParameterSource } from '../../../nodes/Messaging/fields/input.ts';
import { InvalidParameter } from '../../../nodes/Messaging/fields/invalid-parameter.ts';
import type { Properties } from '../../../nodes/Messaging/fields/parameter-types.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { cases, type OperationId, type Parameters } from '../../cases/index.ts';
import { ANSWER_LINK, ids } from '../../cases/values.ts';

/** The zone of the workflow in all unit tests: one with summer time, and not the machine's. */
export const ZONE = 'Europe/Vienna';

/** The time in all unit tests. */
export const NOW = Date.UTC(2030, 0, 1);

/** Where the parameters of one item come from; what is not given has its default, as in the node. */
export function sourceOf(fields: Properties, given: Parameters, timezone = ZONE): ParameterSource {
	const defaults = new Map(fields.map((field) => [field.name, field.default]));
	return {
		read: (name) => (Object.hasOwn(given, name) ? given[name] : (defaults.get(name) ?? '')),
		timezone,
		callId: ids.call,
		answerLink: ANSWER_LINK,
		now: NOW,
	};
}

/** The parameters of one item, read and checked. */
export function inputOf<P extends Properties>(fields: P, given: Parameters, timezone = ZONE): Input<P> {
	return new Input(fields, sourceOf(fields, given, timezone));
}

/** The refusal that a function throws; anything else that happens fails the test. */
export function refusalBy(run: () => unknown): InvalidParameter {
	let result: unknown;
	try {
		result = run();
	} catch (error) {
		if (error instanceof InvalidParameter) return error;
		throw error;
	}
	throw new Error(`Nothing was refused; the result is ${JSON.stringify(result)}`);
}

/** One operation, with short ways to use it. */
export interface OperationUnderTest {
	readonly operation: AnyOperation;
	/** What it makes of the least it needs and these parameters on top. */
	compile(given?: Parameters): Prepared;
	/** The JSON body of its call. */
	body(given?: Parameters): unknown;
	/** What it says when it refuses these parameters. */
	refusal(given: Parameters): InvalidParameter;
	/** The json of the output items for a response body. */
	output(reply: unknown, given?: Parameters): IDataObject[];
}

/** The operation with this id, `<resource>.<operation>`. */
export function operationUnderTest(id: OperationId): OperationUnderTest {
	const [resource, name] = id.split('.');
	const operation = findOperation(resource, name);
	if (operation === undefined) throw new Error(`There is no operation ${id}`);
	const { least } = cases[id];
	const compile = (given: Parameters = {}) =>
		operation.compile(sourceOf(operation.fields, { ...least.given, ...given }));
	return {
		operation,
		compile,
		body: (given) => compile(given).call.body,
		refusal: (given) => refusalBy(() => compile(given)),
		output: (reply, given) => compile(given).output(reply),
	};
}

/** The parameters inside a collection; none inside anything else. */
export function membersOf({ options = [] }: INodeProperties): INodeProperties[] {
	return options.flatMap((option) => ('type' in option ? [option] : []));
}
