import { cases, idsWhere, operationIds, type OperationId, type Parameters } from '../../cases/index.ts';
import { operationUnderTest } from '../support/operations.ts';

const laneOf = (id: OperationId, given: Parameters = {}) => operationUnderTest(id).compile(given).lane;

const rows = operationIds.flatMap((id) => {
	const { together = {}, apart = {} } = cases[id].lane ?? {};
	const titled = (all: Readonly<Record<string, Parameters>>, waits: boolean) =>
		Object.entries(all).map(([kind, given]) => ({ id, kind, given, waits }));
	return [...titled(together, true), ...titled(apart, false)];
});

test.each(rows)('$id with $kind waits for the one before: $waits', ({ id, given, waits }) => {
	expect(laneOf(id)).toEqual(expect.any(String));
	expect(laneOf(id, given) === laneOf(id)).toBe(waits);
});

test.each(idsWhere(({ lane }) => lane !== null))('%s: what waits, and what does not, is said', (id) => {
	const { lane } = cases[id];
	expect(Object.keys(lane?.together ?? {})).not.toStrictEqual([]);
	expect(Object.keys(lane?.apart ?? {})).not.toStrictEqual([]);
});

test.each([
	['apiKey.update', 'apiKey.delete'],
	['message.edit', 'message.delete'],
] as const)('%s and %s of one thing wait for each other', (one, other) => {
	expect(laneOf(one)).toBe(laneOf(other));
});

test.each(idsWhere(({ lane }) => lane === null))('%s waits for no other call', (id) => {
	expect(laneOf(id)).toBeUndefined();
});
