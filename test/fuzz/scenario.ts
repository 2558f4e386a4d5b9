/** What happens in one round of the fuzz: all of it drawn from one number, the seed. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';

/** What the service makes of one request. */
export interface Fate {
	readonly kind:
		/** Takes it and says so. */
		| 'ok'
		/** Takes it and answers something that nobody expects. */
		| 'odd'
		/** Says no. */
		| 'no'
		/** Says "later". */
		| 'later'
		/** Answers with a status that says nothing about what was done. */
		| 'fails'
		/** Ends the connection without an answer. */
		| 'dropped'
		/** Ends it in the middle of the answer. */
		| 'cut'
		/** Never answers. */
		| 'silent'
		/** Answers with a web page. */
		| 'page';
	/** Whether it has its effect. */
	readonly taken: boolean;
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	/** The bytes of the answer where they are not the usual ones; `KEY` in it becomes the key of the request. */
	readonly bytes?: Buffer;
	/** How long the answer takes, in milliseconds. */
	readonly slowMs: number;
}

/** One input item, and what is known of it before anything happens. */
export interface FuzzItem {
	readonly json: Record<string, unknown>;
	/** Whether it can be sent: undefined where that is not for the fuzz to say. */
	readonly isSendable: boolean | undefined;
	/** Its once key as the node reads it. */
	readonly key: string;
}

/** How an execution is ended before its time. */
export interface Stop {
	readonly how: 'cancel' | 'kill';
	/** After so many requests; what comes after them is not answered before the end. */
	readonly after: number;
}

/** One thing that somebody does. */
export interface Act {
	/** Runs the workflow, or retries an execution that failed. */
	readonly what: 'run' | 'retry';
	/** How many executions at once; they are given the same items. */
	readonly beside: number;
	/** Of a retry: which of those that failed, counted from the newest. */
	readonly which: number;
	/** Of a retry: whether it takes the saved workflow, in which Resend Unknown has been switched on. */
	readonly resends: boolean;
	readonly stop: Stop | undefined;
}

/** The whole of it. */
export interface Scenario {
	readonly seed: number;
	readonly onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** How often n8n runs the node by itself; 1 without Retry On Fail. */
	readonly nodeTries: number;
	readonly isKeyed: boolean;
	readonly options: {
		readonly maxTries: number;
		readonly maxWait: number;
		readonly maxConcurrency: number;
		readonly resendUnknown: boolean;
		readonly ordering: 'recipient' | 'none';
		readonly keepToPlan: boolean;
		readonly timeout: number;
	};
	/** What `/Me` answers. */
	readonly me: { readonly status: number; readonly text: string };
	readonly items: readonly FuzzItem[];
	/** For each item, what its first requests meet; all later ones are taken. */
	readonly fates: ReadonlyArray<readonly Fate[]>;
	readonly acts: readonly Act[];
}

/** Bodies that nobody expects of a service that took a message. */
const oddBytes: fc.Arbitrary<Buffer> = fc.oneof(
	fc
		.constantFrom(
			'',
			'null',
			'123',
			'"KEY"',
			'[]',
			'{',
			'{"packageId":null,"messageId":5,"error":{"message":"no"}}',
			'{"error":"x","success":false}',
			'{"__proto__":{"error":"x"},"constructor":{"prototype":{"error":1}}}',
			'{"packageId":"a","packageId":"b"}',
			'{"n":1e999,"m":-1e999,"b":9007199254740993,"i":123456789012345678901234567890}',
			'{"apiKey":"KEY","headers":{"X-API-KEY":"KEY"},"curl":"curl -H \'X-API-KEY: KEY\'"}',
			`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`,
			`${'['.repeat(3000)}${']'.repeat(3000)}`,
			`[${'{"a":1},'.repeat(5000)}{}]`,
			'\uFEFF{"a":1}',
		)
		.map((text) => Buffer.from(text)),
	fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text)),
	// Bytes that are no UTF-8.
	fc
		.uint8Array({ minLength: 1, maxLength: 20 })
		.map((bytes) => Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from('"}')])),
);

const problem = (status: number): Buffer =>
	Buffer.from(JSON.stringify({ title: `No ${status}`, status, detail: 'The key KEY may not do this.' }));

const slowMs = fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(8) });

const fateOf = (kind: Fate['kind'], given: fc.Arbitrary<Partial<Fate>>): fc.Arbitrary<Fate> =>
	fc
		.tuple(given, slowMs)
		.map(([more, slow]) => ({ kind, taken: false, status: 200, headers: {}, slowMs: slow, ...more }));

const maybeTaken = fc.boolean().map((taken) => ({ taken }));

