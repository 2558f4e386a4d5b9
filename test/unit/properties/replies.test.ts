import fc from 'fast-check';

import { cases, operationIds } from '../../cases/index.ts';
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
