import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { deliver } from '../../../nodes/Messaging/delivery/deliver.ts';
import { optionsField } from '../../../nodes/Messaging/fields/options.ts';
import { type AnyOperation, defineOperation } from '../../../nodes/Messaging/contract/any-operation.ts';
import type { Operation } from '../../../nodes/Messaging/contract/operation.ts';
import type { Properties } from '../../../nodes/Messaging/fields/parameter-types.ts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.ts';

/** An n8n with so many items whose service answers everything with the same body. */
const n8n = (items: number, body: unknown) => fakeN8n(jsonResponse(JSON.stringify(body)), { items });

function operation(given: Partial<Operation<Properties, object>>): AnyOperation {
	return defineOperation<Properties, object>({
		resource: 'message',
		name: 'send',
		displayName: 'Send',
		action: 'Send',
		description: '',
		fields: [optionsField([])],
		compile: () => ({ call: { method: 'POST', path: '/x', body: {} }, facts: {} }),
		output: (body) => [{ body: body as IDataObject }],
		...given,
	});
}

const outcomes = ([items = []]: INodeExecutionData[][]) =>
	items.map(({ json }) => (json.error as IDataObject | undefined)?.outcome ?? 'done');

function fail(): never {
	throw new TypeError('x is undefined');
}

describe('whatever goes wrong inside a run, every item ends, and truthfully', () => {
	test('an output that fails: the call went out, nobody may repeat it, and the reply is not passed off', async () => {
		const { context, sent, memory } = n8n(2, {});
		Object.assign(context, { getNode: () => ({ retryOnFail: true }) });
		const failing = operation({ output: fail });
		const [items = []] = await deliver(context, failing);
		expect(outcomes([items])).toEqual(['unknown', 'unknown']);
		expect(JSON.stringify(items)).toMatch(/accepted this call: do not repeat it/);
		expect(sent).toHaveLength(2);
		expect(Object.keys(memory)).not.toEqual([]);
	});

	test('a reading whose output fails is refused: nothing was changed', async () => {
		const { context } = n8n(1, {});
		const compile = () => ({ call: { method: 'GET' as const, path: '/x' }, facts: {} });
		expect(outcomes(await deliver(context, operation({ compile, output: fail })))).toEqual(['rejected']);
	});

	test('a reply that is nested beyond what n8n can save is left out, and the rest is there', async () => {
		let body: unknown = [];
		for (let depth = 0; depth < 3000; depth++) body = [body];
		const { context } = n8n(1, body);
		const [[item] = []] = await deliver(context, operation({}));
		expect(item?.json).toEqual({ body: undefined });
	});

	test('a check that fails: nothing leaves', async () => {
		const { context, sent } = n8n(1, {});
		const guard = { call: { method: 'GET' as const, path: '/y' }, applies: fail, objection: fail };
		expect(outcomes(await deliver(context, operation({ guard })))).toEqual(['unsent']);
		expect(sent).toEqual([]);
	});

	test.each(['getContext', 'getWorkflowDataProxy'] as const)(
		'%s of n8n that fails: nothing leaves',
		async (name) => {
			const { context, sent } = n8n(3, {});
			Object.assign(context, { [name]: fail });
			expect(outcomes(await deliver(context, operation({})))).toEqual(['unsent', 'unsent', 'unsent']);
			expect(sent).toEqual([]);
		},
	);

	test('a failure before the call of an item that an earlier try has left in doubt: it stays in doubt', async () => {
		const { context } = n8n(1, {});
		Object.assign(context, { getNode: () => ({ retryOnFail: true }) });
		const lost = async () => {
			throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
		};
		const { httpRequestWithAuthentication: works } = context.helpers;
		Object.assign(context.helpers, { httpRequestWithAuthentication: lost });
		expect(outcomes(await deliver(context, operation({})))).toEqual(['unknown']);
		Object.assign(context.helpers, { httpRequestWithAuthentication: works });
		Object.assign(context, { getTimezone: fail });
		const [items = []] = await deliver(context, operation({}));
		expect(outcomes([items])).toEqual(['unknown']);
		expect(JSON.stringify(items)).toMatch(/this node failed while it prepared it/);
	});

	test('a failure between two tries: nobody knows', async () => {
		const { context } = n8n(1, {});
		const random = jest.spyOn(Math, 'random').mockImplementation(fail);
		Object.assign(context.helpers, {
			httpRequestWithAuthentication: async () => {
				throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });
			},
		});
		expect(outcomes(await deliver(context, operation({})))).toEqual(['unknown']);
		random.mockRestore();
	});
});

