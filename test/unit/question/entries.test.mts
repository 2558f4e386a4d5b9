import fc from 'fast-check';

import type { QuestionField } from '../../../nodes/Messaging/question/question.ts';
import { readAnswer, entriesIn, type Faults } from '../../../nodes/Messaging/question/entries.ts';
import { runs } from '../../runs.mts';
import { approvalOf, field, formOf, question } from './question.mts';

const approval = (decline: string | null) => question({ answer: approvalOf('Yes', decline) });
const form = (...fields: QuestionField[]) => question({ answer: formOf(...fields) });

/** The result of an answer to one field, or the error. */
function answerTo(of: QuestionField, ...entered: string[]): unknown {
	const answer = readAnswer({ 'field-0': entered }, form(of));
	return 'data' in answer ? answer.data[of.name] : answer.faults;
}

const wrong = { 'field-0': expect.stringMatching(/^Please .*\.$/) as unknown };
const choice = ['Mail', 'Courier', 'Pick-up'];

describe('an approval', () => {
	test.each([
		['approve', true, 'Yes'],
		['decline', false, 'No'],
	])('%s', (button, approved, said) => {
		expect(readAnswer({ answer: [button] }, approval('No'))).toStrictEqual({ data: { approved }, said });
	});

	test('needs a button, and the one that declines has to be there', () => {
		expect(readAnswer({}, approval('No'))).toHaveProperty('faults');
		expect(readAnswer({ approved: ['true'] }, approval('No'))).toHaveProperty('faults');
		expect(readAnswer({ answer: ['decline'] }, approval(null))).toHaveProperty('faults');
	});
});

describe('a field', () => {
	test.each<[QuestionField['type'], string, unknown]>([
		['text', 'a b', 'a b'],
		['text', ' a ', ' a '],
		['textarea', 'one\ntwo', 'one\ntwo'],
		['number', ' 2.50 ', 2.5],
		['number', '-1e3', -1000],
		['number', '.5', 0.5],
		['number', '2,5', 2.5],
		['number', '-12,50', -12.5],
		['number', ',5', 0.5],
		['number', '0,125', 0.125],
		['number', '0.125', 0.125],
		['number', '1250,125', 1250.125],
		['number', '1.2340', 1.234],
		['number', '123456789012345', 123456789012345],
		['number', '0', 0],
		['number', '١٢٣٤٥', 12345],
		['number', '۱۲٫۵', 12.5],
		['number', '१२३', 123],
		['number', '-１２．５', -12.5],
		['email', ' ada@example.com ', 'ada@example.com'],
		['date', '2028-02-29', '2028-02-29'],
	])('%s with %j gives %j', (type, entered, value) => {
		expect(answerTo(field({ type }), entered)).toBe(value);
	});

	test.each<[QuestionField['type'], ...entered: string[]]>([
		[
			'number',
			'many',
			'1e999',
			'Infinity',
			'12,50 €',
			'1.234,56',
			'1 250',
			'0x10',
			'.',
			',',
			'-',
			'1,2,3',
			'5²',
			'½',
			'١٢٣٬٤٥٦',
			'١٬٢٣٤',
			`1e${'0'.repeat(100)}1`,
		],
		[
			'number',
			'1,234',
			'1.234',
			'-12,500',
			'١٫٢٣٤',
			'۰۰۷',
			'１２３４５６７８９０１２３４５６',
			'1234567890123456',
			'0.1234567890123456',
			'007',
			'-01',
			'00',
		],
		['email', 'ada', 'ada@b@c'],
		['date', '2030-02-29', '2030-13-01', '31.01.2030', '2030-01', '+012030-01-31', 'today'],
	])('%s with %j does not fit', (type, ...values) => {
		for (const entered of values) expect(answerTo(field({ type }), entered)).toStrictEqual(wrong);
	});

	test('a number is read in the digits of every script that Unicode has', () => {
		const digits = Array.from({ length: 0x20000 }, (_, code) => code)
			.filter((code) => code < 0xd800 || code > 0xdfff)
			.map((code) => String.fromCodePoint(code))
			.filter((character) => /\p{Nd}/u.test(character));
		const zeros = digits.filter((_digit, n) => n % 10 === 0);
		expect(zeros.length).toBeGreaterThan(60);
		for (const [n, zero] of zeros.entries()) {
			const inScript = (digit: string): string => digits[10 * n + Number(digit)] ?? '';
			for (const number of ['1234567890', '9.25']) {
				const entered = number.replace(/\d/g, inScript);
				expect([zero, answerTo(field({ type: 'number' }), entered)]).toEqual([zero, Number(number)]);
			}
		}
	});

	test('a number that could be two is refused with both, and each of them fits', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 0, max: 999 }), (whole, rest) => {
				const decimals = String(rest).padStart(3, '0');
				for (const mark of ['.', ',']) {
					const fault = (answerTo(field({ type: 'number' }), `-${whole}${mark}${decimals}`) as Faults)[
						'field-0'
					];
					const [, one = '', other = ''] = /enter (\S+) for .*, or (\S+) for /.exec(fault ?? '') ?? [];
					const values = [one, other].map((each) => answerTo(field({ type: 'number' }), each));
					expect(values).toEqual([-Number(`${whole}${decimals}`), -Number(`${whole}.${decimals}`)]);
				}
			}),
			runs(100),
		);
	});

	test('every number that is accepted is the one that was entered', () => {
		const digits = fc.stringMatching(/^\d{1,9}$/);
		fc.assert(
			fc.property(
				digits,
				fc.constantFrom('.', ','),
				fc.stringMatching(/^\d{0,9}$/),
				(whole, mark, decimals) => {
					const value = answerTo(field({ type: 'number' }), `${whole}${mark}${decimals}`);
					if (typeof value !== 'number') return;
					expect(value.toFixed(decimals.length).replace(/\D/g, '')).toBe(`${whole}${decimals}`);
				},
			),
			runs(300),
		);
	});

	test.each<QuestionField['type']>(['text', 'textarea', 'number', 'email', 'date'])(
		'%s that is left empty gives null, or is asked for',
		(type) => {
			for (const entered of [[], [''], ['  ']]) {
				expect(answerTo(field({ type }), ...entered)).toBeNull();
				expect(answerTo(field({ type, required: true }), ...entered)).toStrictEqual(wrong);
			}
		},
	);

	test.each<QuestionField['type']>(['dropdown', 'radio'])('%s gives what was chosen', (type) => {
		const of = field({ type, options: choice });
		expect(answerTo(of, 'Courier')).toBe('Courier');
		expect(answerTo(of)).toBeNull();
		expect(answerTo(of, '')).toBeNull();
		for (const entered of [['mail'], ['0'], ['Mail', 'Courier'], ['__proto__']]) {
			expect(answerTo(of, ...entered)).toStrictEqual(wrong);
		}
		expect(answerTo({ ...of, required: true })).toStrictEqual(wrong);
	});

	test('checkboxes give all that were ticked', () => {
		const of = field({ type: 'checkbox', options: choice });
		expect(answerTo(of, 'Mail', 'Pick-up')).toStrictEqual(['Mail', 'Pick-up']);
		expect(answerTo(of)).toStrictEqual([]);
		expect(answerTo(of, 'Mail', 'Post')).toStrictEqual(wrong);
		expect(answerTo({ ...of, required: true })).toStrictEqual(wrong);
	});
});

