/** Bodies that a service does not normally send. */
import fc from 'fast-check';
import { weighted } from './draw.mts';

/** One of these words. */
const oneOf = (words: string): fc.Arbitrary<string> => fc.constantFrom(...words.trim().split(/\s+/));

/** Property names, some of which the node, n8n or JavaScript gives a meaning. */
const names = weighted(
	[3, fc.string({ maxLength: 8 })],
	[
		4,
		oneOf(`error errors title detail status id ids channelId packageId messageId content headers success
			__proto__ constructor prototype toString length then toJSON deleted httpSenderOutboxEntryId
			ok isSuccess data items results total apiKey token resourcePlan limit seconds channelType isConnected name account`),
	],
);

const scalars = fc.oneof(
	oneOf('null true false 1e999 -1e999 123456789012345678901234567890 9007199254740993 0.1e-400 -0 5 ""'),
	fc.constantFrom('"KEY"', `"curl -H 'X-API-KEY: KEY'"`, '"2024-13-45T99:99:99Z"'),
	fc.string({ unit: 'binary', maxLength: 20 }).map((text) => JSON.stringify(text)),
	fc.constantFrom('"\\ud800"', '"\uFFFD"', '"\\u0000"', `"${'x'.repeat(1e5)}"`, `"${'acc_'.repeat(20_000)}"`),
	fc.constantFrom(`"acc_${'a'.repeat(9e5)}"`, `"${'\\\\'.repeat(4e5)}"`),
	fc.double().map((number) => JSON.stringify(number)),
);

/** JSON as text: with names twice in an object, which no value of JavaScript has. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
	json: fc.oneof(
		{ maxDepth: 5, depthSize: 'small' },
		scalars,
		fc.array(tie('json'), { maxLength: 4 }).map((members) => `[${members.join(',')}]`),
		fc
			.array(fc.tuple(names, tie('json')), { maxLength: 6 })
			.map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
	),
}));

const many = (count: number, one: (n: number) => string): string =>
	Array.from({ length: count }, (_, n) => one(n)).join(',');

/** JSON, valid or not; `KEY` in it stands for the request's API key. */
export const bodies: fc.Arbitrary<string> = weighted(
	[8, json],
	[
		2,
		fc.constantFrom(
			'',
			'{',
			'\uFEFF{}',
			'['.repeat(20_000) + ']'.repeat(20_000),
			`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
			`[${many(5000, (n) => `{"channelId":"${n}","name":"x"}`)}]`,
			`{${many(5000, (n) => `"f${n}":"${n}"`)}}`,
			`[${many(50_000, () => '[]')}]`,
		),
	],
);

/** Whether a body says in a 2xx that the request was refused, as the contract of the node lists it. */
export function isRefusal(text: string): boolean {
	let body: unknown;
	try {
		body = JSON.parse(text.replace(/^\uFEFF/, ''));
	} catch {
		return false;
	}
	if (body === false) return true;
	if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
	const { status, title, detail } = body as Record<string, unknown>;
	if (typeof status === 'number' && status >= 400 && (Boolean(title) || Boolean(detail))) return true;
	return Object.entries(body).some(
		([name, value]) => value === false && /^(success|succeeded|successful|isSuccess|ok)$/i.test(name),
	);
}
