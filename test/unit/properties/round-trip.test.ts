import fc from 'fast-check';

import { cases, idsWhere, type Parameters } from '../../cases/index.ts';
import { runs, text, valueOf } from '../support/arbitraries.ts';
import { endpointOf } from '../../../api/interface.ts';
import { wire } from '../support/interface.ts';
import { operationUnderTest } from '../support/operations.ts';

test.each(idsWhere(({ fromBody }) => fromBody !== null))('%s: what is given arrives unchanged', (id) => {
	const under = operationUnderTest(id);
	const { required = [], given } = cases[id].fromBody ?? {};
	fc.assert(
		fc.property(valueOf(endpointOf(id).body ?? {}, required), (body) => {
			expect(wire(under.body(given?.(body as Parameters)))).toStrictEqual(wire(body));
		}),
		runs(200),
	);
});

test('query parameters arrive in their order', () => {
	const list = operationUnderTest('channel.getAll');
	const rows = fc.array(fc.record({ name: text, value: fc.string({ unit: 'grapheme' }) }), { maxLength: 5 });
	fc.assert(
		fc.property(rows, (parameters) => {
			const { call } = list.compile({ options: { queryParameters: { parameters } } });
			expect(call.query).toStrictEqual(parameters.map(({ name, value }) => [name.trim(), value]));
		}),
		runs(200),
	);
});
