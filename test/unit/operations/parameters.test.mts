/** What each operation refuses and omits, and which of its calls wait for each other. */
import { cases, idsWhere, operationIds, type OperationId, type Parameters } from '../../cases/index.mts';
import { byId, fromList } from '../../cases/values.mts';
import { membersOf, operationUnderTest } from '../support/operations.mts';

/** Nothing entered, in each way in which a parameter can be empty. */
const NOTHING = ['', '  ', null, undefined];

describe.each(operationIds)('%s', (id) => {
	const under = operationUnderTest(id);
	const { fields } = under.operation;
	const { least, refused, required } = cases[id];

	if (required.length > 0) {
		test.each(required)('is refused without %s, by the name that the editor shows', (name) => {
			const field = fields.find((candidate) => candidate.name === name);
			const empty =
				field?.type === 'resourceLocator' ? [...NOTHING.map(byId), ...NOTHING.map(fromList), ''] : NOTHING;
			for (const value of empty) {
				const refusal = under.refusal({ [name]: value });
				expect(refusal).toMatchObject({
					field: field?.displayName,
					message: `The field "${field?.displayName}" is empty`,
				});
				expect(refusal.hint).toMatch(/^[A-Z].*\.$/);
			}
		});
	}

	if (refused.length > 0) {
		test.each(refused)('refuses what does not fit by the name $field', ({ field, at, values }) => {
			for (const value of values) expect([value, under.refusal(at(value)).field]).toEqual([value, field]);
		});
	}

	// The content type has a default, which is removed when the field is left empty.
	const additional = fields
		.filter(({ name }) => ['additionalFields', 'rareFields'].includes(name))
		.flatMap((field) => membersOf(field).map(({ name }) => ({ name, collection: field.name })))
		.filter(({ name }) => name !== 'contentType');

	if (additional.length > 0) {
		test('what is added and left empty is not on the wire', () => {
			for (const { name, collection } of additional) {
				for (const nothing of ['', null, undefined]) {
					const { call } = under.compile({ [collection]: { [name]: nothing } });
					expect([name, call]).toStrictEqual([name, least.call]);
				}
			}
		});
	}
});

const laneOf = (id: OperationId, given: Parameters = {}) => operationUnderTest(id).compile(given).lane;

const laneRows = operationIds.flatMap((id) => {
	const { together = {}, apart = {} } = cases[id].lane ?? {};
	const titled = (all: Readonly<Record<string, Parameters>>, waits: boolean) =>
		Object.entries(all).map(([kind, given]) => ({ id, kind, given, waits }));
	return [...titled(together, true), ...titled(apart, false)];
});

test.each(laneRows)('$id with $kind waits for the one before: $waits', ({ id, given, waits }) => {
	expect(laneOf(id)).toEqual(expect.any(String));
	expect(laneOf(id, given) === laneOf(id)).toBe(waits);
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
