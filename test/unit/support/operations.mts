import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Operation, CompiledCall } from '../../../nodes/Messaging/operations/operation.ts';
import { Input } from '../../../nodes/Messaging/input/input.ts';
import type { Caller, ParameterSource } from '../../../nodes/Messaging/input/parameter-source.ts';
import { InvalidParameter } from '../../../nodes/Messaging/input/invalid-parameter.ts';
import type { Properties } from '../../../nodes/Messaging/input/parameter-types.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { cases, type OperationId, type Parameters } from '../../cases/index.mts';
import { sourceOf, ZONE } from '../../cases/source.mts';

/** The parameters of one item, read and checked. */
export function inputOf<P extends Properties>(fields: P, given: Parameters, timezone = ZONE): Input<P> {
	return new Input(fields, sourceOf(fields, given, timezone));
}

/** The refusal that a function throws; anything else fails the test. */
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

/** A source with other values, and another caller. */
export function sourceWith(
	{ caller, ...values }: ParameterSource,
	{ unresolved, ...more }: Partial<Omit<ParameterSource, 'caller'> & Caller>,
): ParameterSource {
	return { ...values, ...(unresolved && { unresolved }), caller: { ...caller, ...more } };
}

/** One operation, with helpers to use it. */
export interface OperationUnderTest {
	readonly operation: Operation;
	/** The call for the minimal parameters and these. */
	compile(given?: Parameters): CompiledCall;
	/** The JSON body of its call. */
	body(given?: Parameters): unknown;
	/** The error when it refuses these parameters. */
	refusal(given: Parameters): InvalidParameter;
	/** The json of the output items for a response body. */
	output(reply: unknown, given?: Parameters, cut?: string): IDataObject[];
	/** The same operation in the hands of an AI agent. */
	readonly asTool: OperationUnderTest;
}

/** The operation with this id, `<resource>.<operation>`. */
export function operationUnderTest(
	id: OperationId,
	more: Partial<Omit<ParameterSource, 'caller'> & Caller> = {},
): OperationUnderTest {
	const [resource, name] = id.split('.');
	const operation = findOperation(resource, name);
	if (operation === undefined) throw new Error(`There is no operation ${id}`);
	const { least } = cases[id];
	const compile = (given: Parameters = {}) =>
		operation.compile(sourceWith(sourceOf(operation.fields, { ...least.given, ...given }), more));
	return {
		operation,
		compile,
		body: (given) => compile(given).call.body,
		refusal: (given) => refusalBy(() => compile(given)),
		output: (reply, given, cut) => [...compile(given).output(reply, cut)],
		get asTool() {
			return operationUnderTest(id, { isTool: true });
		},
	};
}

/** The parameters nested in a collection; none for anything else. */
export function membersOf({ options = [] }: INodeProperties): INodeProperties[] {
	return options.flatMap((option) => ('type' in option ? [option] : []));
}
