/** A credential with expressions: all items of a run go out with one key and address, or none does. */
import type { IDataObject } from 'n8n-workflow';
import { errorOf, everyMode, useLab } from './lab.mts';
import { letters } from './delivery-lab.mts';
import { expressionEngines } from './n8n-under-test.mts';

describe.each(expressionEngines)('in the engine "%s"', (expressions) => {
	const lab = useLab({ expressions });

	const other = 'acc_00000000000000000000000000000000';

	/** Expressions that give the key of an item. At an item that does not exist, some fail, and some give the first key. */
	const expressionsOfKey = [
		'={{ $json.key }}',
		"={{ $json?.tenant === 'b' ? $json.key : $json?.key }}",
		`={{ ($json.tenant ?? 'a') === 'b' ? '${other}' : $json.key }}`,
		"={{ $('Start').item.json.key }}",
		'={{ $input.item.json.key }}',
		'={{ ($input.item ?? $input.first()).json.key }}',
		'={{ ($input.all()[$itemIndex] ?? $input.first()).json.key }}',
		"={{ $('Start').all()[$itemIndex].json.key }}",
		"={{ ($('Start').all()[$itemIndex] ?? $('Start').first()).json.key }}",
		'={{ $input.all()[$itemIndex % $input.all().length]?.json.key ?? $input.first().json.key }}',
		`={{ $itemIndex === $input.all().length - 1 && $input.last().json.tenant === 'b' ? '${other}' : $input.first().json.key }}`,
	];
	test('without an expression it is not read for each item', async () => {
		const run = await lab.execute(lab.send(), { items: letters(6) });
		expect(await lab.messages()).toHaveLength(6);
		expect(run.report.credentialReads).toBeLessThan(6);
	});

	const send = async (apiKey: string, tenants: readonly string[], onError: (typeof everyMode)[number]) => {
		const keyOf = (tenant: string) => (tenant === 'a' ? lab.sandbox.tokens.org : other);
		const items: IDataObject[] = letters(tenants.length).map((letter, n) => ({
			...letter,
			tenant: tenants[n],
			key: keyOf(tenants[n] ?? ''),
		}));
		return await lab.execute(lab.send(), {
			items,
			credential: { baseUrl: lab.sandbox.url, apiKey },
			settings: { onError },
		});
	};

	test.each(expressionsOfKey)('%s: items of one tenant go out with its key', async (apiKey) => {
		const run = await send(apiKey, ['a', 'a', 'a'], 'stopWorkflow');
		expect(run.error).toBeUndefined();
		expect(await lab.messages()).toHaveLength(3);
	});

	test.each(expressionsOfKey)('%s: nothing is sent if the items have different keys', async (apiKey) => {
		const run = await send(apiKey, ['a', 'a', 'b'], 'continueRegularOutput');
		expect(await lab.requests()).toEqual([]);
		expect(run.main[0]).toHaveLength(3);
		for (const item of run.main[0]) {
			expect(errorOf(item)).toMatchObject({
				outcome: 'unsent',
				message: expect.stringContaining('API keys') as string,
			});
		}
		const stopped = await send(apiKey, ['a', 'b'], 'stopWorkflow');
		expect(stopped.error?.message).toContain('API keys');
		expect(await lab.requests()).toEqual([]);
	});

	test('an address that differs is refused, too', async () => {
		const run = await lab.execute(lab.send(), {
			items: [
				{ ...letters(1)[0], url: lab.sandbox.url },
				{ ...letters(1)[0], url: `${lab.sandbox.url}/elsewhere` },
			],
			credential: { baseUrl: '={{ $json.url }}', apiKey: lab.sandbox.tokens.org },
		});
		expect(run.error?.message).toContain('addresses');
		expect(await lab.requests()).toEqual([]);
	});
});
