import fc from 'fast-check';

import { inputName } from '../../../nodes/Messaging/question/entries.ts';
import {
	answeredPage,
	NO_QUESTION_PAGE,
	questionPage,
} from '../../../nodes/Messaging/question/page/pages.ts';
import type { QuestionFieldType } from '../../../nodes/Messaging/question/question.ts';
import { character } from '../support/arbitraries.mts';
import { runs } from '../../runs.mts';
import { approvalOf, field, formOf, question } from './question.mts';

const types: QuestionFieldType[] = [
	...(['checkbox', 'date', 'dropdown', 'email', 'number', 'radio', 'text', 'textarea'] as const),
];

/** The tags of a page, without the contents of its style sheets. */
const tagsOf = (html: string): string[] =>
	(html.replace(/<style>[\s\S]*?<\/style>/g, '<style>').match(/<[^>]*>/g) ?? []).map((tag) =>
		tag.replace(/"[^"]*"/g, '""'),
	);

/** Text that tries to inject markup or code. */
const nasty = fc.oneof(
	fc.string({ unit: character, maxLength: 30 }),
	fc
		.array(
			fc.constantFrom(
				...['<script>', '</style>', '</textarea>', '"', "'", '>', '<', '&', '-->', '<!--', ' onload=x ', '`'],
				...['${1}', '\u0000', '</title>', '<b>', '&lt;', '\n'],
			),
			{ maxLength: 6 },
		)
		.map((parts) => parts.join('')),
);

describe('everything from the workflow and from the answer is text', () => {
	/** A page with every kind of text that does not come from the node. */
	const pages = (text: string): string[] => {
		const [first, ...rest] = types.map((type) =>
			field({
				type,
				label: text,
				placeholder: text,
				initial: [text],
				required: true,
				options: ['checkbox', 'dropdown', 'radio'].includes(type) ? ['0', text] : [],
			}),
		);
		const form = question({
			page: { title: text, text, css: '' },
			answer: { ...formOf(...(first === undefined ? [] : [first]), ...rest), button: text },
		});
		const names = types.map((_, index) => inputName(index));
		const wrong = {
			entries: Object.fromEntries(names.map((name) => [name, [text]])),
			faults: Object.fromEntries(names.map((name) => [name, text])),
		};
		const approval = question({ page: { title: text, text, css: '' }, answer: approvalOf(text, text) });
		return [
			questionPage(form),
			questionPage(form, wrong),
			questionPage(approval),
			answeredPage(approval, text),
		];
	};

	test('it adds no tag and no attribute, whatever it is', () => {
		const plain = pages('x').map(tagsOf);
		fc.assert(
			fc.property(nasty, (text) => {
				// An empty heading is left out; everything else stays.
				const filled = text.trim() === '' ? 'x' : text;
				expect(pages(`x${filled}`).map(tagsOf)).toStrictEqual(plain);
			}),
			runs(300),
		);
	});

	test('style rules of the user end no style sheet', () => {
		fc.assert(
			fc.property(nasty, (css) => {
				const html = questionPage(question({ page: { css: `x${css}</style><script>alert(1)</script>` } }));
				expect(html.match(/<\/style>/gi)).toHaveLength(2);
				expect(tagsOf(html).filter((tag) => /script/i.test(tag))).toStrictEqual([]);
			}),
			runs(200),
		);
		const html = questionPage(question({ page: { css: 'a{}</STYLE ><img>' } }));
		expect(tagsOf(html)).not.toContain('<img>');
	});

	test('it shows as it was written', () => {
		const html = questionPage(question({ page: { title: 'A & B', text: '1 < 2\n"so"', css: '' } }));
		expect(html).toContain('<h1 dir="auto" lang="">A &#38; B</h1>');
		expect(html).toContain('1 &#60; 2\n&#34;so&#34;</p>');
	});
});

const everyPage: Array<[string, string]> = [
	['an approval', questionPage(question())],
	[
		'a form',
		questionPage(question({ answer: formOf(...types.map((type) => field({ type, options: ['a'] }))) })),
	],
	['an answer', answeredPage(question(), 'Yes')],
	['a link to no open question', NO_QUESTION_PAGE],
];

