import type { operations } from '../../../api/schema.d.ts';
import type { OperationId } from '../interface/openapi.mts';
import type { Reach } from '../records/reach.mts';
import type { State } from '../records/state.mts';
import type { Views } from '../records/views.mts';

type BodyOf<Id extends OperationId> = operations[Id] extends {
	requestBody: { content: { 'application/json; v=1.0': infer Body } };
}
	? Body
	: undefined;

type ParametersOf<Id extends OperationId> = operations[Id] extends { parameters: { path: infer Parameters } }
	? Parameters
	: Record<string, never>;

/** One request that conforms to the interface and carries a valid key. */
export interface Call<Id extends OperationId> {
	state: State;
	views: Views;
	reach: Reach;
	parameters: ParametersOf<Id>;
	body: BodyOf<Id>;
	/** Milliseconds since 1970. */
	now: number;
	/** How long an outbox entry stays pending. */
	outboxDelayMs: number;
}

/** A success; without a body the answer is empty. */
export interface Answer {
	status: 200 | 201 | 204;
	body?: unknown;
}

/** Does what one operation says, or throws a `Problem`. */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Answer;
