import { setTimeout as sleep } from 'node:timers/promises';

import { withAssignments, withParameters } from '../../dev/harness/examples.mts';
import { eventually } from '../waiting.mts';
import { enterExamples } from './example-runs.mts';

/** Examples that receive messages, with the deliveries that a service may make. */

const { n8n, sandbox, withModel, whilePublished, succeeded, tables, world, filled } = enterExamples();

/** A message package as a service delivers it, without the channel. */
interface Incoming {
	readonly email?: string;
	readonly messageId?: string;
	readonly text?: string;
	readonly [flag: string]: unknown;
}

const incoming = ({ email = 'ada@example.com', ...content }: Incoming): object => ({
	channelId: world().channel('Support E-mail').channelId,
	content: { from: { type: 'EMAIL', email }, ...content },
});

/** What was sent, as recipient and text. */
const sent = async () => (await sandbox.state()).messages.map(({ recipient, text }) => [recipient, text]);

const containing = (text: string): string => expect.stringContaining(text) as string;
const promise = 'Thank you for your message. A colleague will answer you soon.';

describe('answer-a-customer', () => {
	const path = 'incoming-message-change-this';

	test('stops after five answers to a robot, tells a colleague once, and still answers others', async () => {
		await whilePublished(filled('answer-a-customer'), async ({ id }) => {
			const note = (messageId: string, email = 'Robot@example.com'): object =>
				incoming({ messageId, email, text: 'I am away.' });
			const rounds = [
				...[['1', '2', '3'], ['4'], ['5'], ['6', '7'], ['1'], ['8']].map((ids) =>
					ids.map((each) => note(each)),
				),
				[note('9'), note('1', 'bob@example.com')],
			];
			for (const [index, messages] of rounds.entries()) {
				await n8n.callWebhook(path, messages);
				await succeeded(id, index + 1);
			}
		});
		expect(await sent()).toEqual([
			...Array<unknown>(5).fill(['Robot@example.com', promise]),
			['team@example.com', containing('robot@example.com')],
			['bob@example.com', promise],
		]);
	});
});

describe('agent-answers-a-customer', () => {
	const path = 'agent-message-change-this';
	const table = 'Messaging messages of customers';
	const taken = async () => (await tables.rows(table)).map((row) => row['taken']);

	test('gives one answer to several messages, and takes them once an answer went out, with its tool or without', async () => {
		const steps = [
			{ tool: /^Answer/, arguments: { text: 'On its way.' } },
			'I could not send it.',
			'<think>Now without the tool.</think>\n\nIt is on its way.',
			'Agent stopped due to max iterations.',
		];
		// The example looks for a credential with this name.
		await withModel('OpenAI account', steps, async (_credential, model) => {
			const example = withParameters(filled('agent-answers-a-customer'), { 'Wait for More': { amount: 8 } });
			await whilePublished(example, async ({ id }) => {
				let kept = 0;
				const deliver = async (...messages: Incoming[]): Promise<void> => {
					await n8n.callWebhook(path, messages.map(incoming));
					kept += messages.length;
					const areKept = async () => (await tables.rows(table)).length >= kept;
					await eventually(areKept, `row ${kept}`, 50);
				};
				await sandbox.setFaults([
					{ kind: 'status', bodyContains: 'On its way.', status: 400, body: { title: 'No', status: 400 } },
				]);
				// The last comes before the first has waited long enough: it is the pause that counts.
				await deliver({ messageId: '1', text: 'Hello' });
				await sleep(4_000);
				await deliver({ messageId: '2', text: 'Where is my order?' });
				await succeeded(id, 2);
				expect(await sent()).toEqual([['team@example.com', containing('Hello\nWhere is my order?')]]);
				expect(await taken()).toEqual([false, false]);

				await sandbox.clearFaults();
				await deliver({ messageId: '3', type: 'IMAGE' });
				await succeeded(id, 3);
				expect((await sent()).slice(1)).toEqual([['ada@example.com', 'It is on its way.']]);
				expect(JSON.stringify(model.prompts.at(-1)?.messages)).toContain(
					'Where is my order?\\n(A message without',
				);
				expect(await taken()).toEqual([true, true, true]);

				await n8n.callWebhook(path, incoming({ messageId: '2', text: 'Where is my order?' }));
				await succeeded(id, 4);
				await deliver({ messageId: '4', email: 'bob@example.com', text: 'Hi' });
				await succeeded(id, 5);
				expect((await sent()).slice(2)).toEqual([['team@example.com', containing('bob@example.com')]]);
				expect(await taken()).toEqual([true, true, true, false]);
				expect(JSON.stringify(model.prompts.at(-1)?.messages)).not.toContain('Where is my order?');
				const [{ tools }] = model.prompts as [(typeof model.prompts)[number]];
				expect(tools.map(({ parameters }) => Object.keys(parameters.properties ?? {}))).toEqual([['text']]);
			});
		});
	});
});

