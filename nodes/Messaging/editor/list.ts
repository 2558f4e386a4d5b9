import { type ILoadOptionsFunctions, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { isPlainObject, type JsonObject } from '../fields/values';
import type { ApiCall } from '../service/api-call';
import { ask, connect, isFailure } from '../service/connect';
import type { Failure } from '../service/failure';

/** How long the editor waits for a list, in milliseconds. */
const TIMEOUT_MS = 15_000;

/**
 * The records of a list operation, for a menu in the editor.
 *
 * @throws NodeApiError with the reason and the way out when the list can't be read
 */
export async function listRecords(context: ILoadOptionsFunctions, call: ApiCall): Promise<JsonObject[]> {
	const service = await connect(context);
	const result = isFailure(service) ? service : await ask(service, call, { timeoutMs: TIMEOUT_MS });
	if (isFailure(result)) throw editorError(context, result);
	return Array.isArray(result.body) ? result.body.filter(isPlainObject) : [];
}

function editorError(
	context: ILoadOptionsFunctions,
	{ message, description, statusCode, problem }: Failure,
): Error {
	// The editor shows only the message under a list: the way out belongs in it.
	const options = { message: `${message.replace(/\.?$/, '.')} ${description}`, description };
	return statusCode === null
		? new NodeOperationError(context.getNode(), options.message, options)
		: new NodeApiError(context.getNode(), problem === null ? {} : JSON.parse(JSON.stringify(problem)), {
				...options,
				httpCode: String(statusCode),
			});
}
