import { request } from 'undici';

import { importExample } from '../../dev/harness/deliver-to.mts';
import { readExample } from '../../dev/harness/examples.mts';
import { errorOf } from '../../dev/harness/n8n/api.mts';
import { fillInForm } from '../../dev/harness/n8n/form.mts';
import { receivedCalls } from '../../dev/harness/world.mts';
import { enterExamples } from './example-runs.mts';

const { stage, n8n, sandbox, whilePublished, ended, tables, world, filled } = enterExamples();
const table = 'Messaging watched entries';

const channelName = 'Support Ticket Hook';

const idsOf = (status: string): string[] =>
	world()
		.entries(channelName, status)
		.map((entry) => entry.httpSenderOutboxEntryId);

/** The IDs that were put back into the queue, in order. */
const requeued = async () =>
	(await receivedCalls(sandbox)).flatMap(({ operationId, body }) =>
		operationId === 'outbox.requeue' ? (body as { ids: string[] }).ids : [],
	);

const rows = async () =>
	(await tables.rows(table)).map(({ entryId, tries, state, note }) => ({ entryId, tries, state, note }));

describe('watch-outbox-entries', () => {
	test('requeues what failed, a few times each; what is cancelled, unknown or given up comes once, in one alarm', async () => {
		const { channelId } = world().channel(channelName);
		const [sent = ''] = idsOf('Sent');
		const [first = '', second = ''] = idsOf('Failed');
		const [cancelled = ''] = idsOf('Cancelled');
		const unknown = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
		const { id } = await importExample(n8n, filled('watch-outbox-entries'));
		const watched = [sent, first, second, cancelled, unknown];
		await tables.insert(
			table,
			watched.map((entryId) => ({ channelId, entryId, tries: 0, state: 'watched', note: '' })),
		);
		const run = async (trigger = 'Every 15 Minutes') => {
			expect((await n8n.runWorkflow(id, trigger)).status).toBe('success');
			return await rows();
		};

		expect(await run()).toEqual([
			{ entryId: first, tries: 1, state: 'watched', note: '' },
			{ entryId: second, tries: 1, state: 'watched', note: '' },
			{ entryId: cancelled, tries: 0, state: 'alarm', note: 'not requeued, status Cancelled' },
			{ entryId: unknown, tries: 0, state: 'alarm', note: expect.stringContaining('not readable') },
		]);
		expect(await requeued()).toEqual([first, second]);

		// Somebody cancels the first, and the second stays as it is.
		const entry = `${stage.sandbox.url}/api/v1/admin/channel/${channelId}/outbox/${first}/cancel`;
		const answer = await request(entry, {
			method: 'PATCH',
			headers: { 'x-api-key': stage.sandbox.tokens.org },
		});
		expect(answer.statusCode).toBe(200);
		const body = { ...world().entries(channelName, 'Failed')[1], retryCount: 0 };
		await sandbox.setFaults([{ kind: 'reply', method: 'GET', path: `outbox/${second}`, body }]);
		expect(await run()).toMatchObject([{ state: 'alarm' }, { tries: 2, state: 'watched' }, {}, {}]);
		expect(await run()).toMatchObject([
			{ entryId: first, note: 'not requeued, status Cancelled' },
			{ tries: 2, state: 'alarm', note: 'given up after 2 tries, status Failed' },
			{},
			{},
		]);
		await run();
		expect(await requeued()).toEqual([first, second, second]);

		const reported = await run('Every Morning');
		expect(reported.map(({ state }) => state)).toEqual(Array(4).fill('told'));
		await run('Every Morning');
		const { messages } = await sandbox.state();
		expect(messages.map(({ recipient }) => recipient)).toEqual(['on-call@example.com']);
		for (const entryId of [first, second, cancelled, unknown]) expect(messages[0]?.text).toContain(entryId);
	});

	test('requeues nothing, and says what to enter, while nobody has said which statuses are worth a retry', async () => {
		const { channelId } = world().channel(channelName);
		const { id } = await importExample(n8n, readExample('watch-outbox-entries'));
		await tables.insert(
			table,
			idsOf('Failed').map((entryId) => ({ channelId, entryId, tries: 0, state: 'watched', note: '' })),
		);
		const execution = await n8n.runWorkflow(id, 'Every 15 Minutes');
		expect(execution.status).toBe('error');
		expect(errorOf(execution, 'Say What to Enter')?.['message']).toMatch(/statusName/);
		expect(await receivedCalls(sandbox)).toEqual([]);
	});

	test('fails where it can be seen while the service is down, and counts no try', async () => {
		const { channelId } = world().channel(channelName);
		const { id } = await importExample(n8n, filled('watch-outbox-entries'));
		const [entryId = ''] = idsOf('Failed');
		await tables.insert(table, [{ channelId, entryId, tries: 0, state: 'watched', note: '' }]);
		await sandbox.setFaults([{ kind: 'reset', method: 'GET', path: 'outbox' }]);
		const execution = await n8n.runWorkflow(id, 'Every 15 Minutes', 120_000);
		expect(execution.status).toBe('error');
		expect(await rows()).toEqual([{ entryId, tries: 0, state: 'watched', note: '' }]);
	});

	test('watches what is entered in its form; entered once more, an entry is tried again', async () => {
		await whilePublished(filled('watch-outbox-entries'), async ({ id }) => {
			const { channelId } = world().channel(channelName);
			const [entryId = ''] = idsOf('Failed');
			const fields = [` ${channelId} `, entryId, 'ticket 7'];
			await fillInForm(n8n.url, 'watch-entry', fields);
			await ended(id, 1);
			const row = { entryId, tries: 0, state: 'watched', note: 'ticket 7' };
			expect(await rows()).toEqual([row]);
			await tables.update(table, 1, { state: 'told', tries: 2 });
			await fillInForm(n8n.url, 'watch-entry', fields);
			await ended(id, 2);
			expect(await rows()).toEqual([row]);
		});
	});
});

describe('scheduled-outbox-requeue', () => {
	test('requeues what the list of the service shows, three times each; then one alarm a day', async () => {
		const { id } = await importExample(n8n, filled('scheduled-outbox-requeue'));
		const failed = idsOf('Failed').sort();
		const body = world().entries(channelName, 'Failed');
		await sandbox.setFaults([{ kind: 'reply', method: 'GET', path: '/sandbox/outbox', body }]);
		for (const count of [1, 2, 3, 3, 3]) {
			expect((await n8n.runWorkflow(id, 'Every 15 Minutes')).status).toBe('success');
			const ids = await requeued();
			expect(ids.sort()).toEqual(failed.flatMap((entry) => Array<string>(count).fill(entry)));
		}
		const { messages } = await sandbox.state();
		expect(messages.map(({ recipient }) => recipient)).toEqual(['on-call@example.com']);
		for (const entryId of failed) expect(messages[0]?.text).toContain(entryId);
	});

	test('while nobody has entered the path of the list, nothing is requeued, and the run fails', async () => {
		const { id } = await importExample(n8n, readExample('scheduled-outbox-requeue'));
		expect((await n8n.runWorkflow(id, 'Every 15 Minutes')).status).toBe('error');
		expect(await receivedCalls(sandbox)).toEqual([]);
	});
});
