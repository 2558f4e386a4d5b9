import { request } from 'undici';

import { importExample } from '../../dev/harness/deliver-to.mts';
import { readExample, withParameters } from '../../dev/harness/examples.mts';
import { errorOf } from '../../dev/harness/n8n/api.mts';
import type { WorkflowFile } from '../../dev/harness/n8n/api.mts';
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

describe('scheduled-outbox-requeue', () => {
	test('requeues what failed, a few times each; what is cancelled, unknown or given up comes once, in one alarm', async () => {
		const { channelId } = world().channel(channelName);
		const [sent = ''] = idsOf('Sent');
		const [first = '', second = ''] = idsOf('Failed');
		const [cancelled = ''] = idsOf('Cancelled');
		const unknown = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
		const { id } = await importExample(n8n, filled('scheduled-outbox-requeue'));
		const watched = [sent, first, second, cancelled, unknown];
		await tables.insert(
			table,
			watched.map((entryId) => ({ channelId, entryId, tries: 0, state: 'watched', note: '' })),
		);
		const run = async (trigger = 'Look Every 15 Minutes') => {
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
		const { id } = await importExample(n8n, readExample('scheduled-outbox-requeue'));
		await tables.insert(
			table,
			idsOf('Failed').map((entryId) => ({ channelId, entryId, tries: 0, state: 'watched', note: '' })),
		);
		const execution = await n8n.runWorkflow(id, 'Look Every 15 Minutes');
		expect(execution.status).toBe('error');
		expect(errorOf(execution, 'Say What to Enter')?.['message']).toMatch(/statusName/);
		expect(await receivedCalls(sandbox)).toEqual([]);
	});

	test('fails where it can be seen while the service is down, and counts no try', async () => {
		const { channelId } = world().channel(channelName);
		const { id } = await importExample(n8n, filled('scheduled-outbox-requeue'));
		const [entryId = ''] = idsOf('Failed');
		await tables.insert(table, [{ channelId, entryId, tries: 0, state: 'watched', note: '' }]);
		await sandbox.setFaults([{ kind: 'reset', method: 'GET', path: 'outbox' }]);
		const execution = await n8n.runWorkflow(id, 'Look Every 15 Minutes', 120_000);
		expect(execution.status).toBe('error');
		expect(await rows()).toEqual([{ entryId, tries: 0, state: 'watched', note: '' }]);
	});

	test('watches what is entered in its form; entered once more, an entry is tried again', async () => {
		const example = filled('scheduled-outbox-requeue');
		// As its note says: what nobody uses is deleted.
		const unused = ['Every 15 Minutes', 'Failed Entries'];
		const nodes = example.nodes.filter(({ name }) => !unused.includes(name));
		const connections = Object.fromEntries(
			Object.entries(example.connections).filter(([name]) => !unused.includes(name)),
		);
		await whilePublished({ ...example, nodes, connections }, async ({ id }) => {
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

	describe('with a list that the service documents', () => {
		const listed = (): WorkflowFile => {
			const parameters = [
				{ name: 'channelId', value: world().channel(channelName).channelId },
				{ name: 'statusName', value: 'Failed' },
			];
			return withParameters(filled('scheduled-outbox-requeue'), {
				'Failed Entries': { path: '/sandbox/outbox', queryParameters: { parameters } },
			});
		};

		test('its first three nodes requeue what failed', async () => {
			const { id } = await importExample(n8n, listed());
			expect((await n8n.runWorkflow(id, 'Every 15 Minutes')).status).toBe('success');
			expect((await requeued()).sort()).toEqual(idsOf('Failed').sort());
			expect(await rows()).toEqual([]);
		});

		test('while nobody has entered its path, nothing is requeued, and the run fails', async () => {
			const { id } = await importExample(n8n, filled('scheduled-outbox-requeue'));
			const execution = await n8n.runWorkflow(id, 'Every 15 Minutes');
			expect(execution.status).toBe('error');
			expect(await receivedCalls(sandbox)).toEqual([]);
		});

		test('connected to the table, it has each entry watched once', async () => {
			const example = listed();
			const toTable = [{ node: 'Not Watched Yet', type: 'main' as const, index: 0 }];
			const connections = { ...example.connections, 'Failed Entries': { main: [toTable] } };
			const { id } = await importExample(n8n, { ...example, connections });
			const [first, second] = idsOf('Failed');
			const run = async () => {
				expect((await n8n.runWorkflow(id, 'Every 15 Minutes')).status).toBe('success');
				return await rows();
			};

			const watched = await run();

			const row = { tries: 0, state: 'watched', note: 'from the list' };
			expect(watched.map(({ entryId }) => entryId).sort()).toEqual([first, second].sort());
			expect(watched).toMatchObject([row, row]);
			// One that was given up is not watched again.
			await tables.update(table, 1, { tries: 2, state: 'told' });
			expect(await run()).toMatchObject([{ state: 'told', tries: 2 }, row]);
			expect(await requeued()).toEqual([]);
		});
	});
});
