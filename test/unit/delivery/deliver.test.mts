import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Ledger } from '../../../nodes/Messaging/delivery/ledger.ts';
import { LEFT_OUT } from '../../../nodes/Messaging/delivery/wording.ts';
import { execute } from '../../../nodes/Messaging/execute.ts';
import { optionsField, whenUnknown } from '../../../nodes/Messaging/fields/options.ts';
import {
	type CompiledCall,
	defineOperation,
	type Operation,
} from '../../../nodes/Messaging/operations/operation.ts';
import { InvalidParameter } from '../../../nodes/Messaging/input/invalid-parameter.ts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.mts';

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

test('an answer that is too much for the run is left out, and the item is done', async () => {
	const { context, sent } = n8n(2, { answer: 'long' });
	const ownFields = { packageId: 'p' };
	const { output } = operation().compile(undefined as never);
	jest.spyOn(Ledger.prototype, 'keeps').mockReturnValueOnce(true).mockReturnValueOnce(false);
	const [items = []] = await execute(context, operation({ ownFields, output }));
	expect(sent).toHaveLength(2);
	expect(items.map(({ json }) => json)).toEqual([
		{ body: { answer: 'long' } },
		{ packageId: 'p', note: LEFT_OUT },
	]);
});
