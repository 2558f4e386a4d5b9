import { randomUUID } from 'node:crypto';
import { getEventListeners } from 'node:events';

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { execute } from '../../../nodes/Messaging/execute.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import type { Operation } from '../../../nodes/Messaging/operations/operation.ts';
import { byId, ids } from '../../cases/values.mts';
import { fakeN8n, type FakeRequest, jsonResponse } from '../support/fake-n8n.mts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';
import { endsSoon } from '../../waiting.mts';
import { N8nStore } from './once/n8n-store.mts';

/** What differs from the previous try of an execution. */
interface Given {
	readonly options?: IDataObject;
	readonly cancel?: AbortSignal;
	readonly execution?: string;
	readonly continues?: boolean;
}

/** The service's answers to successive requests; then always a success. */
type Answer = (body: IDataObject) => Promise<object> | object;

const status = (statusCode: number, headers: Record<string, string> = {}) => ({
	...jsonResponse('{"title":"No"}'),
	statusCode,
	headers: { 'content-type': 'application/json', ...headers },
});

const lost = (): never => {
	throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
};

/** Where n8n resumes the executions. */
const $execution = { resumeUrl: 'https://n8n.example/webhook-waiting/1?signature=0f0f' };

let executions = 0;

/** An execution with these items, whose node can be tried again as n8n does it. */
function execution(name: string, items: IDataObject[], parameters: IDataObject = {}) {
	const [resource = '', operation = ''] = name.split('.');
	// A separate key, so that a pause requested in one test does not delay another.
	const apiKey = `acc_${String(++executions).padStart(16, '0')}`;
	const store = new N8nStore(systemClock);
	const answers: Answer[] = [];
	const bodies: IDataObject[] = [];
	const answer = async (request: FakeRequest): Promise<object> => {
		const body = JSON.parse(request.body ?? '{}') as IDataObject;
		bodies.push(body);
		return await (answers.shift() ?? (() => jsonResponse('{}')))(body);
	};
	const n8n = fakeN8n(answer, { apiKey });
	let { memory } = n8n;
	const contextOf = ({ options = {}, cancel, execution: id = '1', continues = true }: Given) => {
		const saved: IDataObject = { ...parameters, options: { keepToPlan: false, ...options } };
		const node = { id: 'node', name: 'Messaging', type: 'messaging', retryOnFail: true, parameters: saved };
		return {
			...n8n.context,
			getInputData: () => items.map((json) => ({ json })),
			getExecuteData: () => ({ data: { main: [items.map((json) => ({ json }))] } }),
			getWorkflowDataProxy: (item: number) => ({ $json: items[item], $runIndex: 0, $execution }),
			getNodeParameter: (field: string, _item: number, fallback: unknown) => saved[field] ?? fallback,
			continueOnFail: () => continues,
			getExecutionId: () => id,
			getExecutionCancelSignal: () => cancel,
			getContext: () => memory,
			putExecutionToWait: async () => {},
			getNode: () => node,
			getWorkflow: () => ({ id: `workflow ${executions}` }),
			helpers: { ...n8n.context.helpers, ...store.helpers() },
		} as unknown as IExecuteFunctions;
	};
	return {
		answers,
		bodies,
		/** Lets n8n run the node. */
		run: async (given: Given = {}): Promise<INodeExecutionData[]> => {
			const found = findOperation(resource, operation) as Operation;
			const [made = []] = await execute(contextOf(given), found);
			return made;
		},
		/** Begins another execution, with the same store of once keys. Returns a way back to this one. */
		anew: () => {
			const before = memory;
			memory = {};
			return () => (memory = before);
		},
		/** Saves and loads the execution's data, as n8n does before a retry. */
		reload: () => {
			memory = JSON.parse(JSON.stringify(memory)) as IDataObject;
		},
	};
}

const LETTER = { channelId: byId(ids.channel), toEmail: 'a@example.com', text: 'Hello' };

const sending = (count: number) => {
	const items = Array.from({ length: count }, (_, n) => ({ n }));
	return execution('message.send', items, LETTER);
};

const error = (item: INodeExecutionData | undefined) => item?.json['error'] as IDataObject | undefined;

const outcomes = (items: INodeExecutionData[]) => items.map((item) => error(item)?.['outcome'] ?? 'done');

/** An execution of which one of two messages has failed, and its retry, which waits for the answer to that one. */
async function retryUnderWay() {
	const made = sending(2);
	made.answers.push(() => status(422));
	expect(outcomes(await made.run())).toEqual(['rejected', 'done']);
	made.reload();
	const answered = Promise.withResolvers<object>();
	made.answers.push(async () => await answered.promise);
	return { ...made, answered, first: made.run({ execution: '2' }) };
}

