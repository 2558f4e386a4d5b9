import fc from 'fast-check';

import { cases, idsWhere, operationIds } from '../../cases/index.ts';
import { runs } from '../support/arbitraries.ts';
import { operationUnderTest } from '../support/operations.ts';

/** Any body of a success: any JSON, often with the field names that matter, or nothing. */
const names = fc.oneof(
	fc.constantFrom('error', 'success', 'deleted', 'serviceError', '__proto__', 'status'),
	fc.string(),
);
const { body } = fc.letrec((tie) => ({
	body: fc.oneof(
		{ maxDepth: 3 },
		fc.jsonValue(),
		fc.constant(undefined),
		fc.array(tie('body')),
		fc.dictionary(names, tie('body')),
	),
}));

describe.each(operationIds)('%s', (id) => {
	const under = operationUnderTest(id);
	const compiled = under.compile();
	const { list, settled } = cases[id].reply;

	test('makes of any answer items that are no failures', () => {
		fc.assert(
			fc.property(body, (answer) => {
				const items = [...compiled.output(answer)];
				if (!list) expect(items).toHaveLength(1);
				for (const item of items) {
					expect(Object.hasOwn(item, 'error')).toBe(false);
					expect(item).toMatchObject(settled);
				}
			}),
			runs(200),
		);
	});
});

test.each(idsWhere(({ reply, traits }) => !reply.list && !traits.includes('waits')))(
	'%s keeps every field of an answer that is an object',
	(id) => {
		const compiled = operationUnderTest(id).compile(cases[id].record?.raw);
		const { settled } = cases[id].reply;
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (answer) => {
				const [item = {}] = compiled.output(answer);
				for (const [name, value] of Object.entries(answer)) {
					// What the node knows replaces a null.
					if (name === 'error' || Object.hasOwn(settled, name) || value === null) continue;
					expect(Object.getOwnPropertyDescriptor(item, name)?.value).toStrictEqual(value);
				}
			}),
			runs(100),
		);
	},
);
