import { setTimeout as sleep } from 'node:timers/promises';

import { readExample, withAssignments, withParameters } from '../../dev/harness/examples.mts';
import { eventually } from '../waiting.mts';
import { enterExamples } from './example-runs.mts';

/** Examples that receive messages, with the deliveries that a service may make. */

const { n8n, sandbox, whilePublished, ended, tables, world, filled } = enterExamples();

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

const openingHours = 'We are open from Monday to Friday, 9 am to 5 pm.';
const promise = 'Thank you for your message. A colleague will answer you soon.';
const wordsPlease = 'Thank you. I can only read text: what is it about?';

test('answer-a-customer answers each message of a delivery with several, and a picture, but not its own side', async () => {
	await whilePublished(readExample('answer-a-customer'), async ({ id }) => {
		await n8n.callWebhook('incoming-message-change-this', [
			incoming({ messageId: '1', text: 'When do you open?' }),
			incoming({ messageId: '2', text: 'Welcome!', isFromMe: true }),
			incoming({ messageId: '3', text: 'Hello, all', isGroupMessage: true }),
			incoming({ messageId: '4', email: 'bob@example.com', type: 'IMAGE' }),
		]);
		const [execution] = await ended(id, 1);
		expect(execution?.status).toBe('success');
	});
	expect((await sent()).sort()).toEqual([
		['ada@example.com', openingHours],
		['bob@example.com', promise],
	]);
});

describe('several-messages-one-answer', () => {
	const path = 'several-messages-change-this';
	const table = 'Messaging messages of customers';
	const answered = (text: string): string =>
		`Thank you, we have read this:\n\n${text}\n\nA colleague will answer you soon.`;

	test('three messages of one customer and one of another get two answers; a repeated delivery gets none', async () => {
		const example = withParameters(readExample('several-messages-one-answer'), {
			'Wait for More': { amount: 10 },
		});
		await whilePublished(example, async ({ id }) => {
			let kept = 0;
			const deliver = async (...messages: Incoming[]): Promise<void> => {
				await n8n.callWebhook(path, messages.map(incoming));
				kept += messages.length;
				const areKept = async () => (await tables.rows(table)).length >= kept;
				await eventually(areKept, `row ${kept}`, 50);
			};
			// The last comes when the first has waited long enough: it is the pause that counts.
			await deliver({ messageId: '1', text: 'Hello' });
			await sleep(6_000);
			await deliver(
				{ messageId: '2', text: 'are you there?' },
				{ messageId: '1', email: 'bob@example.com', text: 'Hi' },
			);
			await sleep(6_000);
			await deliver({ messageId: '3', text: 'Where is my order?' });
			const executions = await ended(id, 3);
			expect(executions.map(({ status }) => status)).toEqual(Array(3).fill('success'));
			const answers = [
				['ada@example.com', answered('Hello\nare you there?\nWhere is my order?')],
				['bob@example.com', answered('Hi')],
			];
			expect((await sent()).sort()).toEqual(answers);

			await n8n.callWebhook(path, incoming({ messageId: '2', text: 'are you there?' }));
			await ended(id, 4);
			expect(await sent()).toHaveLength(2);
			await deliver({ messageId: '4', text: 'Thank you' });
			await ended(id, 5);
			expect((await sent()).slice(2)).toEqual([['ada@example.com', answered('Thank you')]]);
		});
	});

	test('a picture is answered at once, and a message without an ID fails where it can be seen', async () => {
		await whilePublished(readExample('several-messages-one-answer'), async ({ id }) => {
			await n8n.callWebhook(path, incoming({ messageId: '1', type: 'IMAGE' }));
			expect((await ended(id, 1))[0]?.status).toBe('success');
			expect(await sent()).toEqual([['ada@example.com', wordsPlease]]);
			await n8n.callWebhook(path, incoming({ text: 'Hello' }));
			expect((await ended(id, 2))[0]?.status).toBe('error');
		});
	});
});

