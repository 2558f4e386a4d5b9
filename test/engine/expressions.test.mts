/** What depends on how n8n evaluates expressions, in both of its expression engines. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { errorOf, once, useLab } from './lab.mts';
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

	test.each(['={{ $json.First Name }}', '={{ $json.text.trim }}', '={{ $json.text. }}'])(
		'%s, which n8n refuses, is refused with the name of the field',
		async (text) => {
			const [item] = (await execute({ text }, itemsOf(text).slice(0, 1))).main[0];
			expect(errorOf(item).description).toContain('in the parameter "text"');
			expect(await lab.requestsOf('message.send')).toEqual([]);
		},
	);
});
