import fc from 'fast-check';

import { cases, idsWhere, type Parameters } from '../../cases/index.ts';
import { valueOf } from '../support/arbitraries.ts';
import { runs } from '../../runs.ts';
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
