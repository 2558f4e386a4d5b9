/** What the tests know of an operation. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { components, operations } from '../../api/schema.d.ts';
import type { World } from '../../dev/harness/world.ts';
import type { ApiCall } from '../../nodes/Messaging/service/api-call.ts';

/** An operation of the node, `<resource>.<operation>`. */
export type OperationId = EndpointId | 'message.sendAndWait';

/** An operation of the interface; the node has one of the same name for each. */
export type EndpointId = keyof operations;

/** Parameters by name, as one item has them. */
export type Parameters = Record<string, unknown>;

/** Everything that the unit, engine, sandbox and end-to-end tests know of one operation. */
export interface OperationCase {
	/** The operation of the interface whose endpoint it calls, where that has another name. */
	readonly endpoint?: EndpointId;
	/** The least that it needs. The other samples below stand on top of it. */
	readonly least: Sample;
	/** Everything that its call can carry. */
	readonly most: Sample;
	/** The parameters that may not be empty. */
	readonly required: readonly string[];
	/** The values that it refuses before anything is sent. */
	readonly refused: readonly Refusal[];
	/** The parameters that decide which others count, in each way in which they can be set. */
	readonly modes: readonly INodeParameters[];
	/** What the form calls fields of the request, by their paths in it: that is how a refusal names them. */
	readonly labels: Readonly<Record<string, string>>;
	/** Which calls wait for each other; null for an operation whose calls wait for none. */
	readonly lane: Lane | null;
	/** The parameters that make a given body; null for an operation without a body. */
	readonly fromBody: FromBody | null;
	readonly reply: Reply;
	/** The record that it gives, if it can give one in fewer fields. */
	readonly record: RecordForms | null;
	readonly traits: readonly Trait[];
	/** What goes out and comes back, each for two items in the world of the sandbox. */
	readonly scenarios: readonly [Scenario, ...Scenario[]];
	/** How an AI agent fills in its parameters. */
	readonly agent: (world: World) => AgentCall | Promise<AgentCall>;
}

/** What few operations do. */
export type Trait =
	/** Shows the token of an API key when it is asked to. */
	| 'shows a token'
	/** Asks the service something before its call may leave. */
	| 'asks first'
	/** Puts what several items want into one call. */
	| 'shares calls'
	/** Has the execution wait for an answer: what comes out then is what somebody answered. */
	| 'waits';

/** Parameters, and the call that they make, exactly. */
export interface Sample {
	readonly given: Parameters;
	readonly call: ApiCall;
}

/** Values that an operation refuses. */
export interface Refusal {
	/** The field as the error names it. */
	readonly field: string;
	/** The parameters that hold a value in the place in question. */
	readonly at: (value: unknown) => Parameters;
	readonly values: readonly unknown[];
}

/** Which calls wait for that of the least parameters, each by what is different in it. */
export interface Lane {
	readonly together: Readonly<Record<string, Parameters>>;
	readonly apart: Readonly<Record<string, Parameters>>;
}

/** How a body of the interface is made. */
export interface FromBody {
	/** The fields without which no parameters make it. */
	readonly required: readonly string[];
	readonly given: (body: Parameters) => Parameters;
}

/** What becomes of the service's answer to the least parameters. */
export interface Reply {
	/** Whether there is one item for each record of a list. */
	readonly list: boolean;
	/** What the node knows and the service may leave out. */
	readonly known: IDataObject;
	/** What stands whatever the service says. */
	readonly settled: IDataObject;
}

/** A record in the forms in which an operation gives it. */
export interface RecordForms {
	/** Its name in the interface. */
	readonly schema: keyof components['schemas'];
	/** The parameters for its simplified form, and for the record as it came. */
	readonly simplified: Parameters;
	readonly raw: Parameters;
	/** The fields of its simplified form, the most useful first. */
	readonly fields: readonly string[];
	/** Some fields of a record, and what they become. */
	readonly example: { readonly record: IDataObject; readonly gives: IDataObject };
}

/** One way to use an operation. */
export interface Scenario {
	readonly title: string;
	readonly prepare: (world: World) => Prepared | Promise<Prepared>;
}

/** A scenario with the ids of the sandbox filled in. */
export interface Prepared {
	/** Two input items. */
	readonly items: readonly IDataObject[];
	/** The node's parameters, its resource and operation aside. */
	readonly parameters: INodeParameters;
	/** The requests that the sandbox must receive, in any order. */
	readonly requests: readonly ExpectedRequest[];
	/** What must stand in the json of the output items (they may hold more), and what they are paired with. */
	readonly output: ReadonlyArray<{ readonly json: object; readonly pairedItem: object }>;
}

/** A request as it must arrive. */
export interface ExpectedRequest {
	readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	readonly path: string;
	readonly query?: Readonly<Record<string, string>>;
	/** Left out for a request without a body. */
	readonly body?: object;
}

/** A call of the node as a tool. */
export interface AgentCall {
	/** The node's parameters, with `fromAI` where the model chooses. */
	readonly parameters: INodeParameters;
	/** What the model chooses, by the names that `fromAI` gives. */
	readonly given: IDataObject;
	/** The request that this makes, such as `GET /api/v1/Me`. */
	readonly request: string;
}
