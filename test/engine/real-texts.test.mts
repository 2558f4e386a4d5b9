/**
 * Texts and addresses as real workflows have them, complete and with one value missing at a time: they are sent as n8n
 * gives them, and only what the rules name is refused. In both of n8n's expression engines.
 */
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runs } from '../runs.mts';
import { errorOf, useLab } from './lab.mts';
import { expressionEngines } from './n8n-under-test.mts';
import type { Reading } from './worker/reading-node.mts';
import { messagingNode, node, nodeName, startName, startNode, workflow } from './workflow.mts';

/** What an expression gives if a value is missing: text of its own, nothing, or words that nobody has written. */
type IfMissing = 'text' | 'nothing' | 'words';

/** The names of the values that an expression reads, and what it gives if one of them is missing. */
type Expression = readonly [code: string, reads: readonly string[], ifMissing: IfMissing];

const data = {
	name: 'Ada Lovelace 👩🏽‍💻',
	first: 'Zoë',
	email: 'ada@example.com',
	phone: '+49 30 1234567',
	total: 1249.5,
	date: '2030-12-24T10:00:00Z',
	note: 'It says undefined, null, NaN and Invalid Date: [object Object] 🙈',
	html: '<b>Sale</b> &amp; more',
	markdown: '*bold* _it_ [link](https://example.com/?a=1&b=2)',
	code: '{{name}} ${x} `y`',
	chat: '120363-0417@g.us',
	order: {
		number: 'A-7',
		lines: [
			{ sku: 'x', qty: 2 },
			{ sku: 'y', qty: 1 },
		],
	},
	flag: true,
} as const;

const plain = ['name', 'first', 'email', 'phone', 'total', 'note', 'html', 'markdown', 'code', 'chat'];

const expressions: readonly Expression[] = [
	...plain.map((name): Expression => [`$json.${name}`, [name], 'nothing']),
	['$json["name"]', ['name'], 'nothing'],
	['$json.order?.number', ['order'], 'nothing'],
	["$('Start').item.json.first", ['first'], 'nothing'],
	['$json.name ?? "there"', ['name'], 'text'],
	['$json.first || "Kunde"', ['first'], 'text'],
	['$json.flag ? "yes" : "no"', ['flag'], 'text'],
	['$json.name === undefined ? "nobody" : $json.name', ['name'], 'text'],
	['$json.total * 1.19', ['total'], 'nothing'],
	['JSON.stringify($json.order)', ['order'], 'nothing'],
	['$json.note?.toUpperCase()', ['note'], 'nothing'],
	['$json.order?.lines.map((line) => line.sku + " x" + line.qty).join(", ")', ['order'], 'nothing'],
	['$now.toFormat("yyyy")', [], 'text'],
	['"Hi " + $json.first', ['first'], 'words'],
	['`Dear ${$json.name},`', ['name'], 'words'],
	['"Re: " + $json.note', ['note'], 'words'],
	['new Date($json.date).toLocaleDateString("de-DE")', ['date'], 'words'],
	['DateTime.fromISO($json.date).toFormat("dd.MM.yyyy")', ['date'], 'words'],
	["$('Start').item.json.first + '!'", ['first'], 'words'],
	['"So: " + $json.order', [], 'words'],
	['"On " + new Date($json.date)', ['date'], 'words'],
];

