import type { IExecuteFunctions } from 'n8n-workflow';

import { newStats } from '../../../../nodes/Messaging/delivery/call.ts';
import { Ledger } from '../../../../nodes/Messaging/delivery/ledger.ts';
import type { KeyGate, NotBefore } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { logProgress, stopError } from '../../../../nodes/Messaging/delivery/report/summary.ts';
import { failureBy, unsent } from '../../../../nodes/Messaging/service/endings.ts';
import { FakeClock, rest } from '../fake-clock.ts';
import { Counted } from '../../support/counted.ts';
import { fakeN8n, jsonResponse } from '../../support/fake-n8n.ts';
import { sendingNode } from '../../support/sending-node.ts';

const context = {
	getMode: () => 'trigger',
	getNode: () => sendingNode,
} as unknown as IExecuteFunctions;

/** The error's text for ten items, with this many sent as given and the rest not sent. */
function summaryOf(now: number, inEarlierTry: number, before: number): string {
	const ledger = new Ledger(fakeN8n(jsonResponse('{}'), { items: 10 }).context);
	ledger.usesKeys = before > 0;
	let item = 0;
	for (let n = 0; n < now; n++) ledger.sent([item++], [{}]);
	for (let n = 0; n < inEarlierTry; n++) ledger.sent([item++], [{}], 'inEarlierTry');
	for (let n = 0; n < before; n++) ledger.sent([item++], [{}], 'before');
	const failed = { failure: unsent('No', 'Do it.'), items: [item] };
	ledger.fail(failed.items, failed.failure);
	return /Of 10 items, .*?\./.exec(stopError(context, failed, ledger).description ?? '')?.[0] ?? '';
}

test.each([
	[2, 0, 0, 'Of 10 items, 2 went out, 8 were not sent.'],
	[2, 3, 0, 'Of 10 items, 5 went out (3 of them in an earlier try), 5 were not sent.'],
	[2, 0, 4, 'Of 10 items, 6 went out (4 of them before, under the same key), 4 were not sent in this run.'],
	[
		0,
		3,
		4,
		'Of 10 items, 7 went out (3 of them in an earlier try; 4 of them before, under the same key), 3 were not sent in this run.',
	],
])('%d sent now, %d in an earlier try, %d under their key: %s', (now, inEarlierTry, underTheirKey, said) => {
	expect(summaryOf(now, inEarlierTry, underTheirKey)).toBe(said);
});

test.each([
	[false, true],
	[true, false],
])('with once keys %j, the error warns of duplicates: %j', (usesKeys, warns) => {
	const ledger = new Ledger(fakeN8n(jsonResponse('{}'), { items: 2 }).context);
	ledger.usesKeys = usesKeys;
	ledger.left([0], { method: 'POST', path: '/x' });
	ledger.sent([0], [{}]);
	const failed = { failure: unsent('No', 'Do it.'), items: [1] };
	ledger.fail(failed.items, failed.failure);
	const { description } = stopError(context, failed, ledger);
	expect(description).toContain('To send only the rest, open Executions');
	expect(/duplicates/.test(description ?? '')).toBe(warns);
});

test('n8n is told what to show, and does not search the problem for it: that takes seconds where one is long', () => {
	const counted = new Counted(0);
	const problem = counted.watch({ errors: [{ message: 'another' }], error: { message: 'one more' } });
	const words = { message: 'connect ECONNREFUSED', description: 'Look there.' };
	const failure = { ...failureBy('refused', words), statusCode: 404, problem };
	const ledger = new Ledger(fakeN8n(jsonResponse('{}'), { items: 1 }).context);
	const failed = { failure, items: [0] };
	ledger.fail(failed.items, failure);

	const error = stopError(context, failed, ledger);

	expect(error).toMatchObject({
		name: 'NodeApiError',
		message: 'connect ECONNREFUSED',
		description: 'The service refused it. Look there.',
		httpCode: '404',
	});
	expect(error.context).toMatchObject({ itemIndex: 0, outcome: 'rejected' });
	expect(error.context.data).toBe(problem);
});

describe('the log of a run that takes long', () => {
	/** A run of 1,200 items, and what it logs in n8n. */
	function run(heldBy?: Pick<NotBefore, 'why' | 'since' | 'until'>) {
		const clock = new FakeClock();
		const lines: string[] = [];
		const ledger = new Ledger(fakeN8n(jsonResponse('{}'), { items: 1200 }).context);
		const waitingOf = () => heldBy && { channel: 'one', heldBy };
		const gate = { waitingOf, heldBack: () => undefined } as unknown as KeyGate;
		const env = { clock, gate, stats: newStats(), channelName: () => 'Support WhatsApp' };
		const toLines = (line: string): void => void lines.push(line);
		const end = logProgress(env, ledger, 'message send, execution 17', toLines);
		return { clock, end, ledger, lines };
	}

	test('says every thirty seconds how far it is, and leaves no timer behind', async () => {
		const { clock, end, ledger, lines } = run();
		for (let item = 0; item < 1000; item++) ledger.sent([item], [{}]);
		ledger.fail([1000, 1001], failureBy('refused', { message: 'No', description: '' }));
		await clock.pass(29_999);
		expect(lines).toEqual([]);
		await clock.pass(45_000);
		end();
		await rest();
		expect(clock.asleep).toBe(0);
		const line = 'Unified Messaging, message send, execution 17: 1,000 of 1,200 items done, 2 failed';
		expect(lines).toEqual([line, line]);
	});

	test.each<[Pick<NotBefore, 'why' | 'since' | 'until'>, said: RegExp]>([
		[
			{ why: 'plan', since: 0, until: 45_000 },
			/; waiting since \S+Z, at least until \S+Z: the plan of the API key was used up$/,
		],
		[
			{ why: 'plan', since: 0, until: Infinity },
			/; waiting since \S+Z: the plan of the API key was used up$/,
		],
		[
			{ why: 'pause', since: 20_000, until: 45_000 },
			/; waiting since \S+Z, at least until \S+Z: the service asked to come back later$/,
		],
		[{ why: 'outage', since: 20_000, until: 29_000 }, /; waiting since \S+Z: the service was failing$/],
		[
			{ why: 'channel', since: 20_000, until: 45_000 },
			/; waiting for channel Support WhatsApp: it has been failing since \S+Z$/,
		],
	])('and what it is waiting for: %j', async (held, said) => {
		const { clock, end, lines } = run(held);
		await clock.pass(30_000);
		end();
		expect(lines[0]).toMatch(said);
	});
});
