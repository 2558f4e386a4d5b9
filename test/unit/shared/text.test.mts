import fc from 'fast-check';
import { asSentence, capital, cut, fold, named, quoted, said } from '../../../nodes/Messaging/shared/text.ts';
import { apiCall, type Schemas } from '../../../nodes/Messaging/service/api-call.ts';
import { character } from '../support/arbitraries.mts';
import { runs } from '../../runs.mts';
import { shown } from '../../../nodes/Messaging/shared/shown.ts';
import { nameUuid } from '../../../nodes/Messaging/shared/uuid.ts';
import { defined, textAt, valueAt } from '../../../nodes/Messaging/shared/json.ts';

describe('cut', () => {
	test('gives at most so many characters, never half of one, and leaves alone what has no more', () => {
		fc.assert(
			fc.property(
				fc.string({ unit: character, maxLength: 40 }),
				fc.integer({ min: 2, max: 30 }),
				(text, most) => {
					const result = cut(text, most);
					expect(Array.from(result).length).toBeLessThanOrEqual(most);
					expect(result).not.toMatch(/\p{Surrogate}/u);
					if (Array.from(text).length <= most) expect(result).toBe(text);
					else expect(text.startsWith(result.slice(0, -1))).toBe(true);
				},
			),
			runs(500),
		);
	});

	test.each([
		['0123456789', 6, '01234…'],
		['0123   789', 6, '0123…'],
		['😀😀😀', 3, '😀😀😀'],
		['😀😀😀😀', 3, '😀😀…'],
		['a'.repeat(1_000_000), 3, 'aa…'],
	])('%s to %i: %s', (text, most, expected) => {
		expect(cut(text, most)).toBe(expected);
	});
});

describe('text amid a sentence', () => {
	test.each([
		['a\tb\r\nc', 'a\\tb\\r\\nc'],
		['\0\u202e\u200b\ufeff\u2028\u2068', '\\u0000\\u202e\\u200b\\ufeff\\u2028\\u2068'],
		['\ud83d!', '\\ud83d!'],
		// Parts of letters and symbols.
		['می\u200cخواهم', 'می\u200cخواهم'],
		['👨‍👩‍👧‍👦❤️', '👨‍👩‍👧‍👦❤️'],
		['Grüße, 世界', 'Grüße, 世界'],
	])('%j is named %j', (text, expected) => {
		expect(named(text)).toBe(expected);
		expect(quoted(text)).toBe(`"${expected}"`);
	});

	test('what the service says keeps its lines, and shows what can not be seen', () => {
		expect(said('One\n\ttwo\u202e')).toBe('One\n\ttwo\\u202e');
	});

	test('is as long as one reads, whatever it is made of', () => {
		for (const text of ['x', 'ש', '👨‍👩‍👧‍👦', '\u202e', '\0', '\ud83d', 'a\u0301']) {
			expect(quoted(text.repeat(100_000)).length).toBeLessThan(1_000);
			expect(said(text.repeat(100_000)).length).toBeLessThan(3_100);
		}
	});
});

test.each(['Gone.', 'Gone?', 'מה?', 'ما هذا؟', '没有了。', 'नहीं।', 'He said "no."', 'and so on…'])(
	'%s is a sentence',
	(text) => {
		expect(asSentence(text)).toBe(text);
		expect(asSentence(`${text} Gone`)).toBe(`${text} Gone.`);
	},
);

test.each([
	['not found', 'Not found'],
	['channelId is missing', 'channelId is missing'],
])('%j begins as %j', (text, expected) => {
	expect(capital(text)).toBe(expected);
});

test('a search finds text whatever its case, its accents and its form', () => {
	const same = ['İstanbul istanbul', 'Привет ПРИВЕТ', '\u00e9 e\u0301', '\u212b \u00c5', 'Müller Muller'];
	for (const pair of [...same, 'Ёлка елка', '１２３ＡＢＣ 123abc', 'ﾊﾞｽ バス']) {
		const [one = '', other = ''] = pair.split(' ');
		expect(fold(one)).toBe(fold(other));
	}
	for (const [one = '', other = ''] of [
		['1', '2'],
		['世界', '世间'],
		['कि', 'की'],
	]) {
		expect(fold(one)).not.toBe(fold(other));
	}
});

describe('JSON', () => {
	test('what is undefined is left out, and nothing else', () => {
		interface Some {
			a: number;
			b?: string;
			c?: null;
			d?: boolean;
		}
		const some = defined<Some>({ a: 0, b: undefined, c: null, d: false });
		expect(some).toStrictEqual({ a: 0, c: null, d: false });
		// @ts-expect-error a required parameter is missing
		defined<Some>({ a: undefined });
		// @ts-expect-error an unknown parameter
		defined<Some>({ a: 1, e: 1 });
		// @ts-expect-error nothing says which parameters there are
		defined({ a: 1 });
	});

	test('the body of a call is checked against the interface', () => {
		type Body = Schemas['CreateAccount'];
		const bodyOf = (body: Body) => apiCall('post', '/api/v1/Admin/Account', { body }).body;
		expect(bodyOf(defined<Body>({ name: 'a', description: undefined }))).toStrictEqual({ name: 'a' });
		// @ts-expect-error a name that is no text
		defined<Body>({ name: 42 });
		// @ts-expect-error an unknown parameter
		defined<Body>({ name: 'a', nonsense: true });
		// @ts-expect-error the type is not given
		bodyOf(defined({ name: 'a' }));
		// @ts-expect-error the same, in place
		apiCall('post', '/api/v1/Admin/Account', { body: defined({ name: 'a' }) });
	});

	test.each([
		['a', 1],
		['b.c', ' text '],
		['b.d', undefined],
		['a.x', undefined],
		['list.0', undefined],
	])('at %s there is %j', (path, expected) => {
		const record = { a: 1, b: { c: ' text ' }, list: ['x'] };
		expect(valueAt(record, path)).toBe(expected);
		expect(valueAt(record, path.split('.'))).toBe(valueAt(record, path));
		expect(textAt(record, path)).toBe(expected === ' text ' ? 'text' : '');
	});
});

test.each([
	// RFC 9562, appendix A.4.
	['6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
	['6ba7b811-9dad-11d1-80b4-00c04fd430c8', 'http://www.example.com/', 'fcde3c85-2270-590f-9e7c-ee003d65e0e2'],
])('in namespace %s, the name-based UUID of %s is %s', (namespace, name, uuid) => {
	expect(nameUuid(namespace, name)).toBe(uuid);
});

describe('text that is shown as HTML', () => {
	test.each(['<a href="x">', '</a>', '<!-- x', '<IMG src=x>', '<?xml', '<<b>', 'Ada <ada@example.com>'])(
		'begins no tag, looks the same, and is left alone a second time: %s',
		(text) => {
			const words = shown({ message: text, description: text });
			expect(words.description).toBe(words.message);
			expect(words.message).not.toMatch(/<[a-z/!?]/i);
			expect(words.message.replaceAll('\u200b', '')).toBe(text);
			expect(shown(words)).toStrictEqual(words);
		},
	);

	test.each(['1 < 2', 'a <3 b', '<', 'x <= y'])('is unchanged without one: %s', (text) => {
		expect(shown({ message: text, description: '' }).message).toBe(text);
	});
});
