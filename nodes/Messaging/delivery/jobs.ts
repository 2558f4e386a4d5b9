import type { IExecuteFunctions } from 'n8n-workflow';

import { Input } from '../fields/input';
import { InvalidParameter } from '../fields/invalid-parameter';
import type { CommonOptions } from '../fields/options';
import { locatorValue } from '../fields/values';
import type { Compiled, Operation } from '../operations/operation';
import type { Failure } from '../service/failure';
import { unsent } from '../service/failure';
import { callSettings, type CallSettings } from './settings';

/** One call to make, for one item or for a group of them. */
export interface Job {
	/** The input items that the call serves, in order. */
	readonly items: readonly number[];
	readonly compiled: Compiled;
	readonly settings: CallSettings;
}

/** An item whose parameters do not make a call. */
export interface Refused {
	readonly items: readonly number[];
	readonly refused: Failure;
}

/** The fields of an operation, its options known to be there. */
type WithOptions = readonly [
	{
		name: 'options';
		type: 'collection';
		displayName: string;
		default: Record<never, never>;
		options: CommonOptions;
	},
];

/** The parameters of one item. */
export function inputOf(
	context: IExecuteFunctions,
	operation: Operation,
	item: number,
): Input<Operation['fields']> {
	const defaults = new Map(operation.fields.map((field) => [field.name, field.default]));
	const timezone = context.getTimezone();
	return new Input(operation.fields, {
		// A field that is hidden by another one's value has no value: its default stands in.
		read: (name) => locatorValue(context.getNodeParameter(name, item, defaults.get(name) ?? '')),
		timezone,
	});
}

/** The options that every operation has. */
export function optionsOf(input: Input<Operation['fields']>): Input<CommonOptions> {
	return (input as unknown as Input<WithOptions>).collection('options');
}

/**
 * The jobs of a run, each made when it is drawn. Operations that merge calls read all items first; the others read
 * an item's parameters only when its turn has come.
 */
export function* jobsOf(
	context: IExecuteFunctions,
	operation: Operation,
	itemCount: number,
): Generator<Job | Refused> {
	const { merging } = operation;
	const single = function* (): Generator<Job | Refused> {
		for (let item = 0; item < itemCount; item++) yield compileItem(context, operation, item);
	};
	if (merging === undefined) return yield* single();

	const groups = new Map<string, Job[]>();
	for (const job of single()) {
		if ('refused' in job) yield job;
		else {
			const key = merging.key(job.compiled.facts) ?? `item ${job.items[0]}`;
			groups.set(key, [...(groups.get(key) ?? []), job]);
		}
	}
	for (const group of groups.values()) {
		yield {
			items: group.flatMap((job) => job.items),
			compiled: merging.merge(group.map((job) => job.compiled)),
			settings: group.reduce(
				(longest, { settings }) => (settings.timeoutMs > longest.timeoutMs ? settings : longest),
				group[0]!.settings,
			),
		};
	}
}

function compileItem(context: IExecuteFunctions, operation: Operation, item: number): Job | Refused {
	try {
		const input = inputOf(context, operation, item);
		return { items: [item], settings: callSettings(optionsOf(input)), compiled: operation.compile(input) };
	} catch (error) {
		return { items: [item], refused: refusal(error) };
	}
}

/** The failure of an item whose parameters could not be read or do not fit. */
export function refusal(error: unknown): Failure {
	if (error instanceof InvalidParameter) return unsent(error.message, error.hint);
	// Anything else comes from n8n while it resolves an expression: its own words say what is wrong.
	const { message, description } = error as { message?: unknown; description?: unknown };
	return unsent(
		typeof message === 'string' && message !== '' ? message : 'A parameter could not be read',
		typeof description === 'string' && description !== ''
			? description
			: 'Check the expressions in the fields of this node.',
	);
}
