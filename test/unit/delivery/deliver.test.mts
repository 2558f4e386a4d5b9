import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { prepare, type Run } from '../../../nodes/Messaging/delivery/run.ts';
import type { Job } from '../../../nodes/Messaging/delivery/items.ts';
import { Ledger } from '../../../nodes/Messaging/delivery/ledger.ts';
import { execute } from '../../../nodes/Messaging/execute.ts';
import { optionsField, sendOnce, whenUnknown } from '../../../nodes/Messaging/fields/options.ts';
import {
	type CompiledCall,
	defineOperation,
	type Operation,
} from '../../../nodes/Messaging/operations/operation.ts';
import { InvalidParameter } from '../../../nodes/Messaging/input/invalid-parameter.ts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.mts';
import { systemClock } from '../../../nodes/Messaging/shared/clock.ts';
import { N8nStore } from './once/n8n-store.mts';
import { STANDARD } from './run.mts';

let services = 0;

/**
 * An n8n with this many items, and a service that always gives the same answer. Each test has its own service, so
 * that one test's failures do not delay the next.
 */
const n8n = (items: number, body: unknown) => answering(items, () => jsonResponse(JSON.stringify(body)));

/** The same with a service that answers like this. */
const answering = (items: number, answer: () => object) => {
	services += 1;
	return fakeN8n(answer, { items, baseUrl: `https://service-${services}.example` });
};

const lost = (): never => {
	throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
};

/** An operation that makes this call for every item. */
function operation(given: Partial<CompiledCall> = {}, entry: Partial<Operation> = {}): Operation {
	return {
		resource: 'message',
		name: 'send',
		displayName: 'Send',
		action: 'Send',
		description: '',
		effect: 'sends',
		fields: [optionsField([whenUnknown])],
		compile: () => ({
			call: { method: 'POST', path: '/x', body: {} },
			output: (body) => [{ body: body as IDataObject }],
			...given,
		}),
		...entry,
	};
}

const outcomes = ([items = []]: INodeExecutionData[][]) =>
	items.map(({ json }) => (json.error as IDataObject | undefined)?.outcome ?? 'done');

function fail(): never {
	throw new TypeError('x is undefined');
}

describe('if something in a run throws, every item still gets a true outcome', () => {
	test('an output that throws: the item is unknown, and its call is not repeated', async () => {
		const { context, sent, memory } = n8n(2, {});
		Object.assign(context, { getNode: () => ({ type: 'messaging', retryOnFail: true, parameters: {} }) });
		const failing = operation({ output: fail });
		const [items = []] = await execute(context, failing);
		expect(outcomes([items])).toEqual(['unknown', 'unknown']);
		expect(JSON.stringify(items)).toMatch(/Outcome: unknown \(maybe sent\).*Look at the service for it/);
		expect(sent).toHaveLength(2);
		expect(Object.keys(memory)).not.toEqual([]);
	});

	test('a reading whose output fails is refused: nothing was changed', async () => {
		const { context } = n8n(1, {});
		const call = { method: 'GET' as const, path: '/x' };
		expect(outcomes(await execute(context, operation({ call, output: fail })))).toEqual(['rejected']);
	});

	test('a check that fails: nothing leaves', async () => {
		const { context, sent } = n8n(1, {});
		const before = { call: { method: 'GET' as const, path: '/y' }, complete: fail };
		expect(outcomes(await execute(context, operation({ before })))).toEqual(['unsent']);
		expect(sent).toEqual([expect.stringMatching(/y$/)]);
	});

	test.each(['getContext', 'getWorkflowDataProxy'] as const)(
		'%s of n8n that fails: nothing leaves',
		async (name) => {
			const { context, sent } = n8n(3, {});
			Object.assign(context, { [name]: fail });
			expect(outcomes(await execute(context, operation({})))).toEqual(['unsent', 'unsent', 'unsent']);
			expect(sent).toEqual([]);
		},
	);

	test('a run that fails before the call of an item that an earlier try has left in doubt: it stays in doubt', async () => {
		const answers = [lost];
		const { context } = answering(1, () => answers.pop()?.() ?? jsonResponse('{}'));
		Object.assign(context, { getNode: () => ({ type: 'messaging', retryOnFail: true, parameters: {} }) });
		expect(outcomes(await execute(context, operation({})))).toEqual(['unknown']);
		Object.assign(context, { getTimezone: fail });
		expect(outcomes(await execute(context, operation({})))).toEqual(['unknown']);
	});
});

test('what the service has accepted counts as sent in the next try, although this node failed over the answer', async () => {
	const { context, memory, sent } = n8n(1, {});
	Object.assign(context, { getNode: () => ({ type: 'messaging', retryOnFail: true, parameters: {} }) });
	const ownFields = { packageId: 'p' };
	expect(outcomes(await execute(context, operation({ ownFields, output: fail })))).toEqual(['unknown']);
	// As n8n saves it.
	const saved = JSON.parse(JSON.stringify(memory)) as IDataObject;
	Object.assign(context, { getContext: () => saved });
	const [items] = await execute(context, operation({ ownFields, output: fail }));
	expect(items).toEqual([{ json: ownFields, pairedItem: { item: 0 } }]);
	expect(sent).toHaveLength(1);
});

