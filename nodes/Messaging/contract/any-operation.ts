import type { IDataObject } from 'n8n-workflow';

import { Input, type ParameterSource } from '../fields/input';
import type { Properties } from '../fields/parameter-types';
import { defined } from '../json/defined';
import type { ApiCall } from '../service/api-call';
import type {
	Batching,
	CallPlan,
	Compiled,
	Completion,
	Objection,
	Operation,
	OperationEntry,
	Steps,
} from './operation';

/** Any operation, as it is used from outside: what it knows of an item stays within what it prepares. */
export interface AnyOperation extends OperationEntry {
	/**
	 * Turns one item's parameters into a call.
	 *
	 * @throws InvalidParameter when a parameter does not fit
	 */
	compile(source: ParameterSource): Prepared;
	/** The question that calls of this operation may have to wait for. */
	readonly guard?: { readonly call: ApiCall };
	/** The list that completes what items leave open. */
	readonly completion?: { readonly call: ApiCall };
	/** Whether the execution waits for an answer once the calls are made. */
	readonly waits?: true;
	/** Whether the parts of items share calls, and how many of them one call takes. */
	readonly batching?: { readonly mostParts: number };
}

/** The call of one item, with everything that is to be known of it. */
export interface Prepared extends CallPlan {
	/** Turns the body of a success into the json of output items; those of a list are made when they are asked for. */
	output(body: unknown): Iterable<IDataObject>;
	/** What is known of the item without an answer. */
	known(): IDataObject;
	/** Where the operation has a guard. */
	readonly guard?: {
		/** Whether this item needs the answer. */
		applies(): boolean;
		/** What is wrong with the call, given the body of the answer; `undefined` when it may leave. */
		objection(body: unknown): Objection | undefined;
	};
	/** Where the operation can complete items. */
	readonly completion?: {
		/** Whether this item leaves something open. */
		applies(): boolean;
		/**
		 * The same, completed from the body of the list, step by step: the list may be long.
		 *
		 * @throws InvalidParameter naming a field that the list does not tell
		 */
		complete(body: unknown): Steps<Prepared>;
	};
	/** Where items share calls. */
	parts?(): Parts;
}

/** The parts of one item, such as ids. */
export interface Parts {
	readonly names: readonly string[];
	/** What the parts of one call must have in common. */
	readonly scope: string;
	/** Whether they may go into a call together with other items' parts. */
	readonly shares: boolean;
	/** The call for some parts of this scope, this item's or not. */
	callFor(names: readonly string[]): Prepared;
}

/** Makes an operation what others use: its fields have their types inside, and its facts never leave it. */
export function defineOperation<const P extends Properties, F>(operation: Operation<P, F>): AnyOperation {
	const { resource, name, displayName, action, description, fields } = operation;
	const { compile, output, known, guard, completion, batching, waits } = operation;
	const complete = completion && completing(completion);

	const prepared = ({ facts, ...plan }: Compiled<F>): Prepared => ({
		...plan,
		output: (body) => output(body, facts),
		known: () => known?.(facts) ?? {},
		...defined<Pick<Prepared, 'guard' | 'completion' | 'parts'>>({
			guard: guard && {
				applies: () => guard.applies(facts),
				objection: (body) => guard.objection(body, facts),
			},
			completion: completion &&
				complete && {
					applies: () => completion.applies(facts),
					*complete(body) {
						return prepared({ ...plan, facts: yield* complete(body, facts) });
					},
				},
			parts: batching && (() => partsOf(batching, facts, prepared)),
		}),
	});

	return {
		...{ resource, name, displayName, action, description, fields },
		compile: (source) => prepared(compile(new Input(fields, source))),
		...defined<Pick<AnyOperation, 'guard' | 'completion' | 'batching' | 'waits'>>({
			guard: guard && { call: guard.call },
			completion: completion && { call: completion.call },
			batching: batching && { mostParts: batching.mostParts },
			waits,
		}),
	};
}

function partsOf<F>(
	{ partsOf: namesOf, scopeOf, shares, callFor }: Batching<F>,
	facts: F,
	prepared: (compiled: Compiled<F>) => Prepared,
): Parts {
	return {
		names: namesOf(facts),
		scope: scopeOf(facts),
		shares: shares(facts),
		callFor: (names) => prepared(callFor(facts, names)),
	};
}

/** Completes facts from a list, which is read once for all items that come with the same body. */
function completing<F>({ read }: Completion<F>): (body: unknown, facts: F) => Steps<F> {
	const known = new WeakMap<object, (facts: F) => F>();
	return function* (body, facts) {
		if (typeof body !== 'object' || body === null) return (yield* read(body))(facts);
		const complete = known.get(body) ?? (yield* read(body));
		known.set(body, complete);
		return complete(facts);
	};
}
