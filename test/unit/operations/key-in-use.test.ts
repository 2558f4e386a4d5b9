import { keyInUse } from '../../../nodes/Messaging/operations/apiKey/key-in-use.ts';
import { Counted } from '../support/counted.ts';

const key = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const other = '3f2504e0-4f89-41d3-9a0c-0305e82c3302';

/** So many levels around something. */
function within(levels: number, value: unknown): unknown {
	let around = value;
	for (let level = 0; level < levels; level++) around = { account: around };
	return around;
}

test('the key itself is found under its id, anywhere near the top', () => {
	expect(keyInUse({ id: key.toUpperCase() }, key)).toBe('same');
	expect(keyInUse({ apiKey: { id: other }, keys: [{ id: `{${key}}` }] }, key)).toBe('same');
	expect(keyInUse({ data: { apiKeyId: other } }, key)).toBe('other');
	expect(keyInUse({ account: { id: other } }, key)).toBe('unclear');
});

test('where there is too much to look at, nobody says that it is another key', () => {
	const few = { id: other, accounts: Array.from({ length: 9_000 }, () => 0) };
	expect(keyInUse(few, key)).toBe('other');

	for (const many of [
		{ id: other, accounts: Array.from({ length: 10_000 }, () => ({ id: key })) },
		{
			id: other,
			...Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`field${n}`, { id: key }])),
		},
		{ id: other, lists: Array.from({ length: 200 }, () => Array.from({ length: 60 }, () => 0)) },
	]) {
		const counted = new Counted(25_000);
		expect(keyInUse(counted.watch(many), key)).toBe('unclear');
	}
});

test('a list that is too long is not read', () => {
	const counted = new Counted(100);
	const me = counted.watch({ accounts: Array.from({ length: 100_000 }, () => ({ id: key })) });
	expect(keyInUse(me, key)).toBe('unclear');
});

test('what lies deep is not looked at, and levels without an end are none of its business', () => {
	expect(keyInUse(within(5, { id: key }), key)).toBe('same');
	expect(keyInUse(within(6, { id: key }), key)).toBe('unclear');
	expect(keyInUse(within(100_000, { id: key }), key)).toBe('unclear');
});

test('a text or a name that is longer than any way to write one is none', () => {
	expect(keyInUse({ id: `${'-'.repeat(64)}${key}` }, key)).toBe('same');
	expect(keyInUse({ id: `${'-'.repeat(65)}${key}` }, key)).toBe('unclear');
	expect(keyInUse({ [`${'_'.repeat(98)}id`]: key }, key)).toBe('same');
	expect(keyInUse({ [`${'_'.repeat(99)}id`]: key }, key)).toBe('unclear');
});
