import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Ledger } from '../../../nodes/Messaging/delivery/ledger.ts';
import { outputOf } from '../../../nodes/Messaging/report/output.ts';
import type { Saved } from '../../../nodes/Messaging/delivery/saved.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import type { Operation } from '../../../nodes/Messaging/operations/operation.ts';
import { failureBy } from '../../../nodes/Messaging/service/endings.ts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.mts';

const LOST = failureBy('doubtful', { message: 'Lost', description: 'It may be there.' });
const REFUSED = failureBy('refused', { message: 'No', description: 'Correct it.' }, { statusCode: 422 });
const UNREACHED = failureBy('neverLeft', { message: 'Nobody there', description: 'Look at the address.' });

type Name = 'message.send' | 'message.sendAndWait' | 'message.edit' | 'channel.getAll';

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
	const open = async (name: Name = 'message.send'): Promise<Ledger> => {
		const [resource, operation] = name.split('.') as [string, string];
		const ledger = new Ledger(context);
		await ledger.open(findOperation(resource, operation) as Operation);
		return ledger;
	};
	return {
		items,
		open,
		/** The same, after n8n has saved and loaded the execution. */
		async reopened(name?: Name) {
			// n8n keeps an object that is referenced twice as one.
			memory = structuredClone(memory);
			// A try waits until the previous ones have ended.
			last?.release();
			last = await open(name);
			return last;
		},
		output: async (ledger: Ledger) => await outputOf(context, ledger),
		saved: () => memory['unifiedMessaging'] as unknown as Saved | undefined,
	};
}

describe('what the next try finds', () => {
	type Step = (ledger: Ledger) => void;
	const leaves: Step = (ledger) => ledger.startRequest(0);
	const isLost: Step = (ledger) => ledger.fail(0, LOST);
	const isRefused: Step = (ledger) => ledger.fail(0, REFUSED);
	const wasSentBefore: Step = (ledger) => ledger.sent(0, [{ alreadySent: true }], 'before');
	const nothing = { saved: { state: 'waiting' } };
	const inDoubt = { saved: { state: 'unknown', tried: LOST } };
	const sent = { saved: { state: 'sent', json: [{ packageId: 'p' }] }, sentIn: 'earlierTry' };
	const accepted: Step = (ledger) => ledger.sent(0, sent.saved.json);

	test.each<[what: string, steps: Step[], found: object]>([
		['that never left: nothing', [], nothing],
		[
			'that was on its way: a doubt',
			[leaves],
			{ saved: { state: 'unknown' }, failure: { outcome: 'unknown' } },
		],
		['that was sent: its output', [leaves, accepted], sent],
		['whose answer could not be read: what was known of it', [leaves, accepted, isLost], sent],
		[
			'that was sent, in a run that failed: its output',
			[leaves, accepted, (run) => run.end(UNREACHED)],
			sent,
		],
		['that was refused: nothing', [leaves, isRefused], nothing],
		['that was not reached: nothing', [leaves, (ledger) => ledger.fail(0, UNREACHED)], nothing],
		[
			'that may have been processed, and was refused later: a doubt',
			[leaves, (ledger) => ledger.requestFailed(0, LOST), leaves, isRefused],
			inDoubt,
		],
		['that was sent before under its key, which is looked up again: nothing', [wasSentBefore], nothing],
		['the same, after it may have been processed: a doubt', [leaves, isLost, wasSentBefore], inDoubt],
	])('of an item %s', async (_what, steps, found) => {
		const { open, output, reopened } = execution();
		const ledger = await open();
		for (const step of steps) step(ledger);
		const next = await reopened();
		expect(next.entry(0)).toMatchObject(found);
		next.end(UNREACHED);
		if (found !== sent) return;
		expect((await output(next))[0]).toEqual({ json: { packageId: 'p' }, pairedItem: { item: 0 } });
	});

	test('of a call that may be made twice, only that it is done', async () => {
		const { open, reopened } = execution();
		const ledger = await open('message.edit');
		ledger.startRequest(0);
		ledger.startRequest(1);
		ledger.fail(0, LOST);
		ledger.sent(1, [{ success: true }]);
		const next = await reopened('message.edit');
		expect([next.entry(0).saved.state, next.entry(1).saved.state]).toEqual(['waiting', 'sent']);
		// No decision to make: it is simply repeated.
		expect(ledger.entry(0).failure?.description).toBe(LOST.description);
	});

	test('nothing of what was read', async () => {
		const { open, saved } = execution();
		const ledger = await open('channel.getAll');
		ledger.startRequest(0);
		ledger.startRequest(1);
		ledger.sent(0, [{ name: 'a' }]);
		ledger.fail(1, LOST);
		expect(saved()?.items).toEqual({});
	});
});

test.each([REFUSED, UNREACHED])(
	'an item that may have been processed and is then $outcome stays in doubt',
	async (failure) => {
		const ledger = await execution().open();
		ledger.startRequest(0);
		ledger.requestFailed(0, LOST);
		ledger.startRequest(0);
		ledger.fail(0, failure);
		expect(ledger.entry(0).failure).toMatchObject({
			outcome: 'unknown',
			statusCode: failure.statusCode,
			message: `Failed now, but an earlier try may have been processed: ${failure.message}`,
			description: expect.stringContaining(failure.description) as string,
		});
	},
);

