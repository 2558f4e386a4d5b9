/** What an operation does: an example, what it refuses, and its errors, each from a real run. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { endpointOf } from '../../api/interface.ts';
import { readWorld } from '../../harness/world.ts';
import { itemOfAnswer } from '../../nodes/Messaging/question/answer.ts';
import type { AskedQuestion } from '../../nodes/Messaging/question/asked.ts';
import type { FaultRule } from '../../sandbox/types.ts';
import { cases, endpointIdOf, type OperationId, type Scenario } from '../cases/index.ts';
import { errorOf, type ItemError, type Lab } from '../engine/lab.ts';
import type { Run } from '../engine/run.ts';
import { refusals } from '../engine/refusals.ts';

/** One way to use an operation, as it ran. */
export interface Example {
	title: string;
	parameters: INodeParameters;
	input: IDataObject[];
	requests: Array<{ method: string; path: string; query: object; body: unknown }>;
	output: IDataObject[];
}

/** A value that the operation does not take, and what it says to it. */
export interface Refused {
	field: string;
	value: string;
	error: ItemError;
}

/** Something that goes wrong on the way, and what the user gets. */
export interface Failed {
	situation: string;
	/** Whether the call was made once more. */
	isRepeated: boolean;
	error: ItemError;
}

/** What the trigger tells of a channel that drops. */
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
		const example = { title: 'A channel drops', parameters, input: [], requests, output };
		return { example, known: JSON.stringify(lab.state) };
	} finally {
		await active.deactivate();
	}
}

/** Goes through a step, with a sandbox as it was at the beginning. */
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

/** Everything that is shown of an operation. */
export interface OperationRecord {
	example: Example;
	refused: Refused[];
	failed: Failed[];
	/** A text with every id and moment of it that is the same in each run. */
	known: string;
}

/** Runs an operation for its page. */
export async function recordOf(id: OperationId, lab: Lab): Promise<OperationRecord> {
	const states: unknown[] = [];
	const anew: Anew = async (step) => {
		await lab.reset();
		states.push(lab.state);
		return await step();
	};
	const example = await anew(() => exampleOf(id, cases[id].scenarios[0], lab));

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
		// Whoever may have got a question may answer it: there it waits.
		const isRefusal = fault.kind === 'status' && fault.status === 400;
		if (cases[id].traits.includes('waits') && !isRefusal) continue;
		failed.push(await anew(() => failureOf(id, situation, fault, lab)));
	}
	const given = [example.parameters, example.input];
	return { example, refused, failed, known: JSON.stringify([states, given, refused]) };
}

async function exampleOf(id: OperationId, { title, prepare }: Scenario, lab: Lab): Promise<Example> {
	const { items, parameters } = await prepare(await readWorld(lab.client, lab));
	const input = cases[id].traits.includes('shares calls') ? [...items] : items.slice(0, 1);
	const run = await lab.execute({ ...namesOf(id), ...parameters }, { items: input });
	const waits = cases[id].traits.includes('waits');
	if (run.status !== (waits ? 'waiting' : 'success'))
		throw new Error(`${id}, ${title}: ${run.error?.message}`);
	return {
		title: title.charAt(0).toUpperCase() + title.slice(1),
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

/** What comes out once somebody approves. */
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