/** Those that give an object or a date as JavaScript writes it, whatever is there. */
const ALWAYS_WORDS = ['"So: " + $json.order', '"On " + new Date($json.date)'];
const WORDS = /as JavaScript writes it: \{\{/;

/** Fixed texts around expressions. */
const around = [
	...'| |\n|Hello | 🎉 |*Total:* |<p>|</p>|Привет, | مرحبا | €5 |"| #1! | = '.split('|'),
	...'https://example.com/?q=| undefined | null |[object Object] |a\tb | (NaN) | $5 '.split('|'),
];

/** A template of such pieces. */
const template = fc
	.array(fc.tuple(fc.constantFrom(...around), fc.constantFrom(...expressions)), {
		minLength: 1,
		maxLength: 4,
	})
	.chain((parts) => fc.tuple(fc.constant(parts), fc.constantFrom(...around)));

/** What is to happen to a text of these expressions if a value is missing. */
function expected(used: readonly Expression[], missing: string, fixed: string): 'sent' | RegExp {
	if (used.some(([code]) => ALWAYS_WORDS.includes(code))) return WORDS;
	const given = used.map(([, reads, ifMissing]) => (reads.includes(missing) ? ifMissing : 'text'));
	if (given.includes('words')) return WORDS;
	if (given.includes('text')) return 'sent';
	if (given.length > 1) return /nothing but its fixed text/;
	return fixed.trim() === '' ? /is empty/ : 'sent';
}

jest.setTimeout(300_000);

describe.each(expressionEngines)('in the engine "%s"', (engine) => {
	const lab = useLab({ expressions: engine });

	/** Sends the items, and reads the field as n8n gives it: for each item what was sent, or the error, and n8n's value. */
	async function send(parameters: INodeParameters, field: string, items: readonly IDataObject[]) {
		await lab.client.clearRequests();
		const options = { keepToPlan: false, ordering: 'none' };
		const additionalFields = { correlationId: '=item-{{ $itemIndex }}' };
		const sending = messagingNode(lab.send(options, { additionalFields, ...parameters }), {
			onError: 'continueRegularOutput',
		});
		const reading = node('Reading', 'harness.reads', { way: 'alone', a: field });
		const run = await lab.engine.run({
			workflow: workflow(
				[startNode(), sending, reading],
				[
					[startName, nodeName],
					[startName, reading.name],
				],
			),
			credential: lab.credential,
			items: items.map((json) => ({ json })),
			watch: nodeName,
		});
		const requests = await lab.requestsOf('message.send');
		const readings = run.output(reading.name).map(({ json }) => (json as Reading).values['a'] ?? '');
		return run.main[0].map(({ json }, item) => {
			const request = requests.find(
				({ body }) => (body as IDataObject | null)?.['correlationId'] === `item-${item}`,
			);
			const shown = readings[item]?.replace(/^\w+ /, '') ?? '';
			return {
				error: json['error'] === undefined ? undefined : errorOf({ json }),
				content: (request?.body as { content: IDataObject } | undefined)?.content,
				byN8n: shown.startsWith('"') ? (JSON.parse(shown) as string) : shown,
			};
		});
	}

	/** The data, and the data without each of the values that are read. */
	const itemsFor = (reads: readonly string[]): Array<[missing: string, item: IDataObject]> =>
		['', ...new Set(reads)].map((missing) => {
			const left = Object.entries(data).filter(([name]) => name !== missing);
			return [missing, Object.fromEntries(left) as IDataObject];
		});

	test('a text is sent as n8n gives it, or refused for what is missing in it', async () => {
		await fc.assert(
			fc.asyncProperty(template, async ([parts, end]) => {
				const used = parts.map(([, expression]) => expression);
				const text = `=${parts.map(([before, [code]]) => `${before}{{ ${code} }}`).join('')}${end}`;
				const items = itemsFor(used.flatMap(([, reads]) => reads));
				const ended = await send(
					{ text, toEmail: 'ada@example.com' },
					text,
					items.map(([, item]) => item),
				);
				expect(ended).toHaveLength(items.length);
				const fixed = parts.map(([before]) => before).join('') + end;
				for (const [n, { byN8n, content, error }] of ended.entries()) {
					const wanted = expected(used, items[n]?.[0] ?? '', fixed);
					if (wanted === 'sent') expect([text, content?.['text'], error]).toEqual([text, byN8n, undefined]);
					else {
						expect([text, error?.message]).toEqual([text, expect.stringMatching(wanted)]);
						expect([error?.outcome, content]).toEqual(['unsent', undefined]);
					}
				}
			}),
			runs(80),
		);
	});

	test('an address is sent as n8n gives it, or refused for what is missing in it', async () => {
		const codes: readonly Expression[] = [
			['$json.phone', ['phone'], 'nothing'],
			['$json.chat', ['chat'], 'nothing'],
			['$json.phone?.replace(/\\D/g, "")', ['phone'], 'nothing'],
			['$json.total * 1', ['total'], 'nothing'],
			['$json.phone ?? $json.chat', ['phone'], 'text'],
			['"+" + $json.total', ['total'], 'words'],
			['`${$json.phone}`', ['phone'], 'words'],
		];
		const address = fc.tuple(
			fc.constantFrom('', '+49', 'tg-'),
			fc.constantFrom(...codes),
			fc.constantFrom('', '@c.us', '/x'),
		);
		await fc.assert(
			fc.asyncProperty(address, async ([before, used, after]) => {
				const value = `=${before}{{ ${used[0]} }}${after}`;
				const toRows = { values: [{ name: 'id', value }] };
				const items = itemsFor(used[1]);
				const given = { addressType: 'other', toType: 'CHAT', toRows, text: 'Hi' };
				const ended = await send(
					given,
					value,
					items.map(([, item]) => item),
				);
				for (const [n, { byN8n, content, error }] of ended.entries()) {
					const isMissing = items[n]?.[0] !== '' && used[2] !== 'text';
					if (isMissing) {
						expect([value, error?.message]).toEqual([value, expect.stringMatching(/is (empty|incomplete)/)]);
					} else
						expect([value, content?.['to'], error]).toMatchObject([value, { id: byN8n.trim() }, undefined]);
				}
			}),
			runs(60),
		);
	});

	test.each([
		...'undefined|NaN|null|Invalid Date|[object Object]|{{ $json.a }}|${a.b}|Loading...'.split('|'),
		...['#winter!', '#1', 'Thu Dec 24 2026 10:00:00 GMT+0000', 'C:\\new', '0', 'false', '=1+1'],
		...['UNDEFINED, NULL', ' null ', String(new Date(0))],
	])('a customer may write %j', async (note) => {
		for (const text of [
			'={{ $json.note }}',
			'={{ "> " + $json.note }}',
			'=So: {{ $json.note.trim() }} {{ $json.a }}',
			'={{ $input.all().map((item) => "- " + item.json.note).join() }}',
			'={{ $items("Start")[0].json.note + "." }}',
			'={{ $json.encoded.base64Decode() + "." }}',
		]) {
			const [{ byN8n, content, error } = fail()] = await send({ text, toEmail: 'ada@example.com' }, text, [
				{ note, a: 1, encoded: Buffer.from(note).toString('base64') },
			]);
			expect([content?.['text'], error]).toEqual([byN8n, undefined]);
		}
	});
});

function fail(): never {
	throw new Error('There is no item');
}
