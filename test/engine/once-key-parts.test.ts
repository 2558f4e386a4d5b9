/** A once key with a missing part would be shared by many items: what it is made of counts, not what comes out. */
import type { IDataObject } from 'n8n-workflow';
import { errorOf } from './lab.ts';
import { orders, useOnceLab } from './once-lab.ts';
import type { ExpressionEngine } from './protocol.ts';

describe.each<ExpressionEngine>(['vm', 'legacy'])('in the engine "%s"', (expressions) => {
	const lab = useOnceLab({ expressions });

	/** The key of each item, or what its error says. */
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

	test.each<[string, string]>([
		['=order-{{ $json.id }}', '{{ $json.id }}'],
		['={{ $json.id }} {{ $json.to }}', '{{ $json.id }}'],
		['={{ $json.to }}/{{ $json.n }}-{{ $json.id }}', '{{ $json.id }}'],
		['={{$json.to}}{{ $json.shop.name ?? "" }}', '{{ $json.shop.name ?? "" }}'],
		['=C:\\orders {{ $json.blank }}.', '{{ $json.blank }}'],
		['=order-{{ Number($json.id) }}', '{{ Number($json.id) }}'],
		['={{ $json.id }}', '{{ $json.id }}'],
	])('%s without a value in it: three errors that say which part, and nothing is sent', async (key, part) => {
		const items = orders(3).map(({ to, text }, n) => ({ to, text, n, shop: {}, blank: ' ' }));
		const errors = await keysOf(key, items);
		expect(errors).toHaveLength(3);
		for (const error of errors) {
			expect(error).toContain('"Send Only Once Per"');
			expect(error).toContain(`${part} finds nothing`);
		}
		expect(await lab.calls()).toEqual([]);
	});

	test.each([
		'={{ "order-" + $json.id }}',
		'={{ `${$json.id} to ${$json.to}` }}',
		'={{ [$json.to, null].map(String).join("_") }}',
		'={{ "order-" + {} }}',
		'={{ $json.to + "/" + Number("x") }}',
		'=order {{ $json.to + "-" + $json.id }}',
	])('%s: the word that a missing value leaves behind is no part of a key', async (key) => {
		const items = orders(3).map(({ to, text }) => ({ to, text }));
		for (const error of await keysOf(key, items)) {
			expect(error).toContain('"Send Only Once Per" needs a value of its own for each item, but it is "');
		}
		expect(await lab.calls()).toEqual([]);
	});

	test('only the item without a value fails', async () => {
		const [one, two, three] = orders(3);
		const { id, ...without } = two ?? {};
		const keys = await keysOf('=order-{{ $json.id }}', [{ ...one }, without, { ...three }]);
		expect(keys).toEqual([
			`order-${one?.id}`,
			expect.stringContaining('"Send Only Once Per" is incomplete: {{ $json.id }} finds nothing'),
			`order-${three?.id}`,
		]);
		expect(await lab.calls()).toHaveLength(2);
		expect(id).toBeDefined();
	});

	test.each<[string, (id: string) => string]>([
		['=order-{{ $json.id }}', (id) => `order-${id}`],
		['={{ $json.id }}-{{ $json.zero }}-{{ $json.off }}', (id) => `${id}-0-false`],
		['={{ $json.id }}{{ $json.separated }}', (id) => `${id}a\u001fb`],
		['={{ "nullable " + $json.id }}', (id) => `nullable ${id}`],
		['={{ $json.id + " is annulled" }}', (id) => `${id} is annulled`],
		['={{ $json.mail }} {{ $json.id }}', (id) => `jennifer.null@example.com ${id}`],
		['=null-terminator {{ $json.id }}', (id) => `null-terminator ${id}`],
		['=\\{{ text }} {{ $json.id }}', (id) => `\\{{ text }} ${id}`],
		// Of two backslashes n8n leaves one.
		['=of\\\\all {{ $json.id.slice(-1) }}', (id) => `of\\all ${id.slice(-1)}`],
		['=C:\\\\{{ $json.id }}', (id) => `C:\\${id}`],
	])('%s is a key', async (key, expected) => {
		const more = { zero: 0, off: false, separated: 'a\u001fb', mail: 'jennifer.null@example.com' };
		const items = orders(3).map((order) => ({ ...order, ...more }));
		expect(await keysOf(key, items)).toEqual(items.map(({ id }) => expected(id)));
	});
});