test('an item that is held back is no new failure, and keeps the failure that it has', async () => {
	const ledger = await execution().open();
	ledger.fail(0, LOST);
	ledger.holdBack(0, UNREACHED);
	ledger.holdBack(1, UNREACHED);
	expect(ledger.entries.map(({ failure }) => failure?.message)).toEqual(['Lost', 'Nobody there']);

	const held = await execution().open();
	held.onFailure = jest.fn();
	held.holdBack(1, UNREACHED);
	expect(held.onFailure).not.toHaveBeenCalled();
	expect(held.first).toEqual({ failure: UNREACHED, item: 1 });
});

describe('a run that ends', () => {
	test('fails as a whole: what is in flight is in doubt, and the rest is unsent', async () => {
		const ledger = await execution().open();
		ledger.startRequest(0);
		ledger.end(UNREACHED);
		expect(ledger.entries.map(({ failure }) => failure?.outcome)).toEqual(['unknown', 'unsent']);
		expect(ledger.first?.failure).toBe(UNREACHED);
	});

	test('counts what waits to be sent again, and may have been processed, as in doubt', async () => {
		const ledger = await execution().open();
		ledger.startRequest(0);
		ledger.requestFailed(0, LOST);
		ledger.end();
		expect(ledger.entry(0).failure?.outcome).toBe('unknown');
	});

	test('does not say "not sent again" about what was on its way again', async () => {
		const { open, reopened } = execution();
		(await open()).startRequest(0);
		const ledger = await reopened();
		ledger.startRequest(0);
		ledger.end();
		expect(ledger.entry(0).failure).toMatchObject({
			outcome: 'unknown',
			message: expect.not.stringContaining('Not sent again') as string,
		});
	});

	test('an item that was counted as sent under its once key stays so in a later try', async () => {
		const run = execution();
		const first = await run.open();
		first.startRequest(0);
		const second = await run.reopened();
		second.countAsSent(0, { alreadySent: true }, 'before');
		const third = await run.reopened();
		// As when somebody has broken a parameter in between.
		third.fail(0, failureBy('invalid', { message: 'No number', description: '' }));
		expect(third.entry(0).saved.state).toBe('sent');
	});

	test('has no failure for what was in doubt and counts as sent', async () => {
		const { open, reopened } = execution();
		(await open()).startRequest(0);
		const ledger = await reopened();
		ledger.countAsSent(0, {}, 'earlierTry');
		ledger.end();
		expect(ledger.entry(0).failure).toBeUndefined();
	});

	test('fails for the first new failure, or else for what an earlier try left in doubt', async () => {
		const { open, reopened } = execution();
		const before = await open();
		before.startRequest(0);
		before.fail(0, LOST);
		const idle = await reopened();
		expect(idle.first).toMatchObject({ failure: { outcome: 'unknown' }, item: 0 });
		const failing = await reopened();
		failing.fail(1, REFUSED);
		expect(failing.first).toEqual({ failure: REFUSED, item: 1 });
	});

	test.each([true, false])(
		'after a first item that failed, Retry On Fail %j decides what is kept',
		async (retryOnFail) => {
			const { open, output, saved } = execution(undefined, {
				getNode: () => ({ type: 'messaging', retryOnFail }),
			});
			const ledger = await open();
			ledger.fail(0, REFUSED);
			ledger.closeAfter(await output(ledger));
			expect(saved() === undefined).toBe(!retryOnFail);
		},
	);
});

describe('the key of an item', () => {
	const keys = async (items?: IDataObject[], $runIndex = 0, name?: Name) => {
		const { open } = execution(items, { getWorkflowDataProxy: () => ({ $runIndex }) });
		return (await open(name)).entries.map(({ key }) => key);
	};

	test('is the same in every try, and another one for another item, run, operation or place', async () => {
		const [zero = '', one = ''] = await keys();
		expect(await keys()).toEqual([zero, one]);
		expect(zero).not.toBe(one);
		expect(await keys([{ n: 0 }, { n: 2 }])).toEqual([zero, expect.not.stringMatching(one)]);
		expect(await keys([{ n: 1 }, { n: 0 }])).not.toContain(zero);
		expect(await keys(undefined, 1)).not.toContain(zero);
		expect(await keys(undefined, 0, 'message.sendAndWait')).not.toContain(zero);
	});

	test('is short, and holds nothing of the item', async () => {
		const [secret = ''] = await keys([{ note: 'secret'.repeat(1000) }]);
		expect(secret).toMatch(/^[\w-]{22}$/);
	});

	test('makes a UUID that is the same in every try, and differs between items and executions', async () => {
		const { open, reopened } = execution();
		const first = await open();
		first.startRequest(0);
		const ids = [first.uuidOf(0), first.uuidOf(1)];
		const next = await reopened();
		expect([next.uuidOf(0), next.uuidOf(1)]).toEqual(ids);
		expect(new Set([...ids, (await execution().open()).uuidOf(0)]).size).toBe(3);
	});
});

test('the answers of a run are kept up to 256 MB in all', () => {
	const ledger = new Ledger(fakeN8n(jsonResponse('{}')).context);
	const sizes = [200 * 2 ** 20, 56 * 2 ** 20, 1, 0];
	expect(sizes.map((size) => ledger.keeps(size))).toEqual([true, true, false, false]);
});