const fate: fc.Arbitrary<Fate> = fc.oneof(
	{ weight: 5, arbitrary: fateOf('ok', fc.constant({ taken: true })) },
	{
		weight: 3,
		arbitrary: fateOf(
			'odd',
			oddBytes.map((bytes) => ({ taken: true, bytes })),
		),
	},
	{
		weight: 3,
		arbitrary: fateOf(
			'no',
			fc.constantFrom(400, 401, 403, 404, 409, 413, 422, 307).map((status) => ({
				status,
				bytes: problem(status),
				headers: { location: '/elsewhere' },
			})),
		),
	},
	{
		weight: 3,
		arbitrary: fateOf(
			'later',
			fc
				.tuple(
					fc.constantFrom(429, 429, 503),
					fc.constantFrom('0', '1', '2', '0.5', '3600', 'soon', '-1', ''),
				)
				.map(([status, after]) => ({
					// A 503 says "later" only when it says when.
					status: /^\d/.test(after) ? status : 429,
					bytes: problem(status),
					headers: { 'retry-after': after },
				})),
		),
	},
	{
		weight: 3,
		arbitrary: fateOf(
			'fails',
			fc
				.tuple(fc.constantFrom(500, 502, 503, 504, 501, 520), maybeTaken)
				.map(([status, truth]) => ({ ...truth, status, bytes: problem(status) })),
		),
	},
	{ weight: 3, arbitrary: fateOf('dropped', maybeTaken) },
	{ weight: 2, arbitrary: fateOf('cut', fc.constant({ taken: true })) },
	{ weight: 1, arbitrary: fateOf('page', maybeTaken) },
);

const silent = fateOf('silent', maybeTaken);

const recipients = ['r0', 'r1', 'r2', 'r3'].map((name) => `${name}@example.com`);

const goodText = fc.oneof(
	{ weight: 8, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }) },
	{
		weight: 1,
		arbitrary: fc.constantFrom('x'.repeat(200_000), '👩‍👩‍👧‍👦'.repeat(2000), '{{ 1 + 1 }}', '=1', '\u0000 \u202e'),
	},
);

/** Keys as items hold them: few, so that several items have the same, and some that look alike. */
const goodKey = fc.oneof(
	{ weight: 8, arbitrary: fc.constantFrom('k0', 'k1', 'k2', 'k3', 'k4', 'k5') },
	{
		weight: 2,
		arbitrary: fc.constantFrom<unknown>(
			' k0 ',
			'K0',
			5,
			'5',
			'__proto__',
			'constructor',
			'é',
			'e\u0301',
			'k'.repeat(500),
		),
	},
);
const badKey = fc.constantFrom<unknown>('', '  ', null, undefined, {}, { a: 1 }, 'undefined');

const badTo = fc.constantFrom<unknown>(
	'',
	null,
	undefined,
	5,
	true,
	{},
	[],
	'nobody',
	'a b@example.com',
	'x'.repeat(5000),
);
const oddTo = fc.constantFrom<unknown>(['r0@example.com'], { email: 'r0@example.com' }, ' r0@example.com ');
const badText = fc.constantFrom<unknown>('', null, undefined, 'half a character: \uD800');
const oddText = fc.constantFrom<unknown>(5, 0, false, {}, ['a'], { a: { b: 1 } }, ' ');

const without = (json: Record<string, unknown>): Record<string, unknown> =>
	Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined));

/** A value of one of several kinds, and whether it can be sent. */
type Drawn = readonly [value: unknown, isGood: boolean | undefined];
const drawn = (isGood: boolean | undefined, values: fc.Arbitrary<unknown>): fc.Arbitrary<Drawn> =>
	values.map((value) => [value, isGood]);

const itemOf = (isKeyed: boolean): fc.Arbitrary<FuzzItem> =>
	fc
		.record({
			to: fc.oneof(
				{ weight: 16, arbitrary: drawn(true, fc.constantFrom(...recipients)) },
				{ weight: 1, arbitrary: drawn(false, badTo) },
				{ weight: 1, arbitrary: drawn(undefined, oddTo) },
			),
			text: fc.oneof(
				{
					weight: 16,
					arbitrary: drawn(
						true,
						goodText.filter((text) => text.trim() !== ''),
					),
				},
				{ weight: 1, arbitrary: drawn(false, badText) },
				{ weight: 1, arbitrary: drawn(undefined, oddText) },
			),
			id: fc.oneof(
				{ weight: 16, arbitrary: drawn(true, goodKey) },
				{ weight: 1, arbitrary: drawn(false, badKey) },
			),
			more: fc.oneof(
				{ weight: 8, arbitrary: fc.constant({}) },
				{ weight: 1, arbitrary: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }) },
			),
		})
		.map(({ to, text, id, more }) => {
			const goods = isKeyed ? [to[1], text[1], id[1]] : [to[1], text[1]];
			return {
				json: { ...more, ...without({ to: to[0], text: text[0], id: id[0] }) },
				isSendable: goods.includes(false) ? false : goods.includes(undefined) ? undefined : true,
				key: String(id[0]).trim(),
			};
		});

const emptyItem: FuzzItem = { json: {}, isSendable: false, key: '' };

