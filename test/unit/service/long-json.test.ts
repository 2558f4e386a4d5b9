import * as fc from 'fast-check';

import { MOST_FIELDS, parseLongJson } from '../../../nodes/Messaging/service/long-json.ts';
import { Turns } from '../../../nodes/Messaging/time/turns.ts';
import { runs } from '../support/arbitraries.ts';
import { turnsOf } from '../support/busy-clock.ts';

/** What `JSON.parse` makes of it. */
function parsed(text: string): { value: unknown } | undefined {
	try {
		return { value: JSON.parse(text) };
	} catch {
		return undefined;
	}
}

/** JSON as text: with space in it, and names twice in an object. */
const space = fc.constantFrom('', '', '', ' ', '\n\t', ' '.repeat(30));
const letters = fc.constantFrom(
	'a',
	'\\"',
	'\\\\',
	'\\u0041',
	'\\ud83d\\ude00',
	'\\n',
	'😀',
	'[',
	'}',
	',',
	':',
);
const string = fc.array(letters, { maxLength: 20 }).map((parts) => `"${parts.join('')}"`);
const name = fc.oneof(
	fc.constantFrom('"a"', '"__proto__"', '"1"', '"\\u0061"', '""'),
	// Amid names with a backslash the engine itself takes other escaped names for these now and then.
	fc.stringMatching(/^[^\\]{0,4}$/).map((text) => JSON.stringify(text)),
);
const scalar = fc.oneof(string, fc.constantFrom('null', 'true', '-1.5e3', '0', '[]', '{}', '[ ]', '{\n}'));
const { json } = fc.letrec<{ json: string }>((tie) => ({
	json: fc.oneof(
		{ maxDepth: 6, depthSize: 'medium' },
		scalar,
		fc
			.array(fc.tuple(space, tie('json'), space), { maxLength: 6 })
			.map((members) => `[${members.map((parts) => parts.join('')).join(',')}]`),
		fc
			.array(fc.tuple(space, name, space, tie('json')), { maxLength: 6 })
			.map(
				(members) => `{${members.map(([one, of, two, value]) => `${one}${of}${two}:${value}`).join(',')}}`,
			),
	),
}));
/** The shortest pieces between whose ends every escape finds its place. */
const portion = fc.integer({ min: 7, max: 40 });

const parse = async (text: string, of?: number) => await parseLongJson(text, new Turns(), of);

test('a text holds what JSON.parse finds in it, whatever is parsed at once', async () => {
	await fc.assert(
		fc.asyncProperty(json, portion, async (text, of) => {
			const found = await parse(text, of);
			// A name that is longer than what is parsed at once.
			if (found === 'tooMuch') return;
			expect(found).toStrictEqual(parsed(text));
			// The order of fields, too.
			expect(JSON.stringify(found)).toBe(JSON.stringify(parsed(text)));
		}),
		runs(700),
	);
});

test('a text that is damaged somewhere is JSON when JSON.parse takes it for JSON', async () => {
	const damage = fc.constantFrom(
		...['', ',', '[', ']', '{', '}', '"', '\\', ':', 'x', ' 1', '\u00a0', '\n', 'null'],
	);
	await fc.assert(
		fc.asyncProperty(json, portion, fc.nat(), fc.nat(3), damage, async (text, of, at, less, more) => {
			const place = at % text.length;
			const damaged = text.slice(0, place) + more + text.slice(place + less);
			const found = await parse(damaged, of);
			if (found === 'tooMuch') return;
			expect(JSON.stringify(found)).toBe(JSON.stringify(parsed(damaged)));
		}),
		runs(1000),
	);
});

/** So long that JSON is parsed in portions. */
const LONG = 150_000;
const x = 'x'.repeat(LONG);
test.each<[kind: string, text: string]>([
	['a comma too many', `["${x}",]`],
	['a comma at the beginning', `[,"${x}"]`],
	['two commas', `["${x}",,1]`],
	['no comma', `["${x}" 1]`],
	['no comma behind a list', `[[1,"${x}"] [1]]`],
	['the wrong bracket', `["${x}"}`],
	['the wrong bracket within', `[{"a":"${x}"],1]`],
	['a bracket too many', `["${x}"]]`],
	['a bracket too few', `[["${x}"]`],
	['something behind it', `["${x}"] 1`],
	['something before it', `1 ["${x}"]`],
	['a name without a value', `{"a":"${x}","b"}`],
	['a value without a name', `{"a":"${x}",1}`],
	['no quotation mark at the end', `["${x}`],
	['an escaped one at the end', `"${x}\\"`],
	['a line break in a string', `["${x}\n"]`],
	['an escape that is none', `["${x}\\x41"]`],
	['a space that JSON does not know', `\u00a0["${x}"]`],
	['words', `${x} and more`],
])('a long text with %s is no JSON', async (_kind, text) => {
	expect(parsed(text)).toBeUndefined();
	expect(await parse(text)).toBeUndefined();
});

describe('what nobody can read is not read', () => {
	const nested = (depth: number, inside: string) =>
		`${'{"a":['.repeat(depth / 2)}${inside}${']}'.repeat(depth / 2)}`;

	test('five hundred levels are read, not one more', async () => {
		expect(await parse(nested(500, `"${x}"`))).toStrictEqual(parsed(nested(500, `"${x}"`)));
		expect(await parse(nested(502, `"${x}"`))).toBe('tooMuch');
		expect(await parse('['.repeat(5_000_000))).toBe('tooMuch');
	});

	test('an object has thirty thousand fields at most, a list any number of members', async () => {
		const object = (count: number) =>
			`{${Array.from({ length: count }, (_, n) => `"field ${n}":${n}`).join(',')}}`;
		for (const text of [object(MOST_FIELDS), `[${'1,'.repeat(2 * MOST_FIELDS)}1]`]) {
			expect(JSON.stringify(await parse(text)) === JSON.stringify(parsed(text))).toBe(true);
		}
		expect(await parse(object(MOST_FIELDS + 1))).toBe('tooMuch');
	});
});

test.each<[kind: string, text: string]>([
	['records', `[${'{"a":1,"b":"text"},'.repeat(50_000)}{}]`],
	['empty lists', `[${'[],'.repeat(300_000)}[]]`],
	['a long string', `["${'\\"x'.repeat(300_000)}"]`],
	['one within the other', `${'[0,'.repeat(400)}"${x}${x}${x}"${']'.repeat(400)}`],
	['a string alone', `"${'\\u0041'.repeat(150_000)}"`],
])('others have their turns meanwhile: %s', async (_kind, text) => {
	// What is parsed in one go is 64 KB long.
	expect(await turnsOf(async (turns) => await parseLongJson(text, turns))).toBeGreaterThan(
		text.length / 70_000,
	);
});
