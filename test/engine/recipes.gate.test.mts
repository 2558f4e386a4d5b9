/** Runs each block of code of docs/recipes.md in n8n's engine, in the field that the recipe names, and the JSON of docs/coming-from.md. */
import { readFileSync } from 'node:fs';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { DateTime } from 'luxon';

import { blocksIn } from '../docs/workflows.mts';
import { errorOf, useLab } from './lab.mts';
import { expressionEngines } from './n8n-under-test.mts';
import type { NodeSettings } from './workflow.mts';

const DOCUMENT = 'docs/recipes.md';

/** The code below a heading, as a field in Expression mode. */
const code = (heading: string): string[] =>
	(blocksIn(DOCUMENT).get(heading) ?? []).map((block) => `=${block}`);

const [BY_DAY, DATE, PHONE, FILE, BECAME, AGAIN, DIGEST, CHANNELS, KEY] = [
	"Send only by day, in the recipient's time zone",
	"A date in the recipient's language",
	'A phone number needs its country code',
	'A file',
	'What became of a message',
	'Ask again, then ask somebody else',
	'One digest of several events',
	"Which channels can't send",
	'A reminder of an old API key',
] as const;

test('every recipe is tried here, with all its code', () => {
	const blocks = Object.fromEntries(
		[...blocksIn(DOCUMENT)].map(([heading, { length }]) => [heading, length]),
	);
	expect(blocks).toEqual({
		...{ [BY_DAY]: 2, [DATE]: 1, [PHONE]: 1, [FILE]: 2, [BECAME]: 1, [AGAIN]: 1, [DIGEST]: 2 },
		...{ [CHANNELS]: 1, [KEY]: 2 },
	});
});

