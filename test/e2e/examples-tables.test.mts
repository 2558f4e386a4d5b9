import { linkIn, openLink, sendAnswer } from '../../dev/harness/answer-page.mts';
import { importExample } from '../../dev/harness/deliver-to.mts';
import { errorOf, type Execution } from '../../dev/harness/n8n/api.mts';
import { enterExamples } from './example-runs.mts';

/** Examples that keep a row before they send. */

const { n8n, sandbox, whilePublished, tables, world, filled } = enterExamples();

/** The recipients of all messages to customers, in alphabetical order. */
const recipients = async () =>
	(await sandbox.state()).messages
		.flatMap(({ recipient }) => (recipient === 'boss@example.com' ? [] : [recipient]))
		.sort();

describe('bulk-send-from-a-table', () => {
	const table = 'Messaging list to send';
	const row = (name: string, email = `${name.toLowerCase()}@example.com`, text = `Dear ${name}`) => ({
		...{ name, email, text },
		channel: 'Shop Newsletter',
	});

	/** A run until somebody is asked, and after the answer. */
	const asked = async (id: string, answer: string): Promise<Execution> => {
		const { id: waiting } = await n8n.runUntilWaiting(id, 'Every Hour');
		const question = (await sandbox.state()).messages.findLast(
			({ recipient }) => recipient === 'boss@example.com',
		);
		const link = linkIn(question?.text);
		await openLink(link);
		expect((await sendAnswer(link, { answer })).status).toBe(200);
		return await n8n.waitForExecution(waiting);
	};

	test('asks once, sends after the approval, and writes back; another run sends the rest', async () => {
		const { id } = await importExample(n8n, filled('bulk-send-from-a-table'));
		const ada = { ...row('Ada'), channel: 'Support E-mail' };
		const finn = { ...row('Finn'), channel: 'Support' };
		await tables.insert(table, [
			ada,
			row('Bob', 'bob@nowhere'),
			row('Cem', undefined, ''),
			row('Dan'),
			finn,
			row('Gus'),
		]);
		await sandbox.setFaults([
			{ kind: 'lostResponse', bodyContains: 'dan@example.com' },
			{
				kind: 'status',
				bodyContains: 'gus@example.com',
				status: 503,
				headers: { 'retry-after': '3600' },
				body: { title: 'Later', status: 503 },
			},
		]);

		const first = await asked(id, 'approve');

		expect(first.status).toBe('error');
		expect(errorOf(first, 'Say That Rows Failed')?.['message']).toMatch(/^3 of 4 rows failed/);
		const [question] = (await sandbox.state()).messages;
		expect(question?.text).toContain('May 4 of 6 messages go out?');
		expect(question?.text).toContain('The first goes to ada@example.com: Dear Ada');
		const written = await tables.rows(table);
		expect(written).toMatchObject([
			{ state: 'sent', packageId: expect.any(String) as unknown },
			{ state: 'failed', outcome: 'rejected', reason: expect.stringContaining('e-mail') as unknown },
			{ state: 'failed', outcome: 'unsent' },
			{ state: 'failed', outcome: 'unknown' },
			{ state: 'failed', outcome: 'unsent', reason: expect.stringContaining('Support E-mail') as unknown },
			{ state: 'approved', outcome: 'unsent' },
		]);
		expect(await recipients()).toEqual(['ada@example.com', 'dan@example.com']);
		const ofAda = (await sandbox.state()).messages.find(({ recipient }) => recipient === 'ada@example.com');
		expect(ofAda?.channelId).toBe(world().channel('Support E-mail').channelId);

		await sandbox.clearFaults();
		const corrected = { state: '', email: 'bob@example.com' };
		await tables.update(table, written[1]?.id ?? 0, corrected);
		// What n8n could not write down, because it died before.
		await tables.update(table, written[0]?.id ?? 0, { state: 'approved', packageId: null });
		await tables.insert(table, [row('Eve')]);

		expect((await asked(id, 'approve')).status).toBe('success');
		const sent = { state: 'sent', outcome: '', reason: '' };
		expect(await tables.rows(table)).toMatchObject([
			{ ...sent, outcome: 'sent before', packageId: written[0]?.['packageId'] },
			sent,
			...[{ state: 'failed' }, { state: 'failed', outcome: 'unknown' }, { state: 'failed' }],
			sent,
			sent,
		]);
		expect(await recipients()).toEqual(
			['ada', 'bob', 'dan', 'eve', 'gus'].map((name) => `${name}@example.com`),
		);
	});

	test('sends nothing after Decline, nothing to whoever has said STOP, and asks about nothing twice', async () => {
		const { id } = await importExample(n8n, filled('bulk-send-from-a-table'));
		await tables.insert(table, [row('Ada')]);
		expect((await asked(id, 'decline')).status).toBe('success');
		await tables.insert(table, [
			row('Bob', 'Bob <bob@example.com>'),
			row('Cem', 'CEM@example.com'),
			row('Dan'),
		]);
		await tables.insert('Messaging customers', [
			{ address: 'ada@example.com', doNotContact: false },
			{ address: ' BOB@example.com ', doNotContact: true },
			{ address: 'Cem <cem@example.com>', doNotContact: true },
		]);
		expect((await asked(id, 'approve')).status).toBe('success');
		expect((await n8n.runWorkflow(id, 'Every Hour')).status).toBe('success');
		const leftOut = { state: 'left out', reason: 'said STOP' };
		expect(await tables.rows(table)).toMatchObject([
			{ state: 'declined' },
			leftOut,
			leftOut,
			{ state: 'sent' },
		]);
		expect(await recipients()).toEqual(['dan@example.com']);
	});
});

