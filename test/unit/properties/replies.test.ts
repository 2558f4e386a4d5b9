import fc from 'fast-check';

import { runs } from '../support/arbitraries.ts';
import { operationUnderTest } from '../support/operations.ts';
import { leastParameters } from '../support/samples.ts';

/** Any body of a success: JSON of any kind, with the names that matter often among its fields, or nothing. */
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

const settled: Record<string, object> = {
	'apiKey.delete': { deleted: true },
	'message.delete': { deleted: true },
	'message.edit': { success: true },
	'outbox.cancel': { success: true },
	'outbox.requeue': { success: true },
};

describe.each(Object.keys(leastParameters))('%s', (id) => {
	const under = operationUnderTest(id);
	const { facts } = under.compile();
	const isList = id.endsWith('.getAll');

	test('makes of any answer items that are no failures', () => {
		fc.assert(
			fc.property(body, (answer) => {
				const items = under.operation.output(answer, facts);
				if (!isList) expect(items).toHaveLength(1);
				for (const item of items) {
					expect(Object.hasOwn(item, 'error')).toBe(false);
					expect(item).toMatchObject(settled[id] ?? {});
				}
			}),
			runs(200),
		);
	});
});

const whole = Object.keys(leastParameters).filter((id) => !id.endsWith('.getAll'));

test.each(whole)('%s keeps every field of an answer that is an object', (id) => {
	const { operation, compile } = operationUnderTest(id);
	const { facts } = compile({ simplify: false });
	fc.assert(
		fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (answer) => {
			const [item = {}] = operation.output(answer, facts);
			for (const [name, value] of Object.entries(answer)) {
				// A null gives way to what the node knows.
				if (name === 'error' || Object.hasOwn(settled[id] ?? {}, name) || value === null) continue;
				expect(Object.getOwnPropertyDescriptor(item, name)?.value).toStrictEqual(value);
			}
		}),
		runs(100),
	);
});
