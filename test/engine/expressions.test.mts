/** What depends on how n8n evaluates expressions, in both of its expression engines. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { errorOf, once, useLab } from './lab.mts';
import { n8nUnderTest } from './n8n-under-test.mts';
import { orders, useDeliveryLab } from './delivery-lab.mts';
import type { ExpressionEngine } from './protocol.mts';

describe.each<ExpressionEngine>(['vm', 'legacy'])('items, in the engine "%s"', (expressions) => {
	const lab = useLab({ expressions });

	/** @param key unused by other tests: n8n remembers keys */
	const itemsOf = (key: string): IDataObject[] =>
		[0, 1, 2, 3, 4].map((n) => ({
			n,
			key,
			to: `anna${n}@shop.example`,
			text: `Hello "${n}" }}`,
		}));

	const execute = async (given: INodeParameters, of: IDataObject[]) =>
		await lab.execute(lab.send({ ...once, onceKey: '={{ $json.key + $json.n }}' }, given), {
			items: of,
			settings: { onError: 'continueRegularOutput' },
		});

	test.each<[string, string, RegExp]>([
		['fails', `={{ $json.n === 3 ? $('Nowhere').item.json.text : $json.text }}`, /in the parameter "text"/],
		['calls what is not there', '={{ ($json.n === 3 ? $json.missing : $json.text).trim() }}', /Text/],
		['finds nothing', '={{ $json.n === 3 ? undefined : $json.text }}', /Text/],
		['gives an object', '={{ $json.n === 3 ? $json : $json.text }}', /Text/],
	])(
		'an item whose expression %s fails as it does alone, and the others are sent',
		async (title, text, field) => {
			const items = itemsOf(title);
			const [alone] = (await execute({ text }, items.slice(3, 4))).main[0];
			expect(await lab.requestsOf('message.send')).toEqual([]);

			const run = await execute({ text }, items);

			const [errors, sent] = [run.main[0].slice(3, 4), run.main[0].filter((_item, index) => index !== 3)];
			const expected = errorOf(alone);
			expect(errors.map(errorOf)).toEqual([
				{ ...expected, description: expected.description.replace('Item 0', 'Item 3') },
			]);
			const { message, description } = errorOf(errors[0]);
			expect(`${message} ${description}`).toMatch(field);
			expect(sent.map(({ json }) => json['onceKey'])).toEqual([0, 1, 2, 4].map((n) => `${title}${n}`));
			const bodies = (await lab.requestsOf('message.send')).map(({ body }) => JSON.stringify(body));
			for (const n of [0, 1, 2, 4]) {
				const own = bodies.filter((body) => body.includes(`anna${n}@shop.example`));
				expect(own).toEqual([expect.stringContaining(JSON.stringify(`Hello "${n}" }}`))]);
			}
			expect(bodies).toHaveLength(4);
		},
	);
});

/** A once key with a missing part would be shared by many items, so its parts are checked, not only its value. */
describe.each<ExpressionEngine>(['vm', 'legacy'])('once keys, in the engine "%s"', (expressions) => {
	const lab = useDeliveryLab({ expressions });

	/** Each item's key, or its error message. */
	async function keysOf(onceKey: string, items: IDataObject[]): Promise<string[]> {
		const run = await lab.execute(lab.send({ onceKey, keepToPlan: false }), {
			items,
			settings: { onError: 'continueRegularOutput' },
		});
		return run.main[0].map((item) => {
			if (item.json['error'] === undefined) return item.json['onceKey'] as string;
			expect(errorOf(item).outcome).toBe('unsent');
			return errorOf(item).message;
		});
	}

	test.each([undefined, ' '])(
		'only the item with %j in its key fails, and the error says which part',
		async (id) => {
			const [one, two, three] = orders(3);
			const keys = await keysOf('=C:\\orders {{ $json.to }}-{{ $json.id }}', [
				{ ...one },
				{ ...two, id },
				{ ...three },
			]);
			expect(keys).toEqual([
				expect.stringMatching(`-${one?.id}$`),
				expect.stringContaining('"Send Only Once Per" is incomplete: {{ $json.id }} finds nothing'),
				expect.stringMatching(`-${three?.id}$`),
			]);
			expect(await lab.calls()).toHaveLength(2);
		},
	);

	test.each<[string, (id: string) => string]>([
		['=order-{{ $json.id }}', (id) => `order-${id}`],
		['={{ $json.id }}-{{ $json.zero }}-{{ $json.off }}', (id) => `${id}-0-false`],
		['={{ $json.id }}{{ $json.separated }}', (id) => `${id}a\u001fb`],
		['=\\{{ text }} {{ $json.id }}', (id) => `\\{{ text }} ${id}`],
		// n8n turns two backslashes into one.
		['=of\\\\all {{ $json.id.slice(-1) }}', (id) => `of\\all ${id.slice(-1)}`],
		['=C:\\\\{{ $json.id }}', (id) => `C:\\${id}`],
	])('%s is a key', async (key, expected) => {
		const more = { zero: 0, off: false, separated: 'a\u001fb' };
		const items = orders(3).map((order) => ({ ...order, ...more }));
		expect(await keysOf(key, items)).toEqual(items.map(({ id }) => expected(id)));
	});
});

describe('with the expression engine "legacy"', () => readTimestamps('legacy'));
const describeWithIsolates = n8nUnderTest().lacks.includes('isolates') ? describe.skip : describe;
describeWithIsolates('with the expression engine "vm"', () => readTimestamps('vm'));

function readTimestamps(expressions: ExpressionEngine): void {
	// The machine's zone is neither the workflow's nor n8n's fallback.
	const lab = useLab({ expressions, env: { TZ: 'Asia/Kathmandu' } });

	async function sentTimestamp(value: INodeParameters[string], timezone?: string): Promise<string> {
		const run = await lab.execute(
			lab.send(
				{},
				{ toEmail: 'ada@example.com', text: 'Hello', additionalFields: { deliveryDeadline: value } },
			),
			timezone === undefined ? {} : { timezone },
		);
		expect(run.error?.message).toBeUndefined();
		const [request] = await lab.requests();
		expect(request).toMatchObject({ conforms: true });
		return (request?.body as { content: { deliveryDeadline: string } }).content.deliveryDeadline;
	}

	const nine = '2030-01-31T09:00:00.000Z';
	test.each<[kind: string, value: string, timezone: string, instant: string]>([
		['picked in the editor, without a zone', '2030-01-31T18:00:00', 'Asia/Tokyo', nine],
		['a Luxon DateTime', '={{ DateTime.fromISO("2030-01-31T09:00:00Z") }}', 'Asia/Tokyo', nine],
		['a JS Date', '={{ new Date("2030-01-31T09:00:00Z") }}', 'Asia/Tokyo', nine],
	])('%s', async (_kind, value, timezone, instant) => {
		const sent = await sentTimestamp(value, timezone);

		expect(new Date(sent).toISOString()).toBe(instant);
		expect(sent).toMatch(/(Z|[+-]\d\d:\d\d)$/);
	});

	test("without a zone in the workflow's settings, n8n's own default counts", async () => {
		const sent = await sentTimestamp('2030-01-31T04:00:00');

		expect(new Date(sent).toISOString()).toBe(nine);
	});
}
