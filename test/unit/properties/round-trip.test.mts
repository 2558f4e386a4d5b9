import fc from 'fast-check';

import { cases, endpointIdOf, idsWhere, type Parameters } from '../../cases/index.mts';
import { valueOf } from '../support/arbitraries.mts';
import { runs } from '../../runs.mts';
import { endpointOf } from '../../../api/interface.mts';
import { wire } from '../support/interface.mts';
import { operationUnderTest } from '../support/operations.mts';

/** Whether a body has nothing that the form refuses or takes away: errors of a spreadsheet, space around type and name. */
function isPlain(body: unknown): boolean {
	const { content: { type = '', to } = {} } = body as { content?: { type?: string; to?: { name?: string } } };
	const hasSpace = [type, to?.name ?? ''].some((text) => text !== text.trim());
	return !hasSpace && !/"\s*#[^"]*[!?]\s*"/.test(JSON.stringify(body));
}

test.each(idsWhere(({ fromBody }) => fromBody !== null))('%s: what is given arrives unchanged', (id) => {
	const under = operationUnderTest(id);
	const { required = [], given, isTaken = () => true } = cases[id].fromBody ?? {};
	const bodies = valueOf(endpointOf(endpointIdOf(id)).body ?? {}, required);
	fc.assert(
		fc.property(
			bodies.filter((body) => isTaken(body as Parameters) && isPlain(body)),
			(body) => {
				expect(wire(under.body(given?.(body as Parameters)))).toStrictEqual(wire(body));
			},
		),
		runs(200),
	);
});
