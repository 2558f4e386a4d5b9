/** Texts of any script and any length, in n8n's engine: unchanged on the wire, readable in lists and errors. */
import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeListSearchResult } from 'n8n-workflow';
import { LONG, TEXTS } from '../cases/languages.ts';
import { useDeliveryLab } from './delivery-lab.ts';
import { byId, errorOf } from './lab.ts';

const lab = useDeliveryLab({ expressions: 'vm' });

const all: string[] = Object.values(TEXTS);
const failing = { onError: 'continueRegularOutput' } as const;

/** What was sent, as it arrived. */
const bodies = async (): Promise<string[]> => (await lab.calls()).map(({ bodyText }) => bodyText);

/** What the text of a request must have in it, to the letter. */
const written = (name: string, value: unknown): string => `"${name}":${JSON.stringify(value)}`;

describe('on the wire', () => {
	test('a text is what it was, to the byte, wherever it stands', async () => {
		const run = await lab.execute(
			lab.send(
				{ ordering: 'none' },
				{
					additionalFields: {
						toName: '=x{{ $json.text }}x',
						correlationId: '={{ $json.text }}',
						quotedMessage: '={{ { body: $json.text } }}',
						providerMetadata: '={{ { [$json.text]: [$json.text] } }}',
					},
				},
			),
			{ items: all.map((text, n) => ({ to: `r${n}@example.com`, text })) },
		);

		expect(run.status).toBe('success');
		const sent = await bodies();
		expect(sent).toHaveLength(all.length);
		for (const [n, text] of all.entries()) {
			const body = sent.find((candidate) => candidate.includes(`"r${n}@example.com"`)) ?? '';
			expect(body).toContain(written('text', text));
			expect(body).toContain(written('name', `x${text}x`));
			expect(body).toContain(written('correlationId', text));
			expect(body).toContain(written('body', text));
			expect(body).toContain(written('providerMetadata', { [text]: [text] }));
		}
	});

	test('so it is in a package of JSON, in an address, in an edit and in a query', async () => {
		const items = all.map((text) => ({ text }));
		const channelId = byId(lab.channel().channelId);
		await lab.execute(
			lab.send(
				{},
				{
					inputMode: 'json',
					package:
						'={{ { content: { type: "TEXT", text: $json.text, to: { type: "X", id: $json.text } } } }}',
				},
			),
			{ items, settings: failing },
		);
		await lab.execute(
			{
				...{ resource: 'message', operation: 'edit', channelId, chatId: 'c', messageId: 'm' },
				...{ newText: '={{ $json.text }}' },
			},
			{ items, settings: failing },
		);
		await lab.execute(
			{
				...{ resource: 'channel', operation: 'getAll', returnAll: true },
				options: { queryParameters: { parameters: [{ name: 'q', value: '={{ $json.text }}' }] } },
			},
			{ items, settings: failing },
		);

		const calls = await lab.calls();
		for (const text of all) {
			const texts = calls.filter(({ bodyText }) => bodyText.includes(written('text', text)));
			expect(texts.map(({ bodyText }) => bodyText.includes(written('id', text)))).toEqual([true]);
			expect(calls.filter(({ bodyText }) => bodyText.includes(written('newText', text)))).toHaveLength(1);
			expect(calls.filter(({ query }) => query['q'] === text)).toHaveLength(1);
		}
	});

	test('100,000 characters arrive, and come back', async () => {
		const run = await lab.execute(lab.send(), { items: [{ to: 'r@example.com', text: LONG }] });
		expect(run.status).toBe('success');
		expect((await bodies())[0]).toContain(written('text', LONG));
		expect((await lab.messages()).map(({ text }) => text === LONG)).toEqual([true]);
	});
});

describe('half of a character', () => {
	const whole = 'Thanks 👩🏽‍🚀';
	const half = whole.slice(0, 8);

	test.each([
		['a field', {}, 'Text'],
		[
			'an additional field',
			{ text: 'x', additionalFields: { correlationId: '={{ $json.text }}' } },
			'Correlation ID',
		],
		[
			'a row of the address',
			{
				...{ text: 'x', addressType: 'other', toType: 'PHONE' },
				toRows: { values: [{ name: 'phone', value: '={{ $json.text }}' }] },
			},
			'To Fields > phone',
		],
		[
			'JSON, where it is written as an escape',
			{
				inputMode: 'json',
				package: '{ "content": { "text": "\\ud83d", "to": { "type": "X", "id": "1" } } }',
			},
			'Package > content.text',
		],
	])('in %s is refused by the name of the field, and the rest goes out', async (_, change, field) => {
		const run = await lab.execute(lab.send({}, change), {
			items: [
				{ to: 'a@example.com', text: half },
				{ to: 'b@example.com', text: whole },
			],
			settings: failing,
		});
		const error = errorOf(run.main[0][0]);
		expect(error).toMatchObject({
			message: `The field "${field}" contains half a character`,
			outcome: 'unsent',
		});
		expect(error.description).toContain('Item 0');
		const same = 'inputMode' in change;
		expect(await bodies()).toHaveLength(same ? 0 : 1);
	});

	test('what the error advises cuts between characters', async () => {
		const run = await lab.execute(lab.send(), {
			items: [{ to: 'a@example.com', text: half }],
			settings: failing,
		});
		const [advice = ''] = /\{\{.*?\}\}/.exec(errorOf(run.main[0][0]).description) ?? [];
		const long = '😀'.repeat(200);
		await lab.execute(lab.send({}, { text: `=${advice}` }), { items: [{ to: 'a@example.com', text: long }] });
		expect((await lab.messages()).map(({ text }) => text)).toEqual(['😀'.repeat(100)]);
	});

	test('in a key or in a query it is refused as well: there, one would be taken for another', async () => {
		const items = ['\ud83d', '\ud83e'].map((text) => ({ to: 'a@example.com', text: 'x', id: text }));
		const keyed = await lab.execute(lab.send({ onceKey: '={{ $json.id }}' }), { items, settings: failing });
		for (const item of keyed.main[0]) {
			expect(errorOf(item).message).toBe('The field "Send Only Once Per" contains half a character');
		}
		const listed = await lab.execute(
			{
				...{ resource: 'channel', operation: 'getAll', returnAll: true },
				options: { queryParameters: { parameters: [{ name: 'q', value: '={{ $json.id }}' }] } },
			},
			{ items: items.slice(0, 1), settings: failing },
		);
		expect(errorOf(listed.main[0][0]).message).toBe(
			'The field "Query Parameters > q" contains half a character',
		);
		expect(await bodies()).toEqual([]);
	});
});

