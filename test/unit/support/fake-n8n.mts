import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';

/** A service's answer as n8n passes it on. */
export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, string>;
	body: string;
}

/** A success with this JSON text. */
export function jsonResponse(body: string): ServiceResponse {
	return { statusCode: 200, headers: { 'content-type': 'application/json' }, body };
}

/** The contents of an execution. */
export interface FakeExecution {
	/** The number of input items. */
	items?: number;
	/** The parameters that differ from the node's defaults. */
	parameters?: IDataObject;
	apiKey?: string;
	/** The Base URL in the credential. */
	baseUrl?: string;
}

/** A request that n8n makes for the node. */
export interface FakeRequest {
	method: string;
	url: string;
	headers: Record<string, string>;
	body: string;
}

/**
 * An n8n that runs nothing and provides what a node asks for.
 *
 * @param answer the service's answer to every request, or how it answers all but those for the key's plan
 */
export function fakeN8n(
	answer: ServiceResponse | ((request: FakeRequest) => Promise<object> | object),
	{
		items = 1,
		parameters = {},
		apiKey = 'acc_0123456789abcdef',
		baseUrl = 'https://service.example',
	}: FakeExecution = {},
) {
	/** The URLs of the requests, without those for the key's plan. */
	const sent: string[] = [];
	const memory: IDataObject = {};
	const context = {
		getInputData: () => Array.from({ length: items }, (_, n) => ({ json: { n } })),
		getNodeParameter: (name: string, _item: number, fallback: unknown) => parameters[name] ?? fallback,
		continueOnFail: () => true,
		getCredentials: () => Promise.resolve({ baseUrl, apiKey }),
		getContext: () => memory,
		getWorkflowStaticData: () => memory,
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getExecutionId: () => '1',
		getExecutionCancelSignal: () => undefined,
		getNode: () => ({ name: 'Messaging', type: 'messaging', parameters }),
		getWorkflow: () => ({ id: 'w' }),
		getMode: () => 'trigger',
		getTimezone: () => 'UTC',
		addExecutionHints: () => {},
		logger: { info: () => {} },
		helpers: {
			httpRequestWithAuthentication: async (_credential: string, request: FakeRequest) => {
				const isMe = request.url.endsWith('/Me');
				if (!isMe) sent.push(request.url);
				if (typeof answer === 'object') return { ...answer, headers: { ...answer.headers } };
				return isMe ? jsonResponse('{}') : await answer(request);
			},
		},
	};
	return { context: context as unknown as IExecuteFunctions, sent, memory };
}

/** A node for errors to name as their source. */
export const sendingNode: INode = {
	id: 'n',
	name: 'Send',
	type: 'messaging',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
