import { makeCall, type CallEnvironment } from '../../../nodes/Messaging/delivery/call.ts';
import { KeyGate } from '../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { RunQueue, type QueueSettings } from '../../../nodes/Messaging/delivery/pace/run-queue.ts';
import type { QueuedJob } from '../../../nodes/Messaging/delivery/pace/queued-call.ts';
import type { CallSettings } from '../../../nodes/Messaging/delivery/settings.ts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { type Service } from '../../../nodes/Messaging/service/connect.ts';
import { type Failure, failureBy, isFailure } from '../../../nodes/Messaging/service/endings.ts';
import type { Reply } from '../../../nodes/Messaging/service/reply.ts';
import type { FakeClock } from './fake-clock.mts';

/** The call that runs make here. */
export const SEND: ApiCall = { method: 'POST', path: '/api/v1/message/SendMessage', body: {} };

/** The settings of an item that sets none. */
export const STANDARD: CallSettings & { showToken: boolean } = {
	timeoutMs: 30_000,
	maxTries: 4,
	maxWaitMs: 300_000,
	whenUnknown: 'hold',
	showToken: false,
};

/** What calls share; defaults are those of a run with standard settings. */
export function environment(
	clock: FakeClock,
	service: Service,
	{
		gate = new KeyGate(clock, () => 0.5),
		keepToPlan = true,
		maxInFlight,
		pauseMs = 0,
		signal = new AbortController().signal,
		...given
	}: Partial<CallEnvironment & QueueSettings> = {},
): CallEnvironment {
	const queue = new RunQueue(gate, { service, keepToPlan, maxInFlight, pauseMs, signal });
	return { clock, gate, queue, random: () => 0.5, timezone: 'UTC', ...given };
}

/** A service that nobody asks. */
const nobody: Service = { id: 'nobody', request: () => Promise.reject(new Error('Nobody asks')) };

/** A job of a run that makes no calls. */
export interface SimpleJob extends Partial<Pick<QueuedJob, 'lane' | 'preparation'>> {
	run(): Promise<void>;
	/** How its request ends: answered, or asked to come back ten seconds later. */
	end?(): 'answered' | 'later';
}

/** Runs such jobs, at a gate that is open unless another one is given. */
export async function runJobs(
	clock: FakeClock,
	next: () => SimpleJob | null | undefined,
	given: { maxInFlight?: number | undefined; signal?: AbortSignal; gate?: KeyGate } = {},
): Promise<void> {
	const { queue } = environment(clock, nobody, { keepToPlan: false, ...given });
	const later = failureBy('throttled', { message: '', description: '' }, { waitMs: 10_000 });
	await queue.offer(() => {
		const job = next();
		return (
			job && {
				...{ lane: job.lane, channel: '', recipient: undefined, maxWaitMs: STANDARD.maxWaitMs },
				...{ changes: false, preparation: job.preparation },
				run: async (answer) => {
					if (answer.kind === 'noStart') return;
					await job.run();
					answer.finish(job.end?.() === 'later' ? later : { status: 200, headers: {}, body: {} });
				},
			}
		);
	});
}

/** Makes this many sends as a run of the node does, and returns their outcomes. */
export async function sendAll(
	env: CallEnvironment,
	count: number,
	settings: Partial<CallSettings> & {
		channelOf?: (item: number) => string;
		/** Whom each item reaches; by default each somebody else. */
		recipientOf?: (item: number) => string;
		preparation?: QueuedJob['preparation'];
		onEnd?: (item: number) => void;
	} = {},
): Promise<Array<Reply | Failure>> {
	const { channelOf = () => '', onEnd, preparation, recipientOf = String, ...others } = settings;
	const all = { ...STANDARD, ...others };
	const ends: Array<Reply | Failure> = [];
	let drawn = 0;
	env.queue.left = count;
	await env.queue.offer(() => {
		if (drawn >= count) return undefined;
		const item = drawn++;
		const channel = channelOf(item);
		const recipient = recipientOf(item);
		return {
			...{ lane: undefined, channel, recipient, maxWaitMs: all.maxWaitMs, notAfter: all.notAfter },
			...{ changes: true, preparation },
			run: async (first) => {
				const call = { ...SEND, body: { channelId: channel, recipient } };
				ends[item] = await makeCall(env, call, { ...all, channel, recipient }, { first });
				onEnd?.(item);
			},
		};
	});
	return ends;
}

/** How many of the outcomes are successes. */
export function successes(ends: ReadonlyArray<Reply | Failure>): number {
	return ends.filter((end) => !isFailure(end)).length;
}