it("inbox keeps each event before it answers, refuses what it can't tell apart, and sends the rest once", async () => {
	const table = 'Messaging inbox';
	await whilePublished(filled('inbox'), async ({ id }) => {
		const event = (orderId: unknown, name: string, email: string | null = `${name}@example.com`) => ({
			orderId,
			customer: { name, email },
		});
		const post = async (...events: object[]): Promise<number[]> => {
			const codes: number[] = [];
			for (const each of events) codes.push((await n8n.callWebhook('inbox-change-this', each)).statusCode);
			return codes;
		};
		const kept = [
			event('1', 'ada'),
			event(' 1', 'ada'),
			event('2', 'bob', 'bob@nowhere'),
			event(3, 'cem', null),
		];
		expect(await post(...kept, event('4', 'dan'), event('5', 'eve'))).toEqual(Array(6).fill(200));
		const refused = [{ customer: { name: 'ada' } }, event(' ', 'ada'), event({}, 'ada'), event('1', 'eve')];
		expect(await post(...refused)).toEqual(Array(4).fill(400));
		await sandbox.setFaults([
			{ kind: 'lostResponse', bodyContains: 'dan@example.com' },
			{
				kind: 'status',
				bodyContains: 'eve@example.com',
				status: 503,
				headers: { 'retry-after': '3600' },
				body: { title: 'Later', status: 503 },
			},
		]);
		const run = async () => {
			const { status } = await n8n.runWorkflow(id, 'Every Minute');
			return { status, rows: await tables.rows(table) };
		};

		const { status, rows } = await run();

		expect(status).toBe('error');
		expect(rows).toMatchObject([
			{ orderId: '1', state: 'sent' },
			{ orderId: '2', state: 'rejected' },
			{ orderId: '3', state: 'unsent', reason: expect.stringContaining('E') as unknown },
			{ orderId: '4', state: 'unknown' },
			{ orderId: '5', state: '', reason: expect.any(String) as unknown },
		]);
		await sandbox.clearFaults();
		// What n8n could not write down, because it died before.
		await tables.update(table, rows[0]?.id ?? 0, { state: null });
		expect(await post(event('1', 'ada'))).toEqual([200]);

		const second = await run();

		expect(second.status).toBe('success');
		expect(second.rows.map(({ state }) => state)).toEqual(['sent', 'rejected', 'unsent', 'unknown', 'sent']);
		expect(await recipients()).toEqual(['ada', 'dan', 'eve'].map((name) => `${name}@example.com`));
	});
});
