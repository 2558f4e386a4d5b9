import { importExample } from '../../dev/harness/deliver-to.mts';
import { errorOf } from '../../dev/harness/n8n/api.mts';
import { enterExamples } from './example-runs.mts';

/** Examples that keep a row before they send. */

const { n8n, sandbox, whilePublished, tables, world, filled } = enterExamples();

/** The recipients of all messages, in alphabetical order. */
const recipients = async () => (await sandbox.state()).messages.map(({ recipient }) => recipient).sort();

it('bulk-send-from-a-table writes back, and a second run sends the rest', async () => {
	const table = 'Messaging list to send';
	const { id } = await importExample(n8n, filled('bulk-send-from-a-table'));
	const run = async () => await n8n.runWorkflow(id, 'Every Hour');
	const row = (name: string, email = `${name.toLowerCase()}@example.com`, text = `Dear ${name}`) => ({
		name,
		email,
		text,
		channel: 'Shop Newsletter',
	});
	const ada = { ...row('Ada'), channel: 'support e-mail' };
	const finn = { ...row('Finn'), channel: 'Support' };
	const rows = [ada, row('Bob', 'bob@nowhere'), row('Cem', undefined, ''), row('Dan'), finn];
	await tables.insert(table, rows);
	await sandbox.setFaults([{ kind: 'lostResponse', bodyContains: 'dan@example.com' }]);

	const first = await run();

	expect(first.status).toBe('error');
	expect(errorOf(first, 'Say That Rows Failed')?.['message']).toMatch(/^4 of 5 rows failed/);
	const written = await tables.rows(table);
	expect(written).toMatchObject([
		{ state: 'sent', packageId: expect.any(String) as unknown },
		{ state: 'failed', outcome: 'rejected', reason: expect.stringContaining('e-mail') as unknown },
		{ state: 'failed', outcome: 'unsent' },
		{ state: 'failed', outcome: 'unknown' },
		{ state: 'failed', outcome: 'unsent', reason: expect.stringContaining('Support E-mail') as unknown },
	]);
	expect(await recipients()).toEqual(['ada@example.com', 'dan@example.com']);
	const ofAda = (await sandbox.state()).messages.find(({ recipient }) => recipient === 'ada@example.com');
	expect(ofAda?.channelId).toBe(world().channel('Support E-mail').channelId);

	await sandbox.clearFaults();
	await tables.update(table, written[1]?.id ?? 0, { email: 'bob@example.com' });
	await tables.update(table, written[2]?.id ?? 0, { text: 'Dear Cem' });
	await tables.update(table, written[4]?.id ?? 0, { channel: 'Support E-mail' });
	// What n8n could not write down, because it died before.
	await tables.update(table, written[0]?.id ?? 0, { state: null, packageId: null });
	await tables.insert(table, [row('Eve')]);

	expect((await run()).status).toBe('error');
	const sent = { state: 'sent', outcome: '', reason: '' };
	const packageId = written[0]?.['packageId'];
	expect(await tables.rows(table)).toMatchObject([
		{ ...sent, outcome: 'sent before', packageId },
		sent,
		sent,
		{ state: 'failed', outcome: 'unknown' },
		sent,
		sent,
	]);
	const all = ['ada', 'bob', 'cem', 'dan', 'eve', 'finn'].map((name) => `${name}@example.com`);
	expect(await recipients()).toEqual(all);
});

it('bulk-send-from-a-table leaves out who has said STOP, and says so in the row', async () => {
	const { id } = await importExample(n8n, filled('bulk-send-from-a-table'));
	const rows = ['Ada', 'Bob'].map((name) => ({
		name,
		email: `${name}@example.com`,
		text: `Dear ${name}`,
		channel: 'Shop Newsletter',
	}));
	await tables.insert('Messaging list to send', rows);
	await tables.insert('Messaging customers', [
		{ address: 'ada@example.com', doNotContact: false },
		{ address: 'bob@example.com', doNotContact: true },
	]);
	expect((await n8n.runWorkflow(id, 'Every Hour')).status).toBe('success');
	expect(await tables.rows('Messaging list to send')).toMatchObject([
		{ state: 'sent' },
		{ state: 'left out', reason: 'said STOP' },
	]);
	expect(await recipients()).toEqual(['Ada@example.com']);
});

it('inbox keeps each event before it answers, and sends what has no outcome, once', async () => {
	const table = 'Messaging inbox';
	await whilePublished(filled('inbox'), async ({ id }) => {
		const event = (orderId: string, name: string, email = `${name}@example.com`) => ({
			orderId,
			customer: { name, email },
		});
		const events = [event('1', 'ada'), event('1', 'ada'), event('2', 'bob', 'bob@nowhere')];
		for (const each of [...events, event('3', 'cem', ''), event('4', 'dan')]) {
			expect(await n8n.callWebhook('inbox-change-this', each)).toEqual({
				statusCode: 200,
				text: '{"kept":true}',
			});
		}
		await sandbox.setFaults([{ kind: 'lostResponse', bodyContains: 'dan@example.com' }]);
		const run = async () => {
			const { status } = await n8n.runWorkflow(id, 'Every Minute');
			return { status, rows: await tables.rows(table) };
		};

		const { status, rows } = await run();

		expect(status).toBe('error');
		expect(rows).toMatchObject([
			{ orderId: '1', state: 'sent' },
			{ orderId: '2', state: 'rejected' },
			{ orderId: '3', state: '', reason: expect.stringContaining('E') as unknown },
			{ orderId: '4', state: 'unknown' },
		]);
		await sandbox.clearFaults();
		await tables.update(table, rows[2]?.id ?? 0, { email: 'cem@example.com' });
		// What n8n could not write down, because it died before.
		await tables.update(table, rows[0]?.id ?? 0, { state: null });
		await n8n.callWebhook('inbox-change-this', event('1', 'ada'));

		const second = await run();

		expect(second.status).toBe('success');
		expect(second.rows.map(({ state }) => state)).toEqual(['sent', 'rejected', 'sent', 'unknown']);
		expect(await recipients()).toEqual(['ada', 'cem', 'dan'].map((name) => `${name}@example.com`));
	});
});
