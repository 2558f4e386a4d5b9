import { makeCall, type CallEnvironment } from '../../../nodes/Messaging/delivery/call.ts';
import { KeyGate } from '../../../nodes/Messaging/delivery/pace/key-gate.ts';
import { Jobs, type Work } from '../../../nodes/Messaging/delivery/jobs.ts';
import { RunQueue, type RunSettings } from '../../../nodes/Messaging/delivery/run-queue.ts';
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
		signal = new AbortController().signal,
		...given
	}: Partial<CallEnvironment & RunSettings> = {},
): CallEnvironment {
	const queue = new RunQueue(gate, { service, keepToPlan, maxInFlight, signal });
	return { clock, gate, queue, random: () => 0.5, ...given };
}

/** A service that nobody asks. */
const nobody: Service = { id: 'nobody', request: () => Promise.reject(new Error('Nobody asks')) };

/** What a job has to say of itself. A gate that is always open lets it through; then it does what it does. */
export interface SimpleWork<T> extends Pick<Work<T>, 'next' | 'needOf'> {
	laneOf?(job: T): string | undefined;
	run(job: T): Promise<void>;
}

/** Runs jobs that make no calls. */
export async function runJobs<T>(
	clock: FakeClock,
	{ run, ...work }: SimpleWork<T>,
	{
		endOf = () => 'answered',
		...given
	}: {
		maxInFlight?: number | undefined;
		signal?: AbortSignal;
		gate?: KeyGate;
		/** How the request of a job ends: answered, or asked to come back ten seconds later. */
		endOf?: (job: T) => 'answered' | 'later';
	} = {},
): Promise<void> {
	const { queue } = environment(clock, nobody, { keepToPlan: false, ...given });
	await new Jobs<T>(queue, {
		laneOf: () => undefined,
		channelOf: () => '',
		maxWaitOf: () => STANDARD.maxWaitMs,
		...work,
		run: async (job, answer) => {
			if (answer.kind === 'noPass') return;
			await run(job);
			const later = failureBy('throttled', { message: '', description: '' }, { waitMs: 10_000 });
			answer.leave(endOf(job) === 'later' ? later : { status: 200, headers: {}, body: {} });
		},
	}).over;
}

/** Makes this many sends as a run of the node does, and returns their outcomes. */
export async function sendAll(
	env: CallEnvironment,
	count: number,
	settings: Partial<CallSettings> & {
		channelOf?: (item: number) => string;
		onEnd?: (item: number) => void;
	} = {},
): Promise<Array<Reply | Failure>> {
	const { channelOf = () => '', onEnd, ...others } = settings;
	const all = { ...STANDARD, ...others };
	const ends: Array<Reply | Failure> = [];
	let drawn = 0;
	env.queue.left = count;
	await new Jobs<number>(env.queue, {
		next: () => (drawn < count ? drawn++ : undefined),
		laneOf: () => undefined,
		channelOf,
		maxWaitOf: () => all.maxWaitMs,
		run: async (item, first) => {
			const channel = channelOf(item);
			const call = { ...SEND, body: { channelId: channel } };
			ends[item] = await makeCall(env, call, { ...all, channel }, { first });
			onEnd?.(item);
		},
	}).over;
	return ends;
}

/** How many of the outcomes are successes. */
export function successes(ends: ReadonlyArray<Reply | Failure>): number {
	return ends.filter((end) => !isFailure(end)).length;
}
