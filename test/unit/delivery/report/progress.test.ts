import { Ledger } from '../../../../nodes/Messaging/delivery/ledger.ts';
import type { HeldBack } from '../../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { logProgress } from '../../../../nodes/Messaging/delivery/report/progress.ts';
import { failureBy } from '../../../../nodes/Messaging/service/endings.ts';
import { FakeClock, rest } from '../fake-clock.ts';
import { fakeN8n, jsonResponse } from '../../support/fake-n8n.ts';

/** A run of 1,200 items, and what it writes into n8n's log. */
function run(held?: HeldBack, write?: (line: string) => void) {
	const clock = new FakeClock();
	const lines: string[] = [];
	const ledger = new Ledger(fakeN8n(jsonResponse('{}'), { items: 1200 }).context);
	const end = logProgress({
		what: 'message send',
		execution: '17',
		ledger,
		gate: { heldBack: () => held },
		keepToPlan: true,
		clock,
		write: write ?? ((line) => void lines.push(line)),
	});
	return { clock, end, ledger, lines };
}

const refused = failureBy('refused', { message: 'No', description: '' });

test('a run that is over before thirty seconds says nothing, and leaves nobody asleep', async () => {
	const { clock, end, lines } = run();
	await clock.pass(29_999);
	end();
	await rest();
	expect(clock.asleep).toBe(0);
	expect(lines).toEqual([]);
});

test('a long run says every thirty seconds how far it is, and in the end how it ended', async () => {
	const { clock, end, ledger, lines } = run();
	for (let item = 0; item < 1000; item++) ledger.sent([item], [{}]);
	ledger.fail([1000, 1001], refused);
	await clock.pass(75_000);
	end();
	await rest();
	expect(clock.asleep).toBe(0);
	const run17 = 'Unified Messaging, message send, execution 17, after';
	expect(lines).toEqual([
		`${run17} 30 s: 1,002 of 1,200 items, 2 failed`,
		`${run17} 60 s: 1,002 of 1,200 items, 2 failed`,
		`${run17} 75 s: ended; 1,000 of 1,200 items went through; 2 rejected, 198 not sent`,
	]);
});

test.each<[HeldBack, said: RegExp]>([
	[{ why: 'plan', since: 20_000 }, /; waiting since \S+Z: the plan of the API key is used up for now$/],
	[
		{ why: 'pause', since: 20_000, until: 45_000 },
		/; waiting since \S+Z until \S+Z: the service asked to come back later$/,
	],
])('and what it is waiting for: %j', async (held, said) => {
	const { clock, end, lines } = run(held);
	await clock.pass(30_000);
	end();
	expect(lines[0]).toMatch(said);
});

test('a log that is gone fails no run', async () => {
	const { clock, end } = run(undefined, () => {
		throw new Error('The disk is full');
	});
	await clock.pass(30_000);
	expect(end).not.toThrow();
});
