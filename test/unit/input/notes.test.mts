import { kindOfNote, LACKS_PART } from '../../../nodes/Messaging/input/notes.ts';

const lacking = (code: string): string =>
	`Text ${LACKS_PART}: {{ ${code} }} finds nothing for this item. This item has: a, b.`;

test.each([
	[lacking('$json.name'), '{{ $json.name }} finds nothing'],
	[lacking('$json.vip ? $json.low : $json.price'), '{{ $json.vip ? $json.low : $json.price }} finds nothing'],
	[lacking('$json.a + ". " + $json.b'), '{{ $json.a + ". " + $json.b }} finds nothing'],
	['The same text to the same person as item 4.', 'The same text to the same person'],
	[
		'Text has {{ }} with a name in it, which is sent. For a field, write more.',
		'Text has {{ }} with a name in it, which is sent',
	],
])('the kind of a note is its first sentence, whatever its code consists of: %#', (note, kind) => {
	expect(kindOfNote(note)).toBe(kind);
});