describe('person-takes-over', () => {
	const path = 'person-takes-over-change-this';
	const bot = containing('For a colleague, write');

	const play = async (
		act: (deliver: (...messages: object[]) => Promise<void>) => Promise<void>,
		example = filled('person-takes-over'),
	): Promise<void> =>
		await whilePublished(example, async ({ id }) => {
			let deliveries = 0;
			await act(async (...messages) => {
				await n8n.callWebhook(path, messages);
				deliveries += 1;
				await succeeded(id, deliveries);
			});
		});

	/** A message of the own side, as it comes back. */
	const own = (email: string, correlationId?: unknown): object => ({
		...{ correlationId, channelId: world().channel('Support E-mail').channelId },
		content: { isFromMe: true, text: 'From us', to: { type: 'EMAIL', email } },
	});

	test('is silent for a customer to whom a person has written, and for no other, nor after a campaign', async () => {
		await play(async (deliver) => {
			await deliver(incoming({ messageId: '1', text: 'Hello' }));
			const [answer] = (await sandbox.state()).messages;
			await deliver(own('ada@example.com', answer?.package['correlationId']));
			await deliver(own('ada@example.com', 'workflow:spring-sale'));
			await deliver(incoming({ messageId: '2', text: 'Are you a bot?' }));
			expect(await sent()).toEqual(Array(2).fill(['ada@example.com', bot]));

			await deliver(own('Ada <ADA@example.com>', 'ticket 7'));
			await deliver(
				incoming({ messageId: '3', text: 'Thank you' }),
				incoming({ messageId: '3', email: 'bob@example.com', text: 'Hello' }),
			);
			expect((await sent()).slice(2)).toEqual([['bob@example.com', bot]]);

			const [row] = await tables.rows('Messaging customers');
			await tables.update('Messaging customers', row?.id ?? 0, { silentUntil: '2026-01-01T00:00:00Z' });
			await deliver(incoming({ messageId: '4', text: 'Hello again' }));
			expect((await sent()).slice(3)).toEqual([['ada@example.com', bot]]);
		});
	});

	test('is silent once a customer has asked for a person, and after STOP until START', async () => {
		const example = withAssignments(filled('person-takes-over'), 'Settings', { stopWords: 'STOP, Abmelden' });
		await play(async (deliver) => {
			const from = { type: 'EMAIL', email: 'ada@example.com', name: 'Ada Lovelace' };
			await deliver(incoming({ messageId: '1', text: 'A person, please!', from }));
			await deliver(incoming({ messageId: '2', text: 'Hello?', from }));
			expect((await sent()).sort()).toEqual([
				['ada@example.com', 'A colleague will answer you soon.'],
				[
					'team@example.com',
					'Ada Lovelace, ada@example.com asks for a person and writes:\n\nA person, please!',
				],
			]);
			const email = 'Cem@Example.com';
			const stop = 'Abmelden\nCem\n\nOn 2 Nov 2026 at 10:00, Shop <shop@example.com> wrote:\n> Hello';
			const texts = [stop, 'Hello', 'a person please', 'START', "Don't stop", ' \u200bSTOP. '];
			for (const [index, text] of texts.entries()) {
				await deliver(incoming({ messageId: String(index), email, text }));
			}
			const told = containing('no more messages');
			expect((await sent()).slice(2)).toEqual(
				[told, containing('Welcome back'), bot, told].map((text) => [email, text]),
			);
			const [, ofCem] = await tables.rows('Messaging customers');
			expect(ofCem).toMatchObject({ address: 'cem@example.com', doNotContact: true });
		}, example);
	});
});

describe('answer-in-the-chat', () => {
	test('goes on with the answer of whoever was asked, to the question that is meant', async () => {
		await whilePublished(filled('answer-in-the-chat'), async ({ id }) => {
			const order = async (orderId: string, email: string): Promise<string> => {
				await n8n.callWebhook('chat-order-received', { orderId, customer: { name: orderId, email } });
				const newest = async () => (await n8n.executions(id))[0];
				await eventually(async () => (await newest())?.status === 'waiting', `order ${orderId}`, 200);
				return (await newest())?.id ?? '';
			};
			const waiting = [
				await order('a1', 'Ada@example.com'),
				await order('b1', 'bob@example.com'),
				await order('b2', 'bob@example.com'),
			];
			const [ofAda, ofBob] = (await sandbox.state()).messages.map(
				({ text }) => /^Question \d+/.exec(text ?? '')?.[0],
			);
			const say = async (messageId: string, email: string, text: string, sentThen: number): Promise<void> => {
				await n8n.callWebhook('chat-answers-change-this', incoming({ messageId, email, text }));
				const isSent = async () => (await sent()).length >= sentThen;
				await eventually(isSent, `message ${sentThen}`, 200);
			};
			await say('1', 'ada@example.com', 'Sure? No!', 4);
			await say('2', 'bob@example.com', '1', 5);
			await say('3', 'bob@example.com', `2\n\nSent from my iPhone\n> ${ofBob}: Hello b1`, 6);
			await say('4', 'bob@example.com', 'Yes!', 7);
			await say('5', 'ada@example.com', '2', 8);

			for (const each of waiting) expect((await n8n.waitForExecution(each)).status).toBe('success');
			expect((await sent()).slice(3)).toEqual([
				['ada@example.com', containing(`${ofAda}: order a1`)],
				['bob@example.com', containing(`${ofBob}: order b1`)],
				['bob@example.com', containing("b1 doesn't come tomorrow")],
				['bob@example.com', containing('b2 comes tomorrow')],
				['Ada@example.com', containing("a1 doesn't come tomorrow")],
			]);
			expect(await tables.rows('Messaging open questions')).toEqual([]);
		});
	});
});
