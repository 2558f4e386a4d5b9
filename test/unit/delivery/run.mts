import { makeCall, type CallEnvironment, type CallOptions } from '../../../nodes/Messaging/delivery/call.ts';
import { KeyGate } from '../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { RunQueue, type QueueSettings } from '../../../nodes/Messaging/delivery/pace/run-queue.ts';
import type { QueuedJob } from '../../../nodes/Messaging/delivery/pace/queued-call.ts';
import type { CallSettings } from '../../../nodes/Messaging/delivery/settings.ts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { type Service } from '../../../nodes/Messaging/service/connect.ts';
import { type Failure, isFailure } from '../../../nodes/Messaging/service/endings.ts';
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
export const nobody: Service = { id: 'nobody', request: () => Promise.reject(new Error('Nobody asks')) };

/** A job of a run that makes no calls. */
export interface SimpleJob extends Partial<Pick<QueuedJob, 'lane'>> {
	/** What it has to do before it starts. Whether there is still something to send then. */
	getReady?(): Promise<boolean>;
	run(): Promise<void>;
}

/** Runs such jobs, at a gate that is open unless another one is given. */
export async function runJobs(
	clock: FakeClock,
	jobs: readonly SimpleJob[],
	given: { maxInFlight?: number | undefined; signal?: AbortSignal; gate?: KeyGate } = {},
): Promise<void> {
	const { queue } = environment(clock, nobody, { keepToPlan: false, ...given });
	await queue.offer(
		jobs.map((job) => ({
			...{ lane: job.lane, channel: '', maxWaitMs: STANDARD.maxWaitMs, changes: false },
			run: async (answer) => {
				if (answer.kind === 'noStart') return;
				if (job.getReady !== undefined && !(await job.getReady())) return answer.cancel();
				await job.run();
				answer.finish({ status: 200, headers: {}, body: {} });
			},
		})),
	);
}

/** Makes this many sends as a run of the node does, and returns their outcomes. */
export async function sendAll(
	env: CallEnvironment,
	count: number,
	settings: Partial<CallSettings> & {
		channelOf?: (item: number) => string;
		/** Whom each item reaches; by default each somebody else. */
		recipientOf?: (item: number) => string;
		/** What each item does when its turn has come, before it is sent. Whether there is still something to send. */
		getReady?: ((item: number) => Promise<boolean>) | undefined;
		again?: CallOptions['again'];
		onEnd?: (item: number) => void;
	} = {},
): Promise<Array<Reply | Failure>> {
	const { again, channelOf = () => '', onEnd, getReady, recipientOf = String, ...others } = settings;
	const all = { ...STANDARD, ...others };
	const ends: Array<Reply | Failure> = [];
	const jobOf = (item: number): QueuedJob => {
		const channel = channelOf(item);
		const recipient = recipientOf(item);
		return {
			...{ lane: undefined, channel, recipient, maxWaitMs: all.maxWaitMs, notAfter: all.notAfter },
			changes: true,
			run: async (first) => {
				if (getReady !== undefined && !(await getReady(item))) {
					if (first.kind === 'start') first.cancel();
					return;
				}
				const call = { ...SEND, body: { channelId: channel, recipient } };
				ends[item] = await makeCall(env, call, { ...all, channel, recipient }, { again, first });
				onEnd?.(item);
			},
		};
	};
	await env.queue.offer(Array.from({ length: count }, (_, item) => jobOf(item)));
	return ends;
}

/** How many of the outcomes are successes. */
export function successes(ends: ReadonlyArray<Reply | Failure>): number {
	return ends.filter((end) => !isFailure(end)).length;
}
