import fc from 'fast-check';

import { isLinear, matches } from '../../../nodes/Messaging/fields/pattern.ts';
import { anyNode, source, steps } from '../support/backtracking.ts';

test.each<[string, string, string]>([
	['^[a-z0-9-]+$', 'a-1', 'A'],
	['^\\+?[0-9]{6,15}$', '+4312345678', '12'],
	['^[A-Z]{2}\\d{4}$', 'AB1234', 'AB123'],
	['^\\d+(\\.\\d+)?$', '1.5', '1.'],
	['^[a-z]+(-[a-z]+)*$', 'a-b-c', 'a--b'],
	['^(smtp|imap)\\.example\\.com$', 'imap.example.com', 'pop.example.com'],
	['^(?:[0-9A-F]{2}:){5}[0-9A-F]{2}$', '00:1A:2B:3C:4D:5E', '00:1A'],
	['^\\s*\\S+\\s*$', ' a ', ' '],
	['^https?://', 'https://a', 'ftp://a'],
	['[A-Z]', 'abC', 'abc'],
	['^a$|^b+$', 'bbb', 'ab'],
	['^.{1,64}$', 'ä😀', ''],
	['^[^\\s@]+@[^\\s@]+$', 'a@b', 'a@b@c'],
	['^\\p{Lu}\\d*$', 'Ä1', 'ä1'],
	['^[\\w.\\-\\]]+$', 'a.-]', 'a b'],
])('%s is checked', (pattern, fits, doesNot) => {
	expect(matches(pattern, fits)).toBe(true);
	expect(matches(pattern, doesNot)).toBe(false);
});

test.each([
	'^(a|a)*$',
	'^((a+))+$',
	'^(a+)+$',
	'^(a*)*$',
	'^(a?){50}$',
	'^(a|aa)+$',
	'^(a|b|ab)*$',
	'^\\s*\\S+\\s*\\S+\\s*$',
	'^\\w+\\d+$',
	'^a*a*$',
	'^a{0,9}a{0,9}$',
	'^(a{1,9})+$',
	'\\s+$',
	'a+b',
	'^.*x.*$',
	'^[^\\d]+\\w$',
	'^\\p{L}+a$',
	'^[^\\p{L}]+a$',
	'^(?=a)a$',
	'^(a)\\1$',
	'^(?<name>a)$',
	'^a\\b$',
	'^\\u0061+$',
	'^(((){200}){200}){200}$',
	'(',
	'a{',
	`^${'a?'.repeat(200)}$`,
	`^${'a'.repeat(500)}$`,
])('%s is left to the service', (pattern) => {
	expect(matches(pattern, 'aaaaaaaaaa!')).toBeUndefined();
});

test('very long text is left to the service', () => {
	expect(matches('^a+$', `${'a'.repeat(9_999)}!`)).toBe(false);
	expect(matches('^a+$', `${'a'.repeat(10_000)}!`)).toBeUndefined();
});

describe('a pattern that is checked', () => {
	const text = fc
		.array(fc.tuple(fc.stringMatching(/^[abc]{1,3}$/), fc.integer({ min: 1, max: 40 })))
		.map((parts) =>
			parts
				.map(([piece, times]) => piece.repeat(times))
				.join('')
				.slice(0, 120),
		);

	test('takes steps in proportion to the text, whichever way is tried first', () => {
		fc.assert(
			fc.property(anyNode, text, (node, given) => {
				fc.pre(isLinear(`^${source(node)}$`));
				const least = steps(node, '', 1_000_000).count + source(node).length * 4;
				const most = 4 * least * (given.length + 2);
				return ['', 'a', 'b', 'c', '!'].every((end) => steps(node, given + end, most).count <= most);
			}),
			{ numRuns: 20_000, seed: 1 },
		);
	});

	test('is understood as JavaScript does', () => {
		fc.assert(
			fc.property(anyNode, text, (node, given) => {
				const pattern = `^${source(node)}$`;
				fc.pre(isLinear(pattern));
				return matches(pattern, given) === steps(node, given, 1_000_000).matched;
			}),
			{ numRuns: 2_000, seed: 2 },
		);
	});
});
