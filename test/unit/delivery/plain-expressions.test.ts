import { changesNothing, plainText } from '../../../nodes/Messaging/delivery/plain-expressions.ts';

const isPlain = (code: string): boolean => plainText(`={{ ${code} }}`) !== undefined;

test.each([
	'$json.phone',
	'$json["first name"]',
	"$('Orders').item.json.to",
	'$json.größe',
	'$json.name ?? "nobody"',
	'$json.name || $json.nick || ""',
	'$json.a?.b?.["c"]',
	'`Hello ${$json.name}, number ${ $json.n + 1 }`',
	'"+" + $json.phone.replace(/[^\\d/"]/g, "")',
	'$json.n > 1 ? "many" : !$json.n ? "none" : -1',
	'($json.a + 2.5) * 3 % 2 === 0 && true',
	'$json.text.slice(0, 100).trim().toTitleCase()',
	'[65, 67].includes($itemIndex)',
	'$now.minus(1, "day").toFormat("yyyy-LL-dd")',
	'Math.round(Number($json.n))',
	'"order\\n" + JSON.stringify($json)',
	'1 - -1',
])('%s is plain', (code) => {
	expect(plainText(`={{ ${code}\n}}`)?.expressions.map((each) => each.code)).toEqual([code]);
});

test.each([
	'',
	'a',
	'$json.a $json.b',
	'$json.a, $json.b',
	'$json.a) , ($json.b',
	'$json.a; $json.b',
	'$json.a // b',
	'$json.a /* b */',
	'$json.a\n(1)',
	'$json.a = 1',
	'$json.a += 1',
	'$json.a ??= 1',
	'$json.n++',
	'1 --$json.n',
	'$json.a <!-- b',
	'$json.a ** 2',
	'$json.a ?? 1 || 2',
	'$json.a ?.5 : 1',
	'({ a: 1 }).a',
	'...$json.a',
	'String(...$json.a)',
	'() => 1',
	'function () {}',
	'new Date()',
	'typeof $json',
	'delete $json.a',
	'this',
	'$',
	'$json.$(1)',
	'String',
	'$if(1, 2, 3)',
	'$parameter.a',
	'$rawParameter.a',
	'$node["A"].parameter.a',
	'$self.a',
	'$fromAI("a")',
	'$evaluateExpression("1")',
	'$item(0).$parameter.a',
	'global.a',
	'010',
	'1.toString()',
	'.5',
	'10n',
	'0x10',
	'"a',
	'"\\u0041"',
	'"{{"',
	'"}}"',
	'`a',
	'`${`b`}`',
	'`a\nb`',
	'`\\``',
	'/a',
	'/[/',
	'($json.a.trim)()',
	'$json. a',
	'$json.a?.(1)',
	'$json["trim"]()',
	'$json.a`b`',
	'('.repeat(100) + '1' + ')'.repeat(100),
])('%j is not', (code) => {
	expect(isPlain(code)).toBe(false);
});

test.each(
	'add append assign clear compact copyWithin defineProperty delete exec fill forEach hasField map merge pop push reduce removeField reverse set setDate shift sort splice toJSON unshift'.split(
		' ',
	),
)('.%s() may change something, or is not known to give the same', (name) => {
	expect(isPlain(`$json.a.${name}(1)`)).toBe(false);
});

test.each<[string, string[], string[]]>([
	['={{ $json.a }}', ['', ''], ['$json.a']],
	['= {{ $json.a }}', [' ', ''], ['$json.a']],
	['={{ $json.a }}{{ 1 }}', ['', '', ''], ['$json.a', '1']],
	["=Don't {{ $json.a }},\n{{$json.b}} }} {!", ["Don't ", ',\n', ' }} {!'], ['$json.a', '$json.b']],
])('what stands around the expressions of %j', (raw, texts, codes) => {
	const plain = plainText(raw);
	expect(plain?.texts).toEqual(texts);
	expect(plain?.expressions.map(({ code }) => code)).toEqual(codes);
});

test.each([
	'{{ $json.a }}',
	'=text',
	'=',
	'={ $json.a }',
	'={{}',
	'={{}}',
	'={{ $json.a }} {{ $json.b = 1 }}',
	'={{ $json.a }} {{ $json.b',
	'=\\{{ $json.a }}',
	'={{ $json.a }} and a \\',
	'=It is the .constructor of {{ $json.a }}',
])('%j is left to n8n', (raw) => {
	expect(plainText(raw)).toBeUndefined();
});

test.each<[string, unknown]>([
	['no expression', '{{ $json.n++ }}'],
	['a text with plain ones', '=Hello {{ $json.a }}, {{$json.b}} }}'],
	['an object with plain ones', { a: [{ b: '=x {{ $json.a }}' }], c: 1, d: null }],
	['nothing', undefined],
])('%s changes nothing', (_title, raw) => {
	expect(changesNothing(raw)).toBe(true);
});

test.each<[string, unknown]>([
	['one that counts', '={{ $json.n++ }}'],
	['one of several', '={{ $json.a }} and {{ $json.n++ }}'],
	['one that does not end', '={{ $json.n++'],
	['one behind braces that are text', '=\\{{ {{ $json.n++ }}'],
	['one with braces in it', '={{ "}}" + $json.n++ }}'],
	['one deep inside', { a: [{ b: '={{ $json.n++ }}' }] }],
])('%s may change something', (_title, raw) => {
	expect(changesNothing(raw)).toBe(false);
});