test('a job that is held back after its own lookup makes it again: its answer may be old', async () => {
	let asked = 0;
	const { context } = answering(1, () => jsonResponse(`{"n": ${++asked}}`));
	const call = { method: 'POST' as const, path: '/x' };
	const complete = (body: unknown): CompiledCall => ({
		call: { ...call, body: body as object },
		output: () => [],
	});
	const before = { call: { method: 'GET' as const, path: '/y' }, isPerCall: true as const, complete };
	const compiled: CompiledCall = { call, output: () => [], before };
	const ledger = new Ledger(context);
	await ledger.open(operation());
	const { sender } = (await prepare(context, operation(), ledger)) as Run;
	const job: Job = { items: [0], compiled, settings: { ...STANDARD } };
	for (const n of [1, 2]) {
		expect(await sender.preparationOf(job)?.getReady()).toBe(true);
		expect(job.compiled.call.body).toEqual({ n });
	}
});

test('a question that comes before the calls is asked once in a run, and only for items that need its answer', async () => {
	const question = { method: 'GET' as const, path: '/question' };
	const asked = async (applies: boolean, refusal?: InvalidParameter) => {
		const { context, sent } = n8n(3, { fine: true });
		const made = operation().compile({ read: () => ({}), timezone: 'UTC', caller: { callId: '' } });
		const complete = () => {
			if (refusal !== undefined) throw refusal;
			return made;
		};
		const before = { call: question, complete };
		const ended = outcomes(await execute(context, operation(applies ? { before } : {})));
		const questions = sent.filter((url) => String(url).endsWith('/question')).length;
		return { ended, questions, calls: sent.length - questions };
	};
	expect(await asked(true)).toEqual({ ended: ['done', 'done', 'done'], questions: 1, calls: 3 });
	expect(await asked(false)).toEqual({ ended: ['done', 'done', 'done'], questions: 0, calls: 3 });
	expect(await asked(true, new InvalidParameter('ID', 'is wrong', 'Do that'))).toEqual({
		ended: ['unsent', 'unsent', 'unsent'],
		questions: 1,
		calls: 0,
	});
});

test('options that fail for the first item do not switch the once keys of the others off', async () => {
	const { context, sent } = n8n(2, {});
	Object.assign(context, {
		getWorkflow: () => ({}),
		getNode: () => ({ type: 'messaging', parameters: { options: { onceKey: '={{ $json.id }}' } } }),
		getNodeParameter: (_name: string, item: number) => {
			if (item === 0) throw new Error('Not for this item');
			return { onceKey: '7' };
		},
	});
	const [items = []] = await execute(context, operation({}, { fields: [optionsField([...sendOnce])] }));
	// The workflow was never saved, so it has no keys: nothing may be sent without one.
	expect(outcomes([items])).toEqual(['unsent', 'unsent']);
	expect(JSON.stringify(items[1])).toContain('Send Only Once Per');
	expect(sent).toEqual([]);
});

test.each([
	['Keys to Remember', '={{ $json.most }}'],
	['the key', 20_000],
])('where %s can not be read for the first item, no key is forgotten', async (_what, onceHistory) => {
	const { context } = n8n(2, {});
	const store = new N8nStore(systemClock);
	store.put('node', { mode: 'entries', data: Array.from({ length: 5000 }, (_, n) => `key ${n}`) });
	const options = { onceKey: '={{ $json.id }}', onceHistory };
	Object.assign(context, {
		helpers: { ...context.helpers, ...store.helpers() },
		getNode: () => ({ id: 'node', name: 'Messaging', type: 'messaging', parameters: { options } }),
		getNodeParameter: (name: string, item: number) => {
			if (name !== 'options') return '';
			if (item === 0) throw new Error('Not for this item');
			return { onceKey: '7' };
		},
	});
	// Old keys are dropped now and then: here, at the end of this run.
	const random = jest.spyOn(Math, 'random').mockReturnValue(0);
	const ended = await execute(context, operation({}, { fields: [optionsField([...sendOnce])] }));
	random.mockRestore();
	expect(outcomes(ended)).toEqual(['unsent', 'done']);
	expect(store.marks).toEqual(expect.arrayContaining(['key 0', 'key 4999']));
});

test('each parameter of an item is resolved once', async () => {
	const { context } = n8n(2, {});
	const resolved: string[] = [];
	Object.assign(context, {
		getNodeParameter: (name: string, item: number, fallback: unknown) => {
			resolved.push(`${name} ${item}`);
			return fallback;
		},
	});
	const { onceKey: _, ...sending } = operation();
	const reading = defineOperation({
		...sending,
		fields: [optionsField([])],
		compile: (input) => ({
			call: { method: 'GET', path: `/${input.collection('options').flag('keepToPlan')}` },
			output: () => [{}],
		}),
	});
	await execute(context, { ...operation(), ...reading });
	// The run's settings are in the first item and are read before its turn.
	expect(resolved.sort()).toEqual(['options 0', 'options 0', 'options 1']);
});
