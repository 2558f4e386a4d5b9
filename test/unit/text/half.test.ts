import { hasHalf, pathToHalf } from '../../../nodes/Messaging/text/half.ts';

test.each(['', 'abc', '😀', '👨‍👩‍👧‍👦', '\ud83d\ude00', '\0\uffff', '\\ud83d'])('%j is whole', (text) => {
	expect(hasHalf(text)).toBe(false);
});

test.each(['\ud83d', '\ude00', '\ude00\ud83d', 'a\ud83d', '\ud83d\ud83d\ude00'])(
	'%j has half of a character',
	(text) => {
		expect(hasHalf(text)).toBe(true);
	},
);

test('where it stands is told, in names too', () => {
	const half = 'x\ud83d';
	expect(pathToHalf({ a: 'x', b: [1, null, { c: half }] })).toStrictEqual(['b', '2', 'c']);
	expect(pathToHalf({ a: { [half]: 1 } })).toStrictEqual(['a', half]);
	expect(pathToHalf(half)).toStrictEqual([]);
	for (const whole of [undefined, null, 1, true, {}, [], { a: ['😀'] }]) {
		expect(pathToHalf(whole)).toBeUndefined();
	}
});