describe('person-takes-over', () => {
	const path = 'person-takes-over-change-this';
	const bot = expect.stringContaining('For a colleague, write') as string;
	let deliveries: number;

	beforeEach(() => {
		deliveries = 0;
	});

	const play = async (act: (deliver: (message: object) => Promise<void>) => Promise<void>): Promise<void> =>
		await whilePublished(filled('person-takes-over'), async ({ id }) => {
			await act(async (message) => {
				await n8n.callWebhook(path, message);
				deliveries += 1;
				expect((await ended(id, deliveries))[0]?.status).toBe('success');
			});
		});

	/** A message of the own side, as it comes back. */
	const own = (email: string, packageId: string): object => ({
		packageId,
		channelId: world().channel('Support E-mail').channelId,
		content: { isFromMe: true, text: 'From us', to: { type: 'EMAIL', email } },
	});

	test('is silent for a customer to whom a person has written, and for no other', async () => {
		await play(async (deliver) => {
			await deliver(incoming({ messageId: '1', text: 'Hello' }));
			const [answer] = (await sandbox.state()).messages;
			await deliver(own('ada@example.com', String(answer?.package['packageId'])));
			await deliver(incoming({ messageId: '2', text: 'Are you a bot?' }));
			expect(await sent()).toEqual(Array(2).fill(['ada@example.com', bot]));

			await deliver(own('ada@example.com', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'));
			await deliver(incoming({ messageId: '3', text: 'Thank you' }));
			await deliver(incoming({ messageId: '3', email: 'bob@example.com', text: 'Hello' }));
			expect((await sent()).slice(2)).toEqual([['bob@example.com', bot]]);

			const [row] = await tables.rows('Messaging customers');
			await tables.update('Messaging customers', row?.id ?? 0, { silentUntil: '2026-01-01T00:00:00Z' });
			await deliver(incoming({ messageId: '4', text: 'Hello again' }));
			expect((await sent()).slice(3)).toEqual([['ada@example.com', bot]]);
		});
	});

	test('is silent once a customer has asked for a person, and after STOP until START', async () => {
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
			const email = 'cem@example.com';
			const texts = ['Stop', 'Hello', 'a person please', 'START', 'Hello'];
			for (const [index, text] of texts.entries()) {
				await deliver(incoming({ messageId: String(index), email, text }));
			}
			expect((await sent()).slice(2)).toEqual([
				[email, expect.stringContaining('no more messages')],
				[email, expect.stringContaining('Welcome back')],
				[email, bot],
			]);
			const ofCem = (await tables.rows('Messaging customers')).find(({ address }) => address === email);
			expect(ofCem?.['doNotContact']).toBe(false);
		});
	});

	test('knows stop words of its own, and tells them from other texts', async () => {
		const example = withAssignments(filled('person-takes-over'), 'Settings', { stopWords: 'STOP, Abmelden' });
		const texts = { ada: 'Abmelden, thanks!', bob: "Don't stop the good work", cem: ' \u200bSTOP. ' };
		await whilePublished(example, async ({ id }) => {
			const messages = Object.entries(texts).map(([name, text]) =>
				incoming({ messageId: '1', email: `${name}@example.com`, text }),
			);
			await n8n.callWebhook(path, messages);
			expect((await ended(id, 1))[0]?.status).toBe('success');
		});
		const rows = await tables.rows('Messaging customers');
		expect(rows.map(({ address, doNotContact }) => [address, doNotContact]).sort()).toEqual([
			[null, null],
			['ada@example.com', true],
			['cem@example.com', true],
		]);
		const told = expect.stringContaining('no more messages') as string;
		expect((await sent()).sort()).toEqual([
			['ada@example.com', told],
			['bob@example.com', bot],
			['cem@example.com', told],
		]);
	});
});

it('answer-in-the-chat goes on with the answer of whoever was asked', async () => {
	await whilePublished(filled('answer-in-the-chat'), async ({ id }) => {
		const order = async (orderId: string, name: string): Promise<string> => {
			const customer = { name, email: `${name}@example.com` };
			await n8n.callWebhook('chat-order-received', { orderId, customer });
			const newest = async () => (await n8n.executions(id))[0];
			await eventually(async () => (await newest())?.status === 'waiting', `order ${orderId}`, 200);
			return (await newest())?.id ?? '';
		};
		const waiting = [await order('7', 'ada'), await order('8', 'bob')];
		const say = async (messageId: string, email: string, text: string) =>
			await n8n.callWebhook('chat-answers-change-this', incoming({ messageId, email, text }));
		const untilSent = async (count: number) =>
			await eventually(async () => (await sent()).length >= count, `message ${count}`, 200);
		await say('1', 'bob@example.com', 'Which order?');
		await untilSent(3);
		await say('2', 'Bob@example.com', 'No, thanks');
		await untilSent(4);
		await say('3', 'ada@example.com', 'Yes!');
		await untilSent(5);

		for (const each of waiting) expect((await n8n.waitForExecution(each)).status).toBe('success');
		expect((await sent()).slice(2)).toEqual([
			['bob@example.com', 'Please answer yes or no.'],
			['bob@example.com', expect.stringContaining("8 doesn't come tomorrow")],
			['ada@example.com', expect.stringContaining('7 comes tomorrow')],
		]);
		const isEmpty = async () => (await tables.rows('Messaging open questions')).length === 0;
		await eventually(isEmpty, 'no open question', 200);
	});
});