describe('a run that is cancelled', () => {
	test('with nothing in flight: it fails, so that n8n retries this node and not the next one', async () => {
		const { answers, run } = sending(2);
		const controller = new AbortController();
		answers.push(() => {
			// The service asks for a pause, and the run waits for it.
			setTimeout(() => controller.abort(), 10);
			return status(429, { 'retry-after': '60' });
		});
		const ended = endsSoon(run({ continues: false, cancel: controller.signal }), 'The run');
		await expect(ended).rejects.toThrow(/was not sent|stopped/);
	});

	test('before the first request: it fails too', async () => {
		const { bodies, run } = sending(2);
		const controller = new AbortController();
		controller.abort();
		await expect(run({ continues: false, cancel: controller.signal })).rejects.toThrow(/was not sent/);
		expect(bodies).toEqual([]);
	});

	test('while it waits for another retry: the other retry goes on, and then nothing is sent', async () => {
		const { answered, bodies, first, run } = await retryUnderWay();
		const controller = new AbortController();
		const second = run({ execution: '3', cancel: controller.signal });
		await new Promise((resolve) => setTimeout(resolve, 10));
		controller.abort();
		answered.resolve(status(422));
		expect(outcomes(await first)).toEqual(['rejected', 'done']);
		await endsSoon(second, 'The run that was cancelled');
		expect(bodies).toHaveLength(3);
	});
});

describe('a message in doubt under its once key', () => {
	/** An execution that has left the only message in doubt, and one that comes after it. */
	async function inDoubt(items = 1) {
		const one = sending(items);
		const run = async (whenUnknown = 'hold', cancel = new AbortController().signal) => {
			one.anew();
			const options = { onceKey: 'order 1', whenUnknown, maxTries: 1 };
			return await one.run({ cancel, options, execution: randomUUID() });
		};
		one.answers.push(lost);
		const ends = outcomes(await run());
		return { ...one, ends, run };
	}

	test('stays in doubt, and so does the key, if it is sent again by choice and then refused', async () => {
		const { answers, bodies, run } = await inDoubt();
		answers.push(() => status(422));
		expect(outcomes(await run('sendAgain'))).toEqual(['unknown']);
		expect(outcomes(await run())).toEqual(['unknown']);
		expect(bodies).toHaveLength(2);
	});

	test('is sent again by choice also on a channel that keeps a gap between its calls', async () => {
		const { answers, bodies, run } = await inDoubt();
		const page = () => ({ ...status(503), headers: { 'content-type': 'text/html' }, body: '<html></html>' });
		answers.push(page, page);
		for (let n = 0; n < 2; n++) expect(outcomes(await run('sendAgain'))).toEqual(['unknown']);
		expect(outcomes(await endsSoon(run('sendAgain'), 'sending it'))).toEqual(['done']);
		expect(bodies).toHaveLength(4);
	}, 30_000);

	test('that counts as sent is sent for later executions too', async () => {
		const { bodies, run } = await inDoubt();
		expect(outcomes(await run('countAsSent'))).toEqual(['done']);
		expect(outcomes(await run())).toEqual(['done']);
		expect(bodies).toHaveLength(1);
	});

	test('is done in a retry that would hold it, if another execution has sent it since then', async () => {
		const { anew, answers, bodies, run } = sending(1);
		answers.push(lost);
		const options = { onceKey: 'order 1' };
		expect(outcomes(await run({ options }))).toEqual(['unknown']);
		const goBack = anew();
		expect(
			outcomes(await run({ execution: '2', options: { ...options, whenUnknown: 'sendAgain' } })),
		).toEqual(['done']);
		goBack();
		expect(outcomes(await run({ execution: '3', options }))).toEqual(['done']);
		expect(bodies).toHaveLength(2);
	});

	test('is held back at once: another item of the run with the same key does not wait for it', async () => {
		const { bodies, ends, run } = await inDoubt(2);
		expect(ends).toEqual(['unknown', 'unknown']);
		const tooLong = AbortSignal.timeout(5000);
		expect(outcomes(await run('hold', tooLong))).toEqual(['unknown', 'unknown']);
		expect(tooLong.aborted).toBe(false);
		expect(bodies).toHaveLength(1);
	});
});

test('what an earlier try has sent stays done, even if its once key can no longer be read', async () => {
	const { answers, reload, run } = sending(2);
	answers.push(() => status(422));
	expect(outcomes(await run({ options: { onceKey: 'order 1' } }))).toEqual(['rejected', 'done']);
	reload();
	expect(outcomes(await run({ options: { onceKey: '' }, execution: '2' }))).toEqual(['unsent', 'done']);
});

test('a message in doubt that is to be sent again by choice, and does not start, has failed now', async () => {
	const { answers, reload, run } = sending(4);
	const refused = Array.from({ length: 3 }, () => () => status(422));
	answers.push(...refused, lost);
	const options = { maxConcurrency: 1, maxTries: 1 };
	expect(outcomes(await run({ options }))).toEqual(['rejected', 'rejected', 'rejected', 'unknown']);
	reload();
	answers.push(...Array.from({ length: 3 }, () => () => status(401)));
	const ended = await run({ options: { ...options, whenUnknown: 'sendAgain' }, execution: '2' });
	expect(error(ended[3])).toMatchObject({
		outcome: 'unknown',
		message: expect.stringMatching(/^Failed now.*no longer accepts the key/) as string,
	});
});

