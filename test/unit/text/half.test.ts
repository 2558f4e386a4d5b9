import { hasHalf } from '../../../nodes/Messaging/text/half.ts';

test.each(['', 'abc', '😀', '👨‍👩‍👧‍👦', '\ud83d\ude00', '\0\uffff', '\\ud83d'])('%j is whole', (text) => {
	expect(hasHalf(text)).toBe(false);
});

test.each(['\ud83d', '\ude00', '\ude00\ud83d', 'a\ud83d', '\ud83d\ud83d\ude00'])(
	'%j has half of a character',
	(text) => {
		expect(hasHalf(text)).toBe(true);
	},
);