test('a form has every field by its name, whatever the name is', () => {
	const names = ['__proto__', 'constructor', 'toString', 'a.b', ''];
	const answer = readAnswer(
		Object.fromEntries(names.map((_, index) => [`field-${index}`, [`value ${index}`]])),
		form(...names.map((name) => field({ name }))),
	);
	expect(answer).toHaveProperty('data');
	const data = 'data' in answer ? answer.data : {};
	expect(Object.entries(data)).toStrictEqual(names.map((name, index) => [name, `value ${index}`]));
});

test('all that does not fit is named at once', () => {
	const answer = readAnswer(
		{ 'field-1': ['x'], 'field-2': ['fits'] },
		form(field({ required: true }), field({ type: 'number' }), field()),
	);
	expect('faults' in answer && Object.keys(answer.faults)).toStrictEqual(['field-0', 'field-1']);
});

test('what n8n hands over of a form: one text, or a list of several', () => {
	expect(entriesIn({ data: { one: 'a', several: ['a', 'b\r\nc\rd'], no: 5, none: null } })).toStrictEqual({
		one: ['a'],
		several: ['a', 'b\nc\nd'],
		no: [],
		none: [],
	});
	for (const nothing of [undefined, null, 'text', [], { data: null }, { data: [] }]) {
		expect(entriesIn(nothing)).toStrictEqual({});
	}
});

test('an answer of more than a million characters is not looked at, however they are divided', () => {
	const half = 'x'.repeat(500_000);
	expect(entriesIn({ data: { a: half, b: half.slice(2) } })).toHaveProperty('a');
	for (const data of [{ a: half, b: half }, { a: ['x', half, half] }, { [`${half}x`]: half }]) {
		expect(entriesIn({ data })).toBeUndefined();
	}
});
