/** What an operation does, from a real run. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { readWorld } from '../../dev/harness/world.mts';
import { itemOfAnswer } from '../../nodes/Messaging/question/answer.ts';
import type { AskedQuestion } from '../../nodes/Messaging/question/asked.ts';
import type { LoggedRequest } from '../../dev/sandbox/types.mts';
import { cases, endpointIdOf, type OperationId } from '../cases/index.mts';
import type { Lab } from '../engine/lab.mts';
import type { Run } from '../engine/run.mts';

/** An operation as it ran. */
export interface Example {
	parameters: INodeParameters;
	input: IDataObject[];
	requests: Array<{ method: string; path: string; query: object; body: unknown }>;
	output: IDataObject[];
}

/** The same of the trigger, for a channel that drops. */
export async function triggerRecordOf(lab: Lab) {
	const parameters = { events: ['channelDisconnected'] };
	const poll = await lab.engine.activate(parameters, lab.credential);
	await poll();
	await lab.client.clearRequests();
	await lab.client.changeChannel(lab.channelId('Support E-mail'), { isConnected: false });
	const [items = []] = (await poll()) ?? [];
	const output = items.map(({ json }) => json);
	const example: Example = { parameters, input: [], requests: requestsIn(await lab.requests()), output };
	return { example, known: JSON.stringify(lab.state) };
}

/**
 * Runs an operation as its page shows it. Returns the example, and a text with all ids and times in it that are the same
 * in every run.
 */
export async function recordOf(id: OperationId, lab: Lab) {
	const [{ title, prepare }] = cases[id].scenarios;
	const { items, parameters } = await prepare(await readWorld(lab.client, lab));
	const input = items.slice(0, 1);
	const [resource = '', operation = ''] = id.split('.');
	const run = await lab.execute({ resource, operation, ...parameters }, { items: input });
	const waits = cases[id].traits.includes('waits');
	if (run.status !== (waits ? 'waiting' : 'success'))
		throw new Error(`${id}, ${title}: ${run.error?.message}`);
	const requests = requestsIn(await lab.requestsOf(endpointIdOf(id)));
	const example: Example = { parameters, input, requests, output: waits ? approvals(run) : run.json };
	return { example, known: JSON.stringify([lab.state, parameters, input]) };
}

/** The output after an approval. */
function approvals(run: Run): IDataObject[] {
	const { questions } = run.context?.['unifiedMessagingQuestions'] as { questions: Record<string, string> };
	return Object.values(questions).map(
		(text) => itemOfAnswer(JSON.parse(text) as AskedQuestion, { approved: true }).json,
	);
}

function requestsIn(logged: LoggedRequest[]): Example['requests'] {
	return logged.map(({ method, path, query, body }) => ({ method, path, query, body }));
}
