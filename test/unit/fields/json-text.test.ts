import fc from 'fast-check';

import { faultIn, readJson } from '../../../nodes/Messaging/fields/json-text.ts';
import { character, runs } from '../support/arbitraries.ts';

/** What is said of a broken text. */
const faultOf = (text: string): string | undefined => {
	const read = readJson(text);
	return 'fault' in read ? read.fault : undefined;
};

const parses = (text: string): boolean => {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
};

describe('where a text breaks', () => {
	test.each([
		['{"a": 1,}', 'something is wrong at line 1, column 9'],
		['{\n  "a": 1\n  "b": 2\n}', 'something is wrong at line 3, column 3'],
		['{\r\n"a": 1,\r\n}', 'something is wrong at line 3, column 1'],
		["{'a': 1}", 'something is wrong at line 1, column 2'],
		['{a: 1}', 'something is wrong at line 1, column 2'],
		['{"a" 1}', 'something is wrong at line 1, column 6'],
		['{"a": tru}', 'something is wrong at line 1, column 10'],
		['{"a": undefined}', 'something is wrong at line 1, column 7'],
		['{"a": "x\ny"}', 'something is wrong at line 1, column 9'],
		['{"a": "\\x"}', 'something is wrong at line 1, column 9'],
		['{"a": "\\u12G4"}', 'something is wrong at line 1, column 12'],
		['{"a": 01}', 'something is wrong at line 1, column 8'],
		['{"a": .5}', 'something is wrong at line 1, column 7'],
		['{"a": 1.}', 'something is wrong at line 1, column 9'],
		['{"a": 1e}', 'something is wrong at line 1, column 9'],
		['{"a": -}', 'something is wrong at line 1, column 8'],
		['{"a": 1}}', 'something is wrong at line 1, column 9'],
		['{"a": 1} {"b": 2}', 'something is wrong at line 1, column 10'],
		['[1, 2}', 'something is wrong at line 1, column 6'],
		['{]', 'something is wrong at line 1, column 2'],
		['[1,]', 'something is wrong at line 1, column 4'],
		['bob', 'something is wrong at line 1, column 1'],
		['{"a": “b”}', 'something is wrong at line 1, column 7'],
		['{"a": "b', 'it ends too early, at line 1, column 9'],
		['{"a": {"b": [1, 2\n', 'it ends too early, at line 2, column 1'],
		['{"a": t', 'it ends too early, at line 1, column 8'],
		['', 'it ends too early, at line 1, column 1'],
	])('%j: %s', (text, said) => {
		expect(faultOf(text)).toBe(`holds no valid JSON: ${said}`);
	});

	/** Texts that were JSON before something was cut out, put in or exchanged. */
	const broken = fc
		.tuple(
			fc.jsonValue({ maxDepth: 4, stringUnit: character }),
			fc.constantFrom(undefined, 2, '\t'),
			fc.nat(),
			fc.nat(3),
			fc.oneof(
				fc.constantFrom('', ',', '"', '{', '}', '[', ']', ':', '\\', '\n', "'", '-', '.', 'e', 'null', '0'),
				fc.string({ unit: character }),
			),
		)
		.map(([value, indent, at, length, put]) => {
			const text = JSON.stringify(value, undefined, indent);
			const place = at % (text.length + 1);
			return text.slice(0, place) + put + text.slice(place + length);
		});

	test('a text is said to break exactly when it does, and the value is the one that it holds', () => {
		let faults = 0;
		fc.assert(
			fc.property(fc.oneof(broken, fc.string({ unit: character })), (text) => {
				const read = readJson(text);
				expect('value' in read).toBe(parses(text));
				if ('value' in read) expect(read.value).toStrictEqual(JSON.parse(text));
				else faults += 1;
			}),
			runs(2_000),
		);
		expect(faults).toBeGreaterThan(500);
	});

	test('what stands before the place may be the beginning of JSON, what stands there may not follow', () => {
		fc.assert(
			fc.property(broken, (text) => {
				if (parses(text)) return;
				const at = faultIn(text);
				// A text breaks where it ends when what is there so far could go on.
				expect(parses(text.slice(0, at)) || faultIn(text.slice(0, at)) === at).toBe(true);
				if (at < text.length) expect(faultIn(text.slice(0, at + 1))).toBe(at);
			}),
			runs(2_000),
		);
	});

	test('V8, where it names a place, names the same', () => {
		let named = 0;
		fc.assert(
			fc.property(broken, (text) => {
				try {
					JSON.parse(text);
				} catch (error) {
					const position = /at position (\d+)/.exec(String(error))?.[1];
					if (position === undefined) return;
					named += 1;
					expect(faultIn(text)).toBe(Number(position));
				}
			}),
			runs(2_000),
		);
		expect(named).toBeGreaterThan(300);
	});

	test('nothing of the text is said', () => {
		fc.assert(
			fc.property(fc.stringMatching(/^[a-z]{12,20}$/), broken, (secret, text) => {
				for (const part of [`{"password": "${secret}`, `{"password": ${secret}}`, `${secret}${text}`]) {
					expect(faultOf(part) ?? '').not.toContain(secret.slice(0, 8));
				}
			}),
			runs(200),
		);
	});

	test.each(['[', '{"a":'])('nesting may be as deep as it likes: %s', (open) => {
		const text = open.repeat(200_000);
		expect(faultIn(text)).toBe(text.length);
		expect(faultIn(`${text}!`)).toBe(text.length);
	});
});