describe.each(expressionEngines)('in the engine "%s"', (expressions) => {
	const lab = useLab({ expressions });

	/** What is on the wire for these items, or the outcome of each that fails. */
	async function send(given: INodeParameters, items: IDataObject[], settings: NodeSettings = {}) {
		const parameters = { ...lab.send({}, { toEmail: 'ada@example.com', text: 'Hello' }), ...given };
		const { main } = await lab.execute(parameters, {
			items,
			settings: { onError: 'continueRegularOutput', ...settings },
		});
		const bodies = (await lab.requestsOf('message.send')).map(({ body }) => body);
		const failed = main[0].flatMap((item) =>
			item.json['error'] === undefined ? [] : [errorOf(item).outcome],
		);
		return { bodies: bodies as Array<{ content: IDataObject; correlationId?: string }>, failed };
	}

	/** What an expression gives for an item, as text. */
	const valueOf = async (expression: string, item: IDataObject): Promise<unknown> =>
		(await send({ text: `=is ${expression.slice(1)}` }, [item])).bodies[0]?.content['text'];

	/** A time zone in which it is about this hour now, so that no test runs across its border. */
	const zoneAt = (hour: number): string => {
		const offset = (hour - DateTime.utc().hour + 24) % 24;
		return `UTC${offset > 12 ? offset - 24 : `+${offset}`}`;
	};

	test.each([
		['at noon', zoneAt(12), true],
		['at night', zoneAt(22), false],
		['in an unknown time zone', 'Europe/Nowhere', false],
	])('by day only: %s', async (_when, zone, isDay) => {
		const [condition = ''] = code(BY_DAY);
		expect(await valueOf(condition, { zone })).toBe(`is ${isDay}`);
	});

	test.each([
		[0, true],
		[1, false],
	])('one day only: %i days before, it is %p', async (days, isDay) => {
		const [, condition = ''] = code(BY_DAY);
		const zone = zoneAt(12);
		const day = DateTime.now().setZone(zone).plus({ days }).toISODate();
		expect(await valueOf(condition, { zone, day })).toBe(`is ${isDay}`);
	});

	test('a date in the language and the time zone of the recipient', async () => {
		const item = { at: '2030-12-24T22:30:00Z', zone: 'Asia/Tokyo', language: 'de' };
		const { bodies } = await send({ text: code(DATE)[0]! }, [item]);
		expect(bodies[0]?.content['text']).toBe('Mittwoch, 25 Dezember, 07:30');
	});

	test('a number with a country code is sent, one without is refused', async () => {
		const to = {
			addressType: 'other',
			toType: 'PHONE',
			toRows: { values: [{ name: 'phone', value: code(PHONE)[0]! }] },
		};
		const phones = ['0049 30 1234567', ' +49 30 1234568', '030 1234567', '491234567', null, 49301234567];
		const { bodies, failed } = await send(
			to,
			phones.map((phone) => ({ phone })),
		);
		expect(bodies.map(({ content }) => (content['to'] as IDataObject)['phone']).sort()).toEqual([
			'+49 30 1234567',
			'+49 30 1234568',
		]);
		expect(failed).toEqual(['unsent', 'unsent', 'unsent', 'unsent']);
	});

	test.each([
		[0, { url: 'https://example.com/a?b="c"' }, { fileUrl: 'https://example.com/a?b="c"' }],
		[1, { name: 'Bill "7".pdf', data: 'JVBERi0=' }, { fileName: 'Bill "7".pdf', file: 'JVBERi0=' }],
	])('a file, with the code of block %i', async (block, item, content) => {
		const additionalFields = { contentType: 'DOCUMENT', otherContent: code(FILE)[block]! };
		const { bodies } = await send({ additionalFields }, [item]);
		expect(bodies).toMatchObject([{ content: { ...content, type: 'DOCUMENT' } }]);
	});

	test('the Correlation ID tells the rows apart', async () => {
		const items = [1, 2].map((id) => ({ createdAt: '2030-12-24T10:00:00Z', id }));
		const { bodies } = await send({ additionalFields: { correlationId: code(BECAME)[0]! } }, items);
		expect(bodies.map(({ correlationId }) => correlationId).sort()).toEqual([
			'workflow:2030-12-24T10:00:00Z 1',
			'workflow:2030-12-24T10:00:00Z 2',
		]);
	});

	test.each([
		[{ orderId: 7 }, true],
		[{ orderId: 7, data: 'of the order' }, true],
		[{ orderId: 7, data: { approved: false, respondedAt: '2030-12-24T10:00:00Z' } }, false],
	])('ask again for %j: %p', async (item, isOpen) => {
		expect(await valueOf(code(AGAIN)[0]!, item)).toBe(`is ${isOpen}`);
	});

	test('one digest of all events, once a day', async () => {
		const [text, onceKey] = code(DIGEST) as [string, string];
		const events = ['A-1', 'A-2', 'A-3'].map((orderId) => ({ orderId }));
		const given = { text, options: { onceKey, keepToPlan: false } };
		for (let run = 0; run < 2; run++) {
			const { bodies, failed } = await send(given, events, { executeOnce: true });
			expect(failed).toEqual([]);
			expect(bodies.map(({ content }) => content['text'])).toEqual(['3 new orders:\n- A-1\n- A-2\n- A-3']);
		}
	});

	test("which channels can't send: those that are not connected, or may not", async () => {
		const { json: channels } = await lab.execute({
			...{ resource: 'channel', operation: 'getAll', returnAll: true, options: { keepToPlan: false } },
		});
		const found = [];
		for (const channel of channels) {
			if ((await valueOf(code(CHANNELS)[0]!, channel)) === 'is true') found.push(channel['name']);
			await lab.client.clearRequests();
		}
		expect(found.sort()).toEqual(['Shop Old WhatsApp', 'Support CRM Hook', 'Support Hotline SMS']);
	});

	test('a reminder of a key that is older than 90 days', async () => {
		const [condition, text] = code(KEY) as [string, string];
		const daysAgo = (days: number) => ({ createdAt: DateTime.utc().minus({ days }).toISO() });
		expect(await valueOf(condition, daysAgo(91))).toBe('is true');
		await lab.client.clearRequests();
		expect(await valueOf(condition, daysAgo(89))).toBe('is false');
		await lab.client.clearRequests();
		const { json: keys } = await lab.execute({ resource: 'apiKey', operation: 'getCurrent', options: {} });
		const { name, createdAt, id } = keys[0] as { name: string; createdAt: string; id: string };
		const { bodies } = await send({ text }, keys);
		expect(bodies[0]?.content['text']).toBe(
			`Please exchange the API key ${name}, created ${createdAt.slice(0, 10)}. Its ID: ${id}`,
		);
	});

	/** JSON of the table in docs/coming-from.md, as a field in Expression mode. */
	const comingFrom = (start: string): string => {
		const text = readFileSync('docs/coming-from.md', 'utf8');
		const found = [...text.matchAll(/`([^`\n]+)`/g)].find(([, json = '']) => json.startsWith(start));
		return `=${found?.[1]}`;
	};

	test('coming from another node: a chat ID is text in rows, and a number in a package', async () => {
		const item = { chatId: 850, text: 'Your "order"' };
		const toRows = { values: [{ name: 'chatId', value: '={{ $json.chatId }}' }] };
		await send({ addressType: 'other', toType: 'CHAT', toRows }, [item]);
		const { bodies } = await send({ inputMode: 'json', package: comingFrom('{ "content"') }, [item]);
		const sent = bodies.map(({ content }) => (content['to'] as IDataObject)['chatId']);
		expect(sent).toEqual(['850', 850]);
		expect(bodies.at(-1)?.content['text']).toBe(item.text);
	});

	test('coming from another node: a subject with quotes', async () => {
		const item = { subject: 'Your "order"' };
		const additionalFields = { otherContent: comingFrom('{ "subject"') };
		const { bodies } = await send({ additionalFields }, [item]);
		expect(bodies).toMatchObject([{ content: item }]);
	});
});
