/** How the service treats requests. */
import fc from 'fast-check';
import type { Ending } from '../../dev/sandbox/service.mts';
import { nginxPage, SAMPLES, varnishHeaders, varnishPage } from '../cases/answers.mts';
import { json } from '../service/faults.mts';
import { bodies, isRefusal } from './bodies.mts';
import { weighted } from './draw.mts';

/** How the service treats one request. */
export interface Treatment {
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

/** The service fails for every request, as behind a gateway whose backend restarts, or for all of one channel. */
export interface Outage {
	/** The channel that fails; `undefined` if all do. */
	readonly channel?: string;
	/** After so many requests that change something. */
	readonly after: number;
	/** For so many requests, including those for the plan. */
	readonly requests: number;
	/** Whether requests for the plan fail too; when only a backend worker is broken, they don't. */
	readonly failsQuestions: boolean;
	/** How the requests fail. */
	readonly treatment: Treatment;
	/** Further channels that fail in the same round, each in its own way. */
	readonly beside?: readonly Outage[];
}

export const plain: Treatment = { kind: 'ok', taken: true, status: 200, headers: {}, slowMs: 0 };

/** What sets a treatment apart from one without any effect. */
type Difference = Pick<Treatment, 'kind'> & Partial<Treatment>;

const treatmentOf = (differences: fc.Arbitrary<Difference>): fc.Arbitrary<Treatment> =>
	fc
		.tuple(differences, weighted([6, fc.constant(0)], [2, fc.nat(8)]))
		.map(([difference, slowMs]) => ({ ...plain, taken: false, slowMs, ...difference }));

const oddBytes: fc.Arbitrary<Buffer> = weighted(
	[3, bodies.filter((text) => !isRefusal(text)).map((text) => Buffer.from(text))],
	// Mostly invalid UTF-8.
	[1, fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from([0x22, ...bytes, 0x22]))],
);

const answered = (status: number): Pick<Treatment, 'status' | 'bytes'> => ({
	status,
	bytes: Buffer.from(
		JSON.stringify({ title: `No ${status}`, status, detail: 'The key KEY may not do this.' }),
	),
});

const inDoubt = (kind: Treatment['kind']): fc.Arbitrary<Difference> =>
	fc.boolean().map((taken) => ({ kind, taken }));

const failing = (...statuses: number[]): fc.Arbitrary<Difference> =>
	fc
		.tuple(fc.constantFrom(...statuses), inDoubt('fails'))
		.map(([status, treatment]) => ({ ...treatment, ...answered(status) }));

/** An answer of a gateway: what it has written in the place of the service's. `KEY` as in a treatment. */
type Written = Pick<Treatment, 'status' | 'headers' | 'bytes'>;

const written = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): Written => ({
	status,
	bytes: Buffer.from(text),
	headers: { 'content-type': 'text/html', ...headers },
});

const plainText = { 'content-type': 'text/plain' };
const location = { location: 'https://status.example.com/KEY' };

/** What looks as if another program were at the address: pages that are not there, and redirects. */
const elsewhere: readonly Written[] = [
	...[404, 405, 410].flatMap((status) => [
		written(status, nginxPage(status, 'KEY')),
		written(status, ''),
		written(status, `${status} KEY`, plainText),
	]),
	...[302, 303, 307].flatMap((status) => [
		written(status, nginxPage(status, 'KEY'), location),
		written(status, '', location),
	]),
];

/** Further answers that come in the place of one that was too late or broke off, often with a time to come back. */
const broken: readonly Written[] = [
	written(503, varnishPage(503, 'Backend fetch failed for KEY'), varnishHeaders),
	...['upstream connect error or disconnect/reset before headers. KEY', 'Service Unavailable'].map((text) =>
		written(503, text, plainText),
	),
	...SAMPLES['A page'].map(({ body }) => written(503, body)),
	...['', '[]', '{"error":"Back soon, KEY"}'].map((text) =>
		written(503, text, { 'content-type': 'application/json' }),
	),
	...SAMPLES["Cloudflare's JSON"].map(({ body, headers }) => written(503, JSON.stringify(body), headers)),
	...[500, 502, 504].map((status) => written(status, nginxPage(status, 'KEY'))),
];

/** A gateway or cache answers that may have passed the request on: that proves nothing. */
const byGateway: fc.Arbitrary<Difference> = fc
	.tuple(fc.constantFrom(...elsewhere, ...broken), fc.constantFrom(undefined, '0', '1'), inDoubt('fails'))
	.map(([answer, pause, treatment]) => ({
		...treatment,
		...answer,
		headers: { ...answer.headers, ...(pause !== undefined && { 'retry-after': pause }) },
	}));

/** Another program is at the address, and answers whatever comes. An empty success looks like one of the service. */
export const wrongAddresses: fc.Arbitrary<Treatment> = treatmentOf(
	fc
		.constantFrom(...elsewhere, written(301, '', location), written(200, ''), written(204, ''))
		.map((answer) => ({ kind: 'fails', ...answer })),
);

