import { randomUUID } from 'node:crypto';

import type { ApiCall } from '../../../../nodes/Messaging/service/api-call.ts';
import type { RequestSettings, Service } from '../../../../nodes/Messaging/service/connect.ts';
import { type Failure, isFailure } from '../../../../nodes/Messaging/service/endings.ts';
import { failureOfTransport } from '../../../../nodes/Messaging/service/failure.ts';
import { ME } from '../../../../nodes/Messaging/service/plan.ts';
import type { Reply } from '../../../../nodes/Messaging/service/reply.ts';
import type { TransportFailure } from '../../../../nodes/Messaging/service/transport.ts';
import type { FakeClock } from '../fake-clock.mts';

/** How a request can fail without an answer; `hang`: none arrives in time. */
const failures = {
	reset: { code: 'ECONNRESET', stage: 'underWay' },
	refused: { code: 'ECONNREFUSED', stage: 'connecting' },
	blocked: { code: 'BLOCKED', stage: 'connecting' },
	hang: { code: 'ECONNABORTED', stage: 'underWay' },
	canceled: { code: 'ERR_CANCELED', stage: 'underWay' },
} satisfies Record<string, TransportFailure>;

/**
 * What happens to a request: an answer; a status, perhaps with Retry-After (and problem details), or with a page
 * ('': nothing); or no answer.
 */
export type Treatment =
	| Reply
	| number
	| { status: number; retryAfter: number; isProblem?: boolean }
	| { status: number; page: string }
	| keyof typeof failures;

export interface Arrival {
	now: number;
	isMe: boolean;
	/** The number of the send, from 1; 0 for GET /Me. */
	number: number;
	/** The channel and the recipient in its body, '' if there is none. */
	channel: string;
	recipient: string;
}

/** How long a request and its answer travel, in milliseconds; may be random. */
export type Latency = () => { thereMs: number; backMs: number };

/** A service in simulated time that answers after some milliseconds and fails as a test specifies. */
export class FailingService implements Service {
	/** Each is a service of its own, of which nothing is known yet. */
	readonly id = randomUUID();
	/** When sends, and when GET /Me, left. */
	readonly sent: number[] = [];
	readonly asked: number[] = [];
	mostInFlight = 0;
	#inFlight = 0;
	readonly #clock: FakeClock;
	readonly #treatment: (arrival: Arrival) => Treatment;
	readonly #latency: Latency;

	/** @param latency how it travels, or the whole round trip in milliseconds */
	constructor(clock: FakeClock, treatment: (arrival: Arrival) => Treatment, latency: Latency | number = 20) {
		this.#clock = clock;
		this.#treatment = treatment;
		const isFixed = typeof latency === 'number';
		this.#latency = isFixed ? () => ({ thereMs: latency / 2, backMs: latency / 2 }) : latency;
	}

	async request(call: ApiCall, settings: RequestSettings): Promise<Reply | Failure> {
		if (call.path === ME.path) return await this.#answer(call, settings);
		this.#inFlight += 1;
		this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
		const answer = await this.#answer(call, settings);
		this.#inFlight -= 1;
		return answer;
	}

	async #answer(call: ApiCall, { timeoutMs }: RequestSettings): Promise<Reply | Failure> {
		const isMe = call.path === ME.path;
		const log = isMe ? this.asked : this.sent;
		log.push(this.#clock.now());
		const number = isMe ? 0 : log.length;
		const { thereMs, backMs } = this.#latency();
		await this.#clock.sleep(thereMs);
		const body = (call.body ?? {}) as { channelId?: string; recipient?: string };
		const { channelId: channel = '', recipient = '' } = body;
		const treatment = this.#treatment({ now: this.#clock.now(), isMe, number, channel, recipient });
		await this.#clock.sleep(treatment === 'hang' ? timeoutMs : backMs);
		if (typeof treatment === 'string') return failureOfTransport(failures[treatment]);
		if (typeof treatment === 'number') return { status: treatment, headers: {}, body: {} };
		if ('headers' in treatment) return treatment;
		if ('page' in treatment)
			return { status: treatment.status, headers: {}, body: treatment.page || undefined };
		const { status, retryAfter, isProblem = false } = treatment;
		const answer = isProblem ? { title: 'Later', status } : {};
		return { status, headers: { 'retry-after': String(retryAfter) }, body: answer };
	}
}

/** A failure during a time span, for all requests or for sends only; before and after, requests succeed. */
export function during(
	from: number,
	to: number,
	treatment: Treatment,
	whom: 'all' | 'sends' = 'all',
): (a: Arrival) => Treatment {
	return ({ now, isMe }) => (now >= from && now < to && (whom === 'all' || !isMe) ? treatment : 200);
}

/** How many ended with each outcome. */
export function tally(ends: ReadonlyArray<Reply | Failure>) {
	const counts: Partial<Record<Failure['outcome'] | 'done', number>> = {};
	for (const end of ends) {
		const how = isFailure(end) ? end.outcome : 'done';
		counts[how] = (counts[how] ?? 0) + 1;
	}
	return counts;
}