test('another message under a used key is refused in a retry as in the first try', async () => {
	const items = ['order 0', 'order 1', 'order 1'].map((key, n) => ({ key, text: `Letter ${n}` }));
	const { answers, reload, run } = execution('message.send', items, { ...LETTER, text: '={{ $json.text }}' });
	const options = { onceKey: '={{ $json.key }}' };
	answers.push(() => status(422));
	expect(outcomes(await run({ options }))).toEqual(['rejected', 'done', 'unsent']);
	reload();
	expect(outcomes(await run({ options, execution: '2' }))).toEqual(['done', 'done', 'unsent']);
});

test('of two retries at once, the second waits for the first, and has its results without sending', async () => {
	const { answered, bodies, first, reload, run } = await retryUnderWay();
	await new Promise((resolve) => setTimeout(resolve, 10));
	reload();
	const second = run({ execution: '3' });
	await new Promise((resolve) => setTimeout(resolve, 10));
	answered.resolve(jsonResponse('{}'));
	for (const retry of [first, second]) expect(outcomes(await retry)).toEqual(['done', 'done']);
	expect(bodies).toHaveLength(3);
});

test('a run that has ended listens to its execution no longer', async () => {
	const { signal } = new AbortController();
	await sending(2).run({ cancel: signal });
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('an item that contains itself is sent too, and a retry does not send it again', async () => {
	const itself: IDataObject = { n: 0 };
	itself['itself'] = itself;
	const { answers, bodies, reload, run } = execution('message.send', [{ n: 1 }, itself], LETTER);
	answers.push(() => status(422));
	expect(outcomes(await run())).toEqual(['rejected', 'done']);
	reload();
	expect(outcomes(await run({ execution: '2' }))).toEqual(['done', 'done']);
	expect(bodies).toHaveLength(3);
});

test('a message whose key another execution holds for too long is held back, whatever the user chose', async () => {
	const { anew, answers, bodies, run } = sending(1);
	const answered = Promise.withResolvers<object>();
	answers.push(async () => await answered.promise);
	const first = run({ options: { onceKey: 'order' } });
	await new Promise((resolve) => setTimeout(resolve, 10));
	anew();
	const options = { onceKey: 'order', maxWait: 0, whenUnknown: 'sendAgain' };
	const [item] = await run({ options, execution: '2' });
	expect(error(item)).toMatchObject({
		outcome: 'unknown',
		description: expect.stringMatching(/another execution is sending now/) as string,
	});
	answered.resolve(jsonResponse('{}'));
	expect(outcomes(await first)).toEqual(['done']);
	expect(bodies).toHaveLength(1);
});

test('a refused message gives its key back until it is tried again: another execution may send it meanwhile', async () => {
	const parameters: IDataObject = { ...LETTER };
	const { anew, answers, bodies, run } = execution('message.send', [{}], parameters);
	answers.push(() => status(429, { 'retry-after': '1' }));
	const options = { onceKey: 'order' };
	const refused = run({ options });
	while (bodies.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
	anew();
	parameters.channelId = byId(ids.entry);
	expect(outcomes(await run({ options, execution: '2' }))).toEqual(['done']);
	expect((await refused)[0]?.json).toMatchObject({ alreadySent: true, onceKey: 'order' });
	expect(bodies.map(({ channelId }) => channelId)).toEqual([ids.channel, ids.entry]);
});

test('the link to a question is not shown if the service repeats it', async () => {
	const { text: message, ...rest } = LETTER;
	const parameters = { ...rest, message };
	const { answers, run } = execution('message.sendAndWait', [{}], parameters);
	answers.push((body) => ({ ...status(422), body: JSON.stringify({ title: JSON.stringify(body) }) }));
	const [item] = await run();
	expect(error(item)?.['message']).toContain('signature=…');
	expect(JSON.stringify(item)).not.toContain('0f0f');
});

test('a list that is not whole fills in nothing', async () => {
	const parameters = { channelId: byId(ids.channel), entryIds: ids.entry };
	const { answers, bodies, run } = execution('outbox.requeue', [{}], parameters);
	answers.push(() => ({ ...status(200, { 'x-total-count': '2' }), body: '[{}]' }));
	const [item] = await run();
	expect(error(item)).toMatchObject({
		outcome: 'unsent',
		message: expect.stringContaining('1 of 2') as string,
	});
	expect(bodies).toHaveLength(1);
});

test('a read that is refused after a request without an answer is rejected: reads leave nothing in doubt', async () => {
	const { answers, run } = execution('channel.getAll', [{}]);
	answers.push(
		() => status(502),
		() => status(404),
	);
	expect(outcomes(await run({ options: { maxTries: 2 } }))).toEqual(['rejected']);
});

test('a question that counts as sent fails if a retry finds that its link no longer works', async () => {
	const { answers, reload, run } = execution('message.sendAndWait', [{}], {
		channelId: byId(ids.channel),
		toEmail: 'a@example.com',
		message: 'Well?',
	});
	answers.push(lost);
	await run({ execution: '1' });
	reload();
	const [item] = await run({ execution: '2', options: { whenUnknown: 'countAsSent' } });
	expect(error(item)).toMatchObject({
		outcome: 'unsent',
		message: expect.stringContaining('Nobody was asked'),
	});
});
