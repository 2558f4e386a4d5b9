/** What the tests know about an operation. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { components, operations } from '../../api/schema.d.ts';
import type { World } from '../../dev/harness/world.mts';
import type { ApiCall } from '../../nodes/Messaging/service/api-call.ts';

/** An operation of the node, `<resource>.<operation>`. */
export type OperationId =
	| EndpointId
	| 'message.preview'
	| 'message.reply'
	| 'message.sendAndWait'
	| 'service.request';

/** An operation of the API; the node has one of the same name for each. */
export type EndpointId = keyof operations;

/** One item's parameters by name. */
export type Parameters = Record<string, unknown>;

/** Everything that the unit, engine and end-to-end tests know about one operation. */
export interface OperationCase {
	/** The API operation whose endpoint it calls, if the name differs. */
	readonly endpoint?: EndpointId;
	/** The minimal parameters. The samples below are added to them. */
	readonly least: Sample;
	/** All parameters that its call can carry. */
	readonly most: Sample;
	/** The parameters that may not be empty. */
	readonly required: readonly string[];
	/** The values that it refuses before a request is sent. */
	readonly refused: readonly Refusal[];
	/** Which calls are sent in order, one after the other; null if order does not matter. */
	readonly lane: Lane | null;
	/** Parameters and the request body that they give; null for an operation without a body. */
	readonly fromBody: FromBody | null;
	readonly reply: Reply;
	/** The record that it returns, if the output can be simplified. */
	readonly record: RecordForms | null;
	readonly traits: readonly Trait[];
	/** Requests and output, each for two items against the sandbox. */
	readonly scenarios: readonly [Scenario, ...Scenario[]];
}

/** Properties that only a few operations have. */
export type Trait =
	/** Calls what the user enters, so that nothing is known of its request and its answer. Not for tools. */
	| 'any endpoint'
	/** Shows its call in place of making it. Not for tools. */
	| 'makes no call'
	/** Shows the token of an API key on request. */
	| 'shows a token'
	/** Sends another request before its own call. */
	| 'asks first'
	/** Puts the execution to wait; the output is then a person's answer. */
	| 'waits';

/** Parameters, and the exact call that they make. */
export interface Sample {
	readonly given: Parameters;
	readonly call: ApiCall;
}

export interface Refusal {
	/** The field as named in the error. */
	readonly field: string;
	/** The parameters that hold a value in this field. */
	readonly at: (value: unknown) => Parameters;
	readonly values: readonly unknown[];
}

/** Calls that wait for the minimal one (`together`) and calls that don't (`apart`), as differing parameters. */
export interface Lane {
	readonly together: Readonly<Record<string, Parameters>>;
	readonly apart: Readonly<Record<string, Parameters>>;
}

/** How a request body of the API is made. */
export interface FromBody {
	/** Required fields: without them no parameters give this body. */
	readonly required: readonly string[];
	readonly given: (body: Parameters) => Parameters;
	/** Whether the operation takes the parameters of this body; without it, those of all. */
	readonly isTaken?: (body: Parameters) => boolean;
}

/** The output for the service's answer to the minimal parameters. */
export interface Reply {
	/** Whether each record of a list becomes an item. */
	readonly list: boolean;
	/** Fields that the node fills in when the service leaves them out. */
	readonly ownFields: IDataObject;
	/** Fields that the node sets whatever the service answers. */
	readonly settled: IDataObject;
}

/** A record in the forms in which an operation can return it. */
export interface RecordForms {
	/** The schema's name in the API. */
	readonly schema: keyof components['schemas'];
	/** The parameters for the simplified form, and for the full record. */
	readonly simplified: Parameters;
	readonly raw: Parameters;
	/** The fields of the simplified form, the most useful first. */
	readonly fields: readonly string[];
	/** Selected fields of a record, and the expected output. */
	readonly example: { readonly record: IDataObject; readonly gives: IDataObject };
}

/** One way to use an operation. */
export interface Scenario {
	readonly title: string;
	readonly prepare: (world: World) => Prepared | Promise<Prepared>;
}

/** A scenario with the ids of the sandbox filled in. */
export interface Prepared {
	readonly items: readonly IDataObject[];
	/** The node's parameters without resource and operation. */
	readonly parameters: INodeParameters;
	/** The requests that the sandbox must receive, in any order. */
	readonly requests: readonly ExpectedRequest[];
	/** What the json of the output items must contain (more is allowed), and the items' pairing. */
	readonly output: ReadonlyArray<{ readonly json: object; readonly pairedItem: object }>;
}

/** An expected request. */
export interface ExpectedRequest {
	readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	readonly path: string;
	readonly query?: Readonly<Record<string, string>>;
	/** Missing for a request without a body. */
	readonly body?: object;
}