describe.each(everyPage)('the page of %s', (_kind, html) => {
	test('loads nothing and runs nothing', () => {
		expect(html).not.toMatch(/<script|<img|<iframe|@import|https?:|\son\w+=|javascript:/i);
		expect(html).toContain(
			`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"`,
		);
		expect(html.match(/url\(/g)).toBeNull();
	});

	test('has a language, a title and a size for phones, and follows light and dark', () => {
		expect(html).toMatch(/<html lang="\w+">/);
		expect(html).toMatch(/<title>[^<]+<\/title>/);
		expect(html).toContain('width=device-width');
		expect(html).toMatch(/color-scheme: light dark;[^}]*light-dark\(/);
	});
});

test('what a browser of before 2024 does not know is in no rule that it reads', () => {
	const css = /<style>([^]*?)<\/style>/.exec(questionPage(question()))?.[1] ?? '';
	const [plain = '', inSupports = ''] = css.split(/@supports \(color: light-dark\([^{]*\{/);
	const modern = inSupports.slice(0, inSupports.search(/\}\s*\}/));
	expect(plain + inSupports.slice(modern.length)).not.toContain('light-dark(');
	const names = [...modern.matchAll(/(--[\w-]+): light-dark\(#\w+, #\w+\);/g)].map(([, name]) => name);
	expect(names.length).toBeGreaterThan(10);
	for (const name of names) expect(plain).toMatch(new RegExp(`${name}: #\\w+;`));
});

test.each(types)('what a screen reader says of a %s: its label, and what is wrong with it', (type) => {
	const options = ['checkbox', 'dropdown', 'radio'].includes(type) ? ['One', 'Two'] : [];
	const answer = formOf(field({ type, label: 'Reason', options }));
	const html = questionPage(question({ answer }), {
		entries: {},
		faults: { 'field-0': 'Please fill this in.' },
	});
	if (type === 'checkbox' || type === 'radio') {
		expect(html).toMatch(
			/<fieldset[^>]*aria-describedby="field-0-error"[^>]*><legend dir="auto" lang="">Reason<\/legend>/,
		);
		expect(html.match(/<label class="choice"><input/g)).toHaveLength(2);
	} else {
		expect(html).toContain('<label for="field-0" dir="auto" lang="">Reason</label>');
		expect(html).toMatch(/id="field-0"[^>]* aria-invalid="true" aria-describedby="field-0-error"/);
	}
	expect(html).toContain('<p class="error" id="field-0-error">Please fill this in.</p>');
	expect(html).toContain('role="alert"');
});

test('what was entered comes back; until then there is what the workflow put there', () => {
	const options = ['One', 'Two'];
	const answer = formOf(
		field({ initial: ['first'] }),
		field({ type: 'checkbox', options, initial: ['Two', 'Three'] }),
		field({ type: 'dropdown', options, initial: ['One'] }),
	);
	const first = questionPage(question({ answer }));
	expect(first).toContain('name="field-0" value="first"');
	expect(first).toMatch(/name="field-1" value="Two" checked/);
	expect(first).toContain('<option value="One" selected dir="auto" lang="">One</option>');

	const again = questionPage(question({ answer }), {
		entries: { 'field-0': ['second'], 'field-1': ['One'] },
		faults: { 'field-2': 'Please choose one.' },
	});
	expect(again).toContain('name="field-0" value="second"');
	expect(again).toMatch(/name="field-1" value="One" checked/);
	expect(again).not.toMatch(/value="Two" checked|selected/);
});

test('of a number without an end, only its beginning comes back, and a text comes back whole', () => {
	const answer = formOf(field({ type: 'number' }), field({ type: 'textarea' }));
	const long = '7'.repeat(1000);
	const entries = { 'field-0': [long], 'field-1': [long] };
	const html = questionPage(question({ answer }), { entries, faults: { 'field-0': 'Please.' } });
	expect(html.match(/7{50,}/g)?.map(({ length }) => length)).toEqual([100, 1000]);
});

test('one button, or two', () => {
	const buttons = (decline: string | null) =>
		questionPage(question({ answer: approvalOf('Yes', decline) })).match(/<button[^>]*>[^<]*/g);
	expect(buttons(null)).toStrictEqual([
		'<button type="submit" name="answer" value="approve" dir="auto" lang="">Yes',
	]);
	expect(buttons('No')).toHaveLength(2);
});

describe('a page in any language', () => {
	const titleOf = (html: string): string => /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? '';

	test('says of each text of the user that its language is not known, and leaves its own words English', () => {
		const html = questionPage(
			question({ answer: formOf(...types.map((type) => field({ type, label: 'שם', options: ['א'] }))) }),
		);
		const tags = html.match(/<[^>]*>[^<]*[א-ת]/g) ?? [];
		expect(tags.length).toBeGreaterThan(types.length);
		for (const tag of tags) expect(tag).toContain(' dir="auto" lang=""');
		expect(answeredPage(question(), 'כן')).toMatch(
			/<p>Your answer: <strong dir="auto" lang="">כן<\/strong><\/p>/,
		);
	});

	test('has one heading, for screen readers where none is seen', () => {
		for (const title of ['', 'Order']) {
			const html = questionPage(question({ page: { title } }));
			expect(html.match(/<h1[ >]/g)).toHaveLength(1);
			expect(html.includes('<h1 class="unseen">')).toBe(title === '');
		}
	});

	test('has a title that does not say what is asked: chats show it in previews of the link', () => {
		const asked = question({ page: { title: 'Fire Ada?', text: 'She was late.' } });
		expect(titleOf(questionPage(asked))).not.toMatch(/Ada|late/);
		expect(titleOf(questionPage(asked, { entries: {}, faults: {} }))).not.toMatch(/Ada|late/);
		expect(titleOf(answeredPage(asked, 'Yes'))).not.toMatch(/Ada|late/);
	});

	test('says in its name that an answer is not recorded yet', () => {
		const again = { entries: {}, faults: { answer: 'Click one of the buttons.' } };
		expect(titleOf(questionPage(question(), again))).not.toBe(titleOf(questionPage(question())));
	});

	test.each([
		['email', 'inputmode="email" autocomplete="email"'],
		['number', 'inputmode="decimal"'],
	] as const)(
		'has a field of text for a %s: a browser refuses or drops what it reads otherwise',
		(type, input) => {
			const html = questionPage(question({ answer: formOf(field({ type })) }));
			expect(html).toContain(`<input type="text" ${input}`);
			expect(html).not.toContain(`type="${type}"`);
		},
	);

	test('says of checkboxes of which one is needed that they are', () => {
		const asked = (required: boolean): string =>
			questionPage(question({ answer: formOf(field({ type: 'checkbox', required, options: ['One'] })) }));
		expect(asked(true)).toContain('<span class="unseen" lang="en"> (required)</span></legend>');
		expect(asked(false)).not.toContain('(required)');
	});
});
