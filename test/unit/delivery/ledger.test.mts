import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { type Happening, Ledger, NEXT, type State } from '../../../nodes/Messaging/delivery/ledger.ts';
import { nameUuid, type Saved } from '../../../nodes/Messaging/delivery/saved.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import type { Operation } from '../../../nodes/Messaging/operations/operation.ts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { failureBy } from '../../../nodes/Messaging/service/endings.ts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.mts';
import { sendingNode } from '../support/sending-node.mts';

const SEND: ApiCall = { method: 'POST', path: '/api/v1/message/SendMessage', body: {} };
const EDIT: ApiCall = { method: 'PUT', path: '/api/v1/message/EditMessage', body: {} };
const LOOK: ApiCall = { method: 'GET', path: '/api/v1/Admin/Channel' };

const LOST = failureBy('doubtful', { message: 'Lost', description: 'It may be there.' });
const REFUSED = failureBy('refused', { message: 'No', description: 'Correct it.' }, { statusCode: 422 });
const UNREACHED = failureBy('neverLeft', { message: 'Nobody there', description: 'Look at the address.' });

const sending = findOperation('message', 'send') as Operation;

/** An execution whose node can be tried repeatedly as n8n does it, each try with what the previous ones saved. */
function execution(items: IDataObject[] = [{ n: 0 }, { n: 1 }], given: object = {}) {
	const n8n = fakeN8n(jsonResponse('{}'));
	let memory = n8n.memory;
	let last: Ledger | undefined;
	const context = {
		...n8n.context,
		getInputData: () => items.map((json) => ({ json })),
		getContext: () => memory,
		...given,
	} as unknown as IExecuteFunctions;
	const opened = async (operation: Operation): Promise<Ledger> => {
		const ledger = new Ledger(context);
		await ledger.open(operation);
		return ledger;
	};
	return {
		items,
		open: async (operation = sending) => await opened(operation),
		/** The same, after n8n has saved and loaded the execution. */
		async reopened() {
			// n8n keeps an object that is referenced twice as one.
			memory = structuredClone(memory);
			// A try waits until the previous ones have ended.
			last?.leave();
			last = await opened(sending);
			return last;
		},
		saved: () => memory['unifiedMessaging'] as unknown as Saved | undefined,
		inRun: (run: number) =>
			Object.assign(context, { getWorkflowDataProxy: () => ({ $runIndex: run }) }) as IExecuteFunctions,
	};
}

describe('what becomes of an item', () => {
	const HAPPENINGS: readonly Happening[] = ['left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown'];

	test.each<[State, State[]]>([
		['waiting', ['left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown']],
		['left', ['left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown']],
		['rejected', ['left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown']],
		['unsent', ['left', 'accepted', 'sent', 'rejected', 'unsent', 'unknown']],
		['unknown', ['unknown', 'accepted', 'sent', 'unknown', 'unknown', 'unknown']],
		['accepted', ['accepted', 'accepted', 'sent', 'accepted', 'accepted', 'accepted']],
		['sent', ['sent', 'sent', 'sent', 'sent', 'sent', 'sent']],
	])('from %s', (state, next) => {
		expect(HAPPENINGS.map((happening) => NEXT[state][happening])).toEqual(next);
	});
});

