import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { addKey } from '../../../credentials/api-key';
import { ask, serviceOf } from '../service/connect';
import { adviceOn, isFailure } from '../service/endings';
import { failureOfForeignReply } from '../service/failure';
import { isCaller, ME } from '../service/plan';
import type { FullResponse } from '../service/transport';
import { shown } from '../shared/shown';
import { asSentence, capital } from '../shared/text';

/** How long the dialog waits for the answer, in milliseconds. */
const TEST_TIMEOUT_MS = 10_000;

/**
 * Tests a credential by asking the service who the key is: GET /api/v1/Me. Problems are worded as by the running node.
 *
 * @returns what the dialog shows; never contains the key
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const service = serviceOf(data, async (options) => await requestIn(this, await addKey(data, options)));
	const reply = isFailure(service) ? service : await ask(service, ME, { timeoutMs: TEST_TIMEOUT_MS });
	// Some gateways answer with an empty 2xx, or with a text, where nothing is.
	const result = isFailure(reply) || isCaller(reply.body) ? reply : failureOfForeignReply(reply, ME);
	if (!isFailure(result)) return { status: 'OK', message: 'Connection successful!' };
	const { message, description } = shown({ message: result.message, description: adviceOn(result) });
	return { status: 'Error', message: `${asSentence(capital(message))} ${description}` };
}

/** Makes a request like a running node, with the only function that n8n offers to a test. */
async function requestIn(
	context: ICredentialTestFunctions,
	{ method = 'GET', url, headers = {}, timeout = TEST_TIMEOUT_MS }: IHttpRequestOptions,
): Promise<FullResponse> {
	const answer: unknown = await context.helpers.request({
		method,
		uri: url,
		headers,
		timeout,
		followRedirect: false,
		useStream: true,
		resolveWithFullResponse: true,
		simple: false,
	});
	return answer as FullResponse;
}
