import { askQuestion, openLink, sendAnswer } from '../../dev/harness/answer-page.mts';
import { outputOf } from '../../dev/harness/n8n/api.mts';
import type { QueueStage } from '../../dev/harness/queue/stage.mts';
import { names } from '../../dev/harness/workflows.mts';

/** Asks two people; returns the waiting execution and each person's link. */
async function ask({ client, sandbox, credential }: QueueStage): Promise<{ id: string; links: string[] }> {
	await sandbox.reset();
	const parameters = {
		toEmail: '={{ $json.email }}',
		message: '=May it go on, {{ $json.email }}? Asked at {{ $now.toMillis() }}.',
		approvalOptions: { values: { approvalType: 'double' } },
	};
	const items = [{ email: 'ada@example.com' }, { email: 'grace@example.com' }];
	const asked = await askQuestion(client, sandbox, credential, parameters, items);
	expect(asked.links).toHaveLength(2);
	return asked;
}

async function answerOf(stage: QueueStage, id: string): Promise<unknown> {
	const execution = await stage.client.waitForExecution(id, 120_000);
	expect(execution.status).toBe('success');
	expect(execution.data.resultData.runData[names.success]).toHaveLength(1);
	return outputOf(execution, names.messaging).map(({ json }) => json);
}

/** Registers the tests of a question in queue mode: a worker asks, the main process serves the page, any worker resumes. */
export function questions(stage: () => QueueStage): void {
	describe('a question', () => {
		test('the page is served and the answer counts, once, wherever the work is done', async () => {
			const { id, links } = await ask(stage());
			const [first = '', second = ''] = links;
			expect((await openLink(second)).html).toContain('May it go on, grace@example.com?');

			const sent = [first, second, first, second].map(
				async (link, index) => await sendAnswer(link, { answer: index < 2 ? 'approve' : 'decline' }),
			);
			const counted = (await Promise.all(sent)).flatMap(({ status }, index) =>
				status === 200 ? [index] : [],
			);

			expect(counted).toHaveLength(1);
			const [index = -1] = counted;
			expect(await answerOf(stage(), id)).toMatchObject([{ data: { approved: index < 2 }, item: index % 2 }]);
		});

		test('a question outlives a restart of everything', async () => {
			const { id, links } = await ask(stage());
			const players = [stage().main, ...stage().workers];
			await Promise.all(players.map(async (player) => await player.kill()));
			for (const player of players) await player.start();

			const [, link = ''] = links;
			// The page shows the question as it was asked, even if its expressions would now give another text.
			const [asked = ''] = (await stage().sandbox.state()).messages[1]?.text?.split('\n') ?? [];
			expect(asked).toMatch(/^May it go on, grace@example\.com\?/);
			expect((await openLink(link)).html).toContain(asked);
			expect((await sendAnswer(link, { answer: 'decline' })).status).toBe(200);

			expect(await answerOf(stage(), id)).toMatchObject([{ data: { approved: false }, item: 1 }]);
			expect((await stage().sandbox.state()).messages).toHaveLength(2);
		});
	});
}