describe('what the next try finds', () => {
	/** The state of item 0 in the next try, after these steps in this one. */
	async function after(...steps: Array<(ledger: Ledger) => void>) {
		const { open, reopened } = execution();
		const ledger = await open();
		for (const step of steps) step(ledger);
		return await reopened();
	}
	const left = (ledger: Ledger) => ledger.left([0], SEND);

	test('nothing of an item that never left', async () => {
		expect((await after()).entry(0)).toMatchObject({ saved: { state: 'waiting' } });
	});

	test('in doubt, what was on its way', async () => {
		const { saved, failure } = (await after(left)).entry(0);
		expect([saved.state, failure?.outcome]).toEqual(['unknown', 'unknown']);
		expect(failure?.message).toMatch(/^Not sent again, because an earlier try may have been processed: /);
	});

	test('the output of what was accepted, as far as it was known', async () => {
		const accepted = (ledger: Ledger) => ledger.accepted([0], [{ packageId: 'p' }]);
		const { saved, when, output } = (await after(left, accepted)).entry(0);
		expect([saved.state, when, output?.json]).toEqual(['accepted', 'inEarlierTry', [{ packageId: 'p' }]]);
	});

	test('the output of what was sent', async () => {
		const ledger = await after(left, (before) => before.sent([0], [{ messageId: 'm' }]));
		expect(ledger.entry(0)).toMatchObject({ saved: { state: 'sent' }, when: 'inEarlierTry' });
		ledger.failRest(UNREACHED);
		expect((await ledger.output())[0]).toEqual({ json: { messageId: 'm' }, pairedItem: { item: 0 } });
	});

	test.each([REFUSED, UNREACHED])('nothing of what was $outcome', async (failure) => {
		expect((await after(left, (ledger) => ledger.fail([0], failure))).entry(0)).toMatchObject({
			saved: { state: 'waiting' },
		});
	});

	test('in doubt, what may have been processed, and was refused later', async () => {
		const lost = (ledger: Ledger) => ledger.cameBack([0], LOST);
		const ledger = await after(left, lost, left, (before) => before.fail([0], REFUSED));
		expect(ledger.entry(0)).toMatchObject({ saved: { state: 'unknown', tried: LOST } });
	});

	test('nothing of what was sent before under its key: it is looked up again', async () => {
		const ledger = await after((before) => before.sent([0], [{ alreadySent: true }], 'before'));
		expect(ledger.entry(0)).toMatchObject({ saved: { state: 'waiting' } });
	});

	test('one output of a call that several items share, paired with those that are still there', async () => {
		const { items, open, reopened } = execution([{ n: 0 }, { n: 1 }, { n: 2 }]);
		const ledger = await open();
		ledger.left([0, 1, 2], SEND);
		ledger.sent([0, 1, 2], [{ ids: ['a', 'b', 'c'] }]);
		expect(await (await reopened()).output()).toEqual([
			{ json: { ids: ['a', 'b', 'c'] }, pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }] },
		]);
		items[0] = { n: 'changed' };
		const changed = await reopened();
		expect(changed.entry(0).saved.state).toBe('waiting');
		expect((await changed.output())[0]).toEqual({
			json: { ids: ['a', 'b', 'c'] },
			pairedItem: [{ item: 1 }, { item: 2 }],
		});
	});

	test('of a call that may be made twice, only that it is done', async () => {
		const { open, reopened } = execution();
		const ledger = await open();
		ledger.left([0, 1], EDIT);
		ledger.fail([0], LOST);
		ledger.sent([1], [{ success: true }]);
		const next = await reopened();
		expect([next.entry(0).saved.state, next.entry(1).saved.state]).toEqual(['waiting', 'sent']);
		// No decision to make: it is simply repeated.
		expect(ledger.entry(0).failure?.description).toBe(LOST.description);
	});

	test('nothing of what was read', async () => {
		const { open, saved } = execution();
		const ledger = await open();
		ledger.left([0, 1], LOOK);
		ledger.sent([0], [{ name: 'a' }]);
		ledger.fail([1], LOST);
		expect(saved()?.items).toEqual({});
	});
});

describe('once a try may have been processed, the item stays in doubt', () => {
	test.each([REFUSED, UNREACHED])('$outcome in this try', async (failure) => {
		const { open } = execution();
		const ledger = await open();
		ledger.left([0], SEND);
		ledger.cameBack([0], LOST);
		ledger.left([0], SEND);
		ledger.fail([0], failure);
		const told = ledger.entry(0).failure;
		expect(told).toMatchObject({ outcome: 'unknown', statusCode: failure.statusCode });
		expect(told?.message).toBe(`Failed now, but an earlier try may have been processed: ${failure.message}`);
		expect(told?.description).toContain(failure.description);
	});

	test('refused right away, it is refused', async () => {
		const { open } = execution();
		const ledger = await open();
		ledger.left([0], SEND);
		ledger.fail([0], REFUSED);
		expect(ledger.entry(0)).toMatchObject({ saved: { state: 'rejected' }, failure: REFUSED });
	});
});