test('what was accepted is remembered as sent when the execution is cancelled while the answer is read', async () => {
	const { context, memory } = n8n(1, {});
	const cancelled = new AbortController();
	let saved = '';
	Object.assign(context, { getExecutionCancelSignal: () => cancelled.signal });
	Object.assign(context.helpers, {
		httpRequestWithAuthentication: async () => {
			let looks = 0;
			const headers = {
				get 'content-type'() {
					looks += 1;
					if (looks === 2) {
						cancelled.abort();
						saved = JSON.stringify(memory);
					}
					return 'application/json';
				},
			};
			return { statusCode: 200, headers, body: '{"messageId":"m"}' };
		},
	});
	const facts = { packageId: 'p' };
	const compile = () => ({ call: { method: 'POST' as const, path: '/x', body: {} }, facts });
	const output = (body: unknown) => [{ ...(body as IDataObject | undefined), ...facts }];
	await deliver(context, operation({ compile, output }));
	const ends = (text: string) =>
		Object.values((JSON.parse(text) as { unifiedMessaging: { calls: object } }).unifiedMessaging.calls);
	expect(ends(saved)).toEqual([{ json: [{ packageId: 'p' }] }]);
	// Whoever retries it in the same n8n gets all of it.
	expect(ends(JSON.stringify(memory))).toEqual([{ json: [{ messageId: 'm', packageId: 'p' }] }]);
});

test('a question that comes before the calls is asked once in a run, and only for items that need its answer', async () => {
	const question = { method: 'GET' as const, path: '/question' };
	const asked = async (applies: boolean, message?: string) => {
		const { context, sent } = n8n(3, { fine: true });
		const objection = () => (message === undefined ? undefined : { message, hint: 'Do that' });
		const guard = { call: question, applies: () => applies, objection };
		const ended = outcomes(await deliver(context, operation({ guard })));
		const questions = sent.filter((url) => String(url).endsWith('/question')).length;
		return { ended, questions, calls: sent.length - questions };
	};
	expect(await asked(true)).toEqual({ ended: ['done', 'done', 'done'], questions: 1, calls: 3 });
	expect(await asked(false)).toEqual({ ended: ['done', 'done', 'done'], questions: 0, calls: 3 });
	expect(await asked(true, 'No')).toEqual({
		ended: ['unsent', 'unsent', 'unsent'],
		questions: 1,
		calls: 0,
	});
});

test('an n8n that signs no links asks nobody, and says why', async () => {
	const { context, sent } = n8n(2, {});
	const asking = operation({ waits: true, displayName: 'Send and Wait for Response' });
	const [items = []] = await deliver(context, asking);
	expect(items.map(({ json }) => json.error)).toMatchObject(
		Array<object>(2).fill({
			outcome: 'unsent',
			message: 'This n8n is too old for "Send and Wait for Response"',
		}),
	);
	expect(sent).toEqual([]);
	expect(outcomes(await deliver(context, operation({})))).toEqual(['done', 'done']);
});

test('each parameter of an item is resolved once, whoever reads it', async () => {
	const { context } = n8n(2, {});
	const resolved: string[] = [];
	Object.assign(context, {
		getNodeParameter: (name: string, item: number, fallback: unknown) => {
			resolved.push(`${name} ${item}`);
			return fallback;
		},
	});
	const reading = defineOperation({
		resource: 'message',
		name: 'send',
		displayName: 'Send',
		action: 'Send',
		description: '',
		fields: [optionsField([])],
		compile: (input) => ({
			call: { method: 'GET', path: `/${input.collection('options').flag('keepToPlan')}` },
			facts: {},
		}),
		output: () => [{}],
	});
	await deliver(context, reading);
	// The settings of the run stand in the first item: they are read before its turn.
	expect(resolved.sort()).toEqual(['options 0', 'options 0', 'options 1']);
});