const itemsOf = (isKeyed: boolean): fc.Arbitrary<FuzzItem[]> =>
	fc
		.array(
			fc.oneof(
				{ weight: 14, arbitrary: itemOf(isKeyed).map((item) => ({ item, copies: 1 })) },
				{ weight: 1, arbitrary: itemOf(isKeyed).map((item) => ({ item, copies: 2 })) },
				{ weight: 1, arbitrary: fc.constant({ item: emptyItem, copies: 1 }) },
			),
			{ minLength: 1, maxLength: 12, size: 'max' },
		)
		.map((some) => some.flatMap(({ item, copies }) => Array.from({ length: copies }, () => item)));

const me = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.tuple(fc.constantFrom(2, 5, 50, 1000), fc.constantFrom(1, 3)).map(([limit, seconds]) => ({
			status: 200,
			text: JSON.stringify({ resourcePlan: { limit, seconds } }),
		})),
	},
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			{ status: 404, text: '' },
			{ status: 500, text: '{}' },
			{ status: 200, text: '<html>' },
			{ status: 200, text: '{"resourcePlan":{"limit":0,"seconds":-1}}' },
			{ status: 200, text: '{"resourcePlan":{"limit":1e999,"seconds":"x"}}' },
			{ status: 200, text: '{"resourcePlan":[[]]}' },
		),
	},
);

const actOf = (kill: fc.Arbitrary<boolean>): fc.Arbitrary<Act> =>
	fc
		.record({
			what: fc.constantFrom(
				'run' as const,
				'run' as const,
				'retry' as const,
				'retry' as const,
				'retry' as const,
			),
			beside: fc.constantFrom(1, 1, 1, 1, 2, 3),
			which: fc.constantFrom(0, 0, 0, 1, 2),
			resends: fc.constantFrom(false, false, false, true),
			isStopped: fc.constantFrom(false, false, true),
			isKilled: kill,
			after: fc.nat(6),
		})
		.map(({ isStopped, isKilled, after, ...act }) => ({
			...act,
			beside: act.what === 'retry' ? 1 : act.beside,
			stop: isKilled ? { how: 'kill', after } : isStopped ? { how: 'cancel', after } : undefined,
		}));

/** An engine's process that is killed takes a second to start: few rounds have that. */
const isDeadly = fc.integer({ min: 1, max: 100 }).map((percent) => percent <= 3);

const scenario: fc.Arbitrary<Omit<Scenario, 'seed'>> = fc
	.record({
		isKeyed: fc.boolean(),
		isDeadly,
		hasSilence: fc.constantFrom(...Array<boolean>(14).fill(false), true),
	})
	.chain(({ isKeyed, isDeadly: deadly, hasSilence }) => {
		const stranger = hasSilence
			? fc.oneof({ weight: 20, arbitrary: fate }, { weight: 1, arbitrary: silent })
			: fate;
		const fates = fc.oneof(
			{ weight: 3, arbitrary: fc.constant<Fate[]>([]) },
			{ weight: 4, arbitrary: fc.array(stranger, { minLength: 1, maxLength: 3 }) },
		);
		return itemsOf(isKeyed).chain((items) =>
			fc.record({
				isKeyed: fc.constant(isKeyed),
				items: fc.constant(items),
				fates: fc.tuple(...items.map(() => fates)),
				onError: fc.constantFrom(
					'stopWorkflow' as const,
					'continueRegularOutput' as const,
					'continueErrorOutput' as const,
				),
				nodeTries: fc.constantFrom(1, 1, 2, 3),
				options: fc.record({
					maxTries: fc.constantFrom(1, 2, 3, 4),
					maxWait: fc.constantFrom(1, 5, 60),
					maxConcurrency: fc.constantFrom(0, 0, 1, 2, 6),
					resendUnknown: fc.constantFrom(false, false, false, true),
					ordering: fc.constantFrom('recipient' as const, 'recipient' as const, 'none' as const),
					keepToPlan: fc.boolean(),
					// Of the engine's seconds, sixty of which pass in one.
					timeout: fc.constant(hasSilence ? 120 : 3000),
				}),
				me,
				acts: fc
					.tuple(
						actOf(fc.constant(deadly)).map((act): Act => ({ ...act, what: 'run' })),
						fc.array(actOf(fc.constant(false)), { maxLength: 3 }),
					)
					.map(([first, more]) => [first, ...more]),
			}),
		);
	});

/** A number for a generator from a seed: seeds that are neighbours give nothing alike. */
export function numberOf(seed: number, purpose: string): number {
	return createHash('sha256').update(`${purpose} ${seed}`).digest().readInt32BE();
}

/** The one value that a seed draws. */
export function drawnFrom<T>(arbitrary: fc.Arbitrary<T>, seed: number, purpose: string): T {
	const [value] = fc.sample(arbitrary, { seed: numberOf(seed, purpose), numRuns: 1, unbiased: true });
	return value as T;
}

/** What happens under a seed. */
export function scenarioOf(seed: number): Scenario {
	return { seed, ...drawnFrom(scenario, seed, 'delivery') };
}