const refusals = fc.constantFrom(400, 401, 403, 404, 405, 413, 422, 308);
/** Bodies that refuse a request inside a 2xx. */
const noes = fc.constantFrom(
	...[
		'false',
		'{"success":false,"message":"The key KEY may not do this."}',
		'{"data":null,"IsSuccess":false}',
	],
	'{"status":422,"title":"No","detail":"The key KEY may not do this."}',
);
const pauses = fc.constantFrom('0', '1', '2', '0.5', '3600', 'soon', '-1', '');

const treatment: fc.Arbitrary<Treatment> = treatmentOf(
	weighted<Difference>(
		[5, fc.constant({ kind: 'ok', taken: true })],
		[3, oddBytes.map((bytes) => ({ kind: 'odd', taken: true, bytes }))],
		[3, refusals.map((status) => ({ kind: 'no', ...answered(status), headers: { location: '/elsewhere' } }))],
		[1, noes.map((text) => ({ kind: 'no', status: 200, bytes: Buffer.from(text) }))],
		[
			3,
			fc.tuple(fc.constantFrom(429, 429, 503), pauses).map(([status, pause]) => ({
				kind: 'later',
				// A 503 says "not processed" only if it has a Retry-After.
				...answered(/^\d/.test(pause) ? status : 429),
				headers: { 'retry-after': pause },
			})),
		],
		[3, failing(500, 502, 503, 504, 501, 520)],
		[2, byGateway],
		[3, inDoubt('dropped')],
		[2, fc.constant({ kind: 'cut', taken: true })],
		[1, inDoubt('page')],
	),
);

/**
 * The treatments of an item's first requests, in order.
 *
 * @param hasSilence whether one of them may never be answered
 */
export function treatmentsOf(hasSilence: boolean): fc.Arbitrary<Treatment[]> {
	const some = hasSilence ? weighted([20, treatment], [1, treatmentOf(inDoubt('silent'))]) : treatment;
	return weighted([3, fc.constant<Treatment[]>([])], [4, fc.array(some, { minLength: 1, maxLength: 3 })]);
}

const someRequests = fc.integer({ min: 1, max: 12 });

const whileOut = {
	after: fc.nat(8),
	requests: someRequests,
	treatment: fc.oneof(
		treatmentOf(failing(500, 502, 503, 504)),
		treatmentOf(inDoubt('dropped')),
		treatmentOf(byGateway),
	),
};

/** Outages of the whole service. */
export const outages: fc.Arbitrary<Outage> = fc.record({ ...whileOut, failsQuestions: fc.boolean() });

const howLong = weighted([2, someRequests], [1, fc.constant(Infinity)]);

/** Outages of one of these channels, some of which last until all faults end. */
function deadChannel(channels: fc.Arbitrary<string>): fc.Arbitrary<Outage> {
	return fc.record({
		...whileOut,
		requests: howLong,
		failsQuestions: fc.constant(false),
		channel: channels,
	});
}

/** Of these channels, one hangs, one is limited, and one is dead. */
function threeTroubles(channels: readonly string[]): fc.Arbitrary<Outage> {
	const limited = fc.constantFrom('1', '5', '3600').map((pause): Difference => ({
		kind: 'later',
		...answered(429),
		headers: { 'retry-after': pause },
	}));
	const trouble = (treatment: fc.Arbitrary<Treatment>): fc.Arbitrary<Omit<Outage, 'channel'>> =>
		fc.record({ ...whileOut, requests: howLong, failsQuestions: fc.constant(false), treatment });
	return fc
		.tuple(
			fc.shuffledSubarray([...channels], { minLength: 3, maxLength: 3 }),
			trouble(treatmentOf(inDoubt('silent'))),
			trouble(treatmentOf(limited)),
			trouble(treatmentOf(failing(502, 503))),
		)
		.map(([[first = '', second = '', third = ''], hangs, isLimited, isDead]) => ({
			...hangs,
			channel: first,
			beside: [
				{ ...isLimited, channel: second },
				{ ...isDead, channel: third },
			],
		}));
}

/** Outages of single channels: of one, or of three at once. */
export function deadChannels(channels: fc.Arbitrary<string>, all: readonly string[]): fc.Arbitrary<Outage> {
	return weighted([2, deadChannel(channels)], [1, threeTroubles(all)]);
}

/** The outages of a round. */
export function outagesIn(outage: Outage | undefined): readonly Outage[] {
	return outage === undefined ? [] : [outage, ...(outage.beside ?? [])];
}

/** How a treatment ends a request, whose usual answer would be this one. */
export function endingOf({ kind, status, headers, bytes }: Treatment, usual: object): Ending {
	const body = JSON.stringify(usual);
	// Not by a reset: if the client hangs up at the same moment, Node.js never closes the connection.
	if (kind === 'dropped') return 'closed';
	if (kind === 'cut') return { status: 200, headers: json, body, isCut: true };
	if (kind === 'page')
		return { status: 200, headers: { 'content-type': 'text/html' }, body: '<title>KEY</title>' };
	return { status, headers: { ...json, ...headers }, body: bytes ?? body };
}