describe('a run that ends', () => {
	test('a run that fails leaves what is in flight in doubt, and the rest unsent', async () => {
		const ledger = await execution().open();
		ledger.left([0], SEND);
		ledger.failRun(UNREACHED);
		expect(ledger.entries.map(({ failure }) => failure?.outcome)).toEqual(['unknown', 'unsent']);
		expect(ledger.first?.failure).toBe(UNREACHED);
	});

	test('counts what waits to be sent again, and may have been processed, as in doubt', async () => {
		const { open } = execution();
		const ledger = await open();
		ledger.left([0], SEND);
		ledger.cameBack([0], LOST);
		ledger.failLeft();
		ledger.failRest(UNREACHED);
		expect(ledger.entry(0).failure?.outcome).toBe('unknown');
	});

	test('says nothing of "not sent again" about what was on its way again', async () => {
		const { open, reopened } = execution();
		(await open()).left([0], SEND);
		const ledger = await reopened();
		ledger.left([0], SEND);
		ledger.failLeft();
		expect(ledger.entry(0).failure).toMatchObject({
			outcome: 'unknown',
			message: expect.not.stringContaining('Not sent again') as string,
		});
	});

	test('has no failure for what was in doubt and counts as sent', async () => {
		const { open, reopened } = execution();
		(await open()).left([0], SEND);
		const ledger = await reopened();
		expect(ledger.entry(0).failure).toBeDefined();
		ledger.sent([0], [{}], 'inEarlierTry');
		expect(ledger.entry(0).failure).toBeUndefined();
	});

	test('fails for the first new failure, or else for what an earlier try left in doubt', async () => {
		const { open, reopened } = execution();
		const before = await open();
		before.left([0], SEND);
		before.fail([0], LOST);
		const idle = await reopened();
		expect(idle.hasFailed).toBe(false);
		expect(idle.first).toMatchObject({ failure: { outcome: 'unknown' }, items: [0] });
		const failing = await reopened();
		failing.fail([1], REFUSED);
		expect(failing.first).toEqual({ failure: REFUSED, items: [1] });
	});

	test.each([
		[true, false],
		[false, true],
	])(
		'with Retry On Fail %j and a first item that failed, everything is forgotten: %j',
		async (retryOnFail, forgotten) => {
			const { open, saved } = execution(undefined, { getNode: () => ({ ...sendingNode, retryOnFail }) });
			const ledger = await open();
			ledger.fail([0], REFUSED);
			ledger.closeAfter(await ledger.output());
			expect(saved() === undefined).toBe(forgotten);
		},
	);
});

describe('the key of an item', () => {
	const key = async (...[items, run = 0, name = 'send']: [IDataObject[]?, number?, string?]) => {
		const one = execution(items);
		one.inRun(run);
		const operation = findOperation('message', name) as Operation;
		return (await one.open(operation)).entries.map((entry) => entry.key);
	};

	test('is the same in every try, and another one for another item, run, operation or place', async () => {
		const [zero = '', one = ''] = await key();
		expect(await key()).toEqual([zero, one]);
		expect(zero).not.toBe(one);
		expect(await key([{ n: 0 }, { n: 2 }])).toEqual([zero, expect.not.stringMatching(one)]);
		expect(await key([{ n: 1 }, { n: 0 }])).not.toContain(zero);
		expect(await key(undefined, 1)).not.toContain(zero);
		expect(await key(undefined, 0, 'sendAndWait')).not.toContain(zero);
	});

	test('is short, and holds nothing of the item', async () => {
		const [secret = ''] = await key([{ note: 'secret'.repeat(1000) }]);
		expect(secret).toMatch(/^[\w-]{22}$/);
	});

	test('makes a UUID that is the same in every try, and differs between items and executions', async () => {
		const { open, reopened } = execution();
		const first = await open();
		first.left([0], SEND);
		const ids = [first.uuidOf(0), first.uuidOf(1)];
		const next = await reopened();
		expect([next.uuidOf(0), next.uuidOf(1)]).toEqual(ids);
		expect(new Set([...ids, (await execution().open()).uuidOf(0)]).size).toBe(3);
	});
});

test.each([
	// RFC 9562, appendix A.4.
	['6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
	['6ba7b811-9dad-11d1-80b4-00c04fd430c8', 'http://www.example.com/', 'fcde3c85-2270-590f-9e7c-ee003d65e0e2'],
])('in namespace %s, the name-based UUID of %s is %s', (namespace, name, uuid) => {
	expect(nameUuid(namespace, name)).toBe(uuid);
});

test('an item that is held back is no new failure, and keeps the failure that it has', async () => {
	const { open } = execution();
	const ledger = await open();
	ledger.fail([0], LOST);
	ledger.holdBack([0, 1], UNREACHED);
	expect(ledger.entries.map(({ failure }) => failure?.message)).toEqual(['Lost', 'Nobody there']);
	expect(ledger.first?.items).toEqual([0]);

	const held = await execution().open();
	held.holdBack([1], UNREACHED);
	expect(held.hasFailed).toBe(false);
	expect(held.first).toEqual({ failure: UNREACHED, items: [1] });
});
