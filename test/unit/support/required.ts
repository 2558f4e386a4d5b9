import type { OperationUnderTest } from './operations.ts';
import { byId, fromList } from './samples.ts';

/** Nothing entered, in every way in which a parameter can say so. */
const NOTHING = ['', '  ', null, undefined];

/** Tests that each of these parameters is refused when it is empty, by the name that the editor shows. */
export function testRequired(under: OperationUnderTest, required: readonly string[]): void {
	const rows = required.flatMap((name) => {
		const label = under.label(name);
		const locator = under.operation.fields.find((field) => field.name === name)?.type === 'resourceLocator';
		const empty = locator ? [...NOTHING.map(byId), ...NOTHING.map(fromList), ''] : NOTHING;
		return empty.map((value) => ({ name, label, value }));
	});

	test.each(rows)('is refused with $name = $value', ({ name, label, value }) => {
		const refusal = under.refusal({ [name]: value });

		expect(refusal).toMatchObject({ field: label, message: `The field "${label}" is empty` });
		expect(refusal.hint).toMatch(/^[A-Z].*\.$/);
	});

	test('marks these fields as required in the editor', () => {
		const marked = under.operation.fields.filter((field) => field.required).map((field) => field.name);
		expect(marked).toEqual(expect.arrayContaining(required));
	});
}
