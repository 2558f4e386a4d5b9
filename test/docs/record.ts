/** What an operation does, from real runs: an example, refused values, and failures. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { endpointOf } from '../../api/interface.ts';
import { readWorld } from '../../dev/harness/world.ts';
import { itemOfAnswer } from '../../nodes/Messaging/question/answer.ts';
import type { AskedQuestion } from '../../nodes/Messaging/question/asked.ts';
import type { FaultRule } from '../../dev/sandbox/types.ts';
import { cases, endpointIdOf, type OperationId, type Scenario } from '../cases/index.ts';
import { errorOf, type ItemError, type Lab } from '../engine/lab.ts';
import type { Run } from '../engine/run.ts';
import { refusals } from '../engine/refusals.ts';

/** An operation as it ran. */
export interface Example {
	parameters: INodeParameters;
	input: IDataObject[];
	requests: Array<{ method: string; path: string; query: object; body: unknown }>;
	output: IDataObject[];
}

/** A value that the operation refuses, and its error. */
export interface Refused {
	field: string;
	value: string;
	error: ItemError;
}

/** A fault, and the error that the user gets. */
export interface Failed {
	situation: string;
	/** Whether the call was repeated. */
	isRepeated: boolean;
	error: ItemError;
}

/** The trigger's output for a channel that drops. */
export async function triggerRecordOf(lab: Lab): Promise<{ example: Example; known: string }> {
	const parameters = { events: ['channelDisconnected'] };
	const active = await lab.engine.activate({ parameters, credential: lab.credential });
	try {
		await active.poll();
		await lab.client.clearRequests();
		await lab.client.changeChannel(lab.channelId('Support E-mail'), { isConnected: false });
		const [items = []] = (await active.poll()).output ?? [];
		const requests = (await lab.requests()).map(({ method, path, query, body }) => ({
			method,
			path,
			query,
			body,
		}));
		const output = items.map(({ json }) => json);
		const example = { parameters, input: [], requests, output };
		return { example, known: JSON.stringify(lab.state) };
	} finally {
		await active.deactivate();
	}
}

/** Runs a step with the sandbox in its initial state. */
type Anew = <T>(step: () => Promise<T>) => Promise<T>;

/** The failures that each page shows, as the sandbox makes them. */
const FAILURES: ReadonlyArray<readonly [situation: string, fault: FaultRule]> = [
	[
		'The service says no',
		{
			kind: 'status',
			status: 400,
			body: { title: 'Bad Request', status: 400, detail: 'This is what the service has to say.' },
		},
	],
	['The service fails', { kind: 'status', status: 500, body: null }],
	['The connection breaks before the answer is there', { kind: 'lostResponse' }],
];

/** Everything that an operation's page shows. */
export interface OperationRecord {
	example: Example;
	refused: Refused[];
	failed: Failed[];
	/** A text with all ids and times that are the same in every run. */
	known: string;
}

/** Runs an operation as its page shows it: one example, its refusals and failures. */
export async function recordOf(id: OperationId, lab: Lab): Promise<OperationRecord> {
	const states: unknown[] = [];
	const anew: Anew = async (step) => {
		await lab.reset();
		states.push(lab.state);
		return await step();
	};
	const [first] = cases[id].scenarios;
	const example = await anew(() => exampleOf(id, first, lab));

	const refused: Refused[] = [];
	const fields = new Set<string>();
	for (const { field, values, parameters } of refusals.filter((refusal) => refusal.id === id)) {
		if (fields.has(field)) continue;
		fields.add(field);
		const [value] = values;
		const run = await lab.execute(parameters, { items: [{ value: value as string }], ...goOn });
		const shown = typeof value === 'string' ? value : JSON.stringify(value);
		refused.push({ field, value: shown, error: errorOf(run.main[0][0]) });
	}

	const failed: Failed[] = [];
	for (const [situation, fault] of FAILURES) {
		// A question that may have arrived can be answered, so the operation waits instead of failing.
		const isRefusal = fault.kind === 'status' && fault.status === 400;
		if (cases[id].traits.includes('waits') && !isRefusal) continue;
		failed.push(await anew(() => failureOf(id, situation, fault, lab)));
	}
	const { parameters, input } = example;
	return { example, refused, failed, known: JSON.stringify([states, parameters, input, refused]) };
}

async function exampleOf(id: OperationId, { title, prepare }: Scenario, lab: Lab): Promise<Example> {
	const { items, parameters } = await prepare(await readWorld(lab.client, lab));
	const input = cases[id].traits.includes('shares calls') ? [...items] : items.slice(0, 1);
	const run = await lab.execute({ ...namesOf(id), ...parameters }, { items: input });
	const waits = cases[id].traits.includes('waits');
	if (run.status !== (waits ? 'waiting' : 'success'))
		throw new Error(`${id}, ${title}: ${run.error?.message}`);
	return {
		parameters,
		input,
		requests: (await lab.requestsOf(endpointIdOf(id))).map(({ method, path, query, body }) => ({
			method,
			path,
			query,
			body,
		})),
		output: waits ? approvals(run) : run.json,
	};
}

/** The output after an approval. */
function approvals(run: Run): IDataObject[] {
	const { questions } = run.context?.['unifiedMessagingQuestions'] as { questions: Record<string, string> };
	return Object.values(questions).map(
		(text) => itemOfAnswer(JSON.parse(text) as AskedQuestion, { approved: true }).json,
	);
}

async function failureOf(id: OperationId, situation: string, fault: FaultRule, lab: Lab): Promise<Failed> {
	const [{ prepare }] = cases[id].scenarios;
	const { items, parameters } = await prepare(await readWorld(lab.client, lab));
	const { method, template } = endpointOf(endpointIdOf(id));
	const path = `${template.replace(/\{\w+\}/g, '[^/]+')}$`;
	await lab.client.setFaults([{ ...fault, method: method as 'GET', path }]);
	const options = { ...(parameters['options'] as INodeParameters | undefined), maxTries: 2, maxWait: 2 };
	const input = { items: items.slice(0, 1), ...goOn };
	const run = await lab.execute({ ...namesOf(id), ...parameters, options }, input);
	const sent = (await lab.requests()).filter(({ operationId }) => operationId === endpointIdOf(id));
	return { situation, isRepeated: sent.length > 1, error: errorOf(run.main[0][0]) };
}

const goOn = { settings: { onError: 'continueRegularOutput' } } as const;

function namesOf(id: OperationId): { resource: string; operation: string } {
	const [resource = '', operation = ''] = id.split('.');
	return { resource, operation };
}