test('keys that look alike and are not the same text are two keys: two messages go out, each once', async () => {
	const endings = ['caf\u00e9', 'CAF\u00c9', 'ｃａｆé', 'caf\u00e9\u200b', 'caf\u00e9\0', '😀', '😁'];
	const day = randomUUID();
	const ids = endings.map((ending) => `${day} ${ending}`);
	const items = ids.map((id, n) => ({ to: `r${n}@example.com`, text: `text ${n}.`, id }));
	const send = lab.send({ onceKey: '={{ $json.id }}' });
	const first = await lab.execute(send, { items });
	const second = await lab.execute(send, { items });
	expect(first.json.map(({ alreadySent }) => alreadySent)).toEqual(ids.map(() => undefined));
	expect(second.json.map(({ alreadySent }) => alreadySent)).toEqual(ids.map(() => true));
	expect(second.json.map(({ onceKey }) => onceKey)).toEqual(ids);
	expect(await lab.messages()).toHaveLength(ids.length);
});

describe('an error', () => {
	const [shortest, longest] = [1, 1_000];

	test.each(['ש', '👨‍👩‍👧‍👦', 'x', '\u202e'])(
		'is as long as one reads, whatever was entered: 100,000 of %j',
		async (unit) => {
			const text = unit.repeat(100_000);
			const channelId = byId(lab.channel().channelId);
			const run = await lab.execute(lab.send({}, { channelId, toEmail: '={{ $json.text }}', text: 'x' }), {
				items: [{ text }],
				settings: failing,
			});
			const { message, description } = errorOf(run.main[0][0]);
			for (const words of [message, description]) {
				expect(words.length).toBeGreaterThan(shortest);
				expect(words.length).toBeLessThan(longest);
				expect(words).not.toMatch(/\p{Surrogate}/u);
			}
		},
	);

	test("shows the beginning of the service's words, and all of them as the problem", async () => {
		const detail = 'הזמנה נדחתה. '.repeat(10_000);
		const problem = { title: 'נדחה.', detail, errors: { 'content.text': [detail] } };
		await lab.client.setFaults([{ kind: 'status', status: 400, body: problem }]);
		const run = await lab.execute(lab.send(), {
			items: [{ to: 'a@example.com', text: 'x' }],
			settings: failing,
		});
		const error = errorOf(run.main[0][0]);
		expect(error.message).toMatch(/^נדחה: הזמנה נדחתה\. .+…$/);
		expect(error.description).toMatch(/^Text: הזמנה נדחתה\. .+… Correct these fields\.$/);
		expect(error.message.length).toBeLessThan(longest);
		expect(error.description.length).toBeLessThan(longest);
		expect(error.problem).toEqual(problem);

		const stopped = await lab.execute(lab.send(), { items: [{ to: 'a@example.com', text: 'x' }] });
		expect(stopped.error?.message).toBe(error.message);
	});
});

describe('a list', () => {
	const search = async (filter = ''): Promise<INodeListSearchResult> =>
		await lab.lab.engine.listSearch('searchChannels', {
			credential: { ...lab.credential, baseUrl: `${lab.lab.sandbox.url}/` },
			currentNodeParameters: { resource: 'message', operation: 'send' },
			filter,
		});

	const channel = (n: number, name: string): IDataObject => ({
		channelId: `3f2504e0-4f89-41d3-9a0c-${String(n).padStart(12, '0')}`,
		name,
		isConnected: true,
		channelType: { key: 'EMAIL', name: 'אימייל' },
		provider: { name: 'ספק' },
	});

	test('shows names as they are, and finds them however they are typed', async () => {
		const names = [
			'תמיכה (ראשית)',
			'דנה',
			'İSTANBUL ŞUBESİ',
			'Store １２',
			LONG,
			`\u202e${'ש'.repeat(100_000)}`,
		];
		await lab.client.setFaults([
			{ kind: 'reply', status: 200, path: '/Channel', body: names.map((name, n) => channel(n + 1, name)) },
		]);
		const shown = async (filter?: string): Promise<string[]> =>
			(await search(filter)).results.map(({ name }) => name);

		const labels = await shown();
		expect(labels).toContain('דנה · אימייל · ספק');
		expect(labels).toContain('תמיכה (ראשית) · אימייל · ספק');
		for (const label of labels) expect(label).not.toMatch(/\p{Surrogate}|\u202e/u);

		for (const typed of ['istanbul', 'İstanbul şubesi', 'ISTANBUL', 'subesi']) {
			expect(await shown(typed)).toEqual([expect.stringContaining('İSTANBUL') as string]);
		}
		expect(await shown('store 12')).toEqual([expect.stringContaining('Store') as string]);
		expect(await shown('👨‍👩‍👧‍👦'.repeat(5))).toHaveLength(1);
	});
});
