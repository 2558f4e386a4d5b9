/** How the service treats requests. */
import fc from 'fast-check';

/** How the service treats one request. */
export interface Fate {
	readonly kind:
		/** Accepts it and says so. */
		| 'ok'
		/** Accepts it with an unexpected body. */
		| 'odd'
		/** Refuses it. */
		| 'no'
		/** Refuses it for now and asks for a pause. */
		| 'later'
		/** Answers with a status that leaves the outcome unknown. */
		| 'fails'
		/** Closes the connection without an answer. */
		| 'dropped'
		/** Closes it in the middle of the answer. */
		| 'cut'
		/** Never answers. */
		| 'silent'
		/** Answers with a web page. */
		| 'page';
	/** Whether it has its effect. */
	readonly taken: boolean;
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	/** The body, if not the usual one; `KEY` in it is replaced by the request's API key. */
	readonly bytes?: Buffer;
	/** How long the answer takes, in milliseconds. */
	readonly slowMs: number;
}

/** The service fails for every request, as behind a gateway whose backend restarts. */
export interface Outage {
	/** After so many requests that change something. */
	readonly after: number;
	/** For so many requests, including those for the plan. */
	readonly requests: number;
	/** Whether requests for the plan fail too; when only a backend worker is broken, they don't. */
	readonly failsQuestions: boolean;
	/** How the requests fail. */
	readonly fate: Fate;
}

export const plain: Fate = { kind: 'ok', taken: true, status: 200, headers: {}, slowMs: 0 };

/** Bodies that a service does not normally send for an accepted message. */
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
			'{"ids":[],"channelId":null,"httpSenderOutboxEntryId":7,"deleted":false}',
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
	// Mostly invalid UTF-8.
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
					// A 503 asks for a pause only if it has a Retry-After.
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

/**
 * The fates of an item's first requests, in order.
 *
 * @param hasSilence whether one of them may never be answered
 */
export function fatesOf(hasSilence: boolean): fc.Arbitrary<Fate[]> {
	const silent = fateOf('silent', maybeTaken);
	const stranger = hasSilence
		? fc.oneof({ weight: 20, arbitrary: fate }, { weight: 1, arbitrary: silent })
		: fate;
	return fc.oneof(
		{ weight: 3, arbitrary: fc.constant<Fate[]>([]) },
		{ weight: 4, arbitrary: fc.array(stranger, { minLength: 1, maxLength: 3 }) },
	);
}

/** Outages of the whole service. */
export const outages: fc.Arbitrary<Outage> = fc.record({
	after: fc.nat(8),
	requests: fc.integer({ min: 1, max: 12 }),
	failsQuestions: fc.boolean(),
	fate: fc.oneof(
		fateOf(
			'fails',
			fc.constantFrom(500, 502, 503, 504).map((status) => ({ status, bytes: problem(status) })),
		),
		fateOf('dropped', maybeTaken),
	),
});
