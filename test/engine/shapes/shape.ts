/** What a shape of request is, and what several of them share. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Lab } from '../lab.ts';

/** A request as it must arrive. */
export interface ExpectedRequest {
	method: string;
	path: string;
	query?: Record<string, string>;
	/** Undefined for a request without a body. */
	body: unknown;
}

/** One shape, prepared for the sandbox's present state. */
export interface PreparedShape {
	items: IDataObject[];
	parameters: INodeParameters;
	requests: ExpectedRequest[];
	/** The output items, in order. */
	output: INodeExecutionData[];
}

/** One shape of request. */
export interface Shape {
	title: string;
	/** The operation as the interface description names it. */
	operationId: string;
	prepare: (lab: Lab) => PreparedShape | Promise<PreparedShape>;
}

/** Matches any UUID, in lower case as the node and the sandbox make them. */
export const anyUuid: unknown = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/** Whom messages go to, and what they say. */
export const people = [
	{ email: 'ada@example.com', text: 'Hello Ada – “ünïcödé” 🙂' },
	{ email: 'grace@example.com', text: 'Hello Grace\nsecond line' },
];

/** Output items with these contents, each paired with its input item. */
export function output(...jsons: unknown[]): INodeExecutionData[] {
	return jsons.map((json, item) => ({ json: json as IDataObject, pairedItem: { item } }));
}

/** The organization that a channel belongs to. */
export function organizationOf(lab: Lab, channelId: string): string {
	return lab.state.channels.find((channel) => channel.channelId === channelId)?.organizationId ?? '';
}
