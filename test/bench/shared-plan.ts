/** How several n8n servers with one API key share its plan, against the sandbox. */
import { SandboxClient } from '../../dev/sandbox/client.ts';
import type { WindowAlgorithm } from '../../dev/sandbox/requests/rate-limit.ts';
import { spawnSandbox } from '../../dev/sandbox/spawn.ts';
import type { LoggedRequest } from '../../dev/sandbox/types.ts';
import type { BenchServer } from './bench-server.ts';
import { thisNode } from './contestants.ts';
import { messagesTo } from './messages.ts';
import { planLatencyMs } from './plan-share.ts';

/** The plan that is shared, and how the service counts it. */
export interface SharedPlan {
	limit: number;
	seconds: number;
	algorithm: WindowAlgorithm;
}

/** How it was used. */
export interface SharedUse {
	plan: SharedPlan;
	/** The part of the plan that each server used, and all of them, after the first seconds. */
	each: number[];
	used: number;
	/** The part of their requests that was refused. */
	refused: number;
	/** The part of the plan that the last one used, so many seconds after the others had left. */
	alone: number;
}

/** Not evaluated: the servers have not adapted to each other yet. */
export const settlingSeconds = 10;
/** The least time for which they share. */
const sharingSeconds = 45;
/** The time that the last server has to use the whole plan again. */
export const recoverySeconds = 30;
const aloneSeconds = 10;

const node = thisNode('this node');

/** Has servers send with one API key until all but the first are done, and the first one continue alone. */
export async function measureSharedPlan(
	servers: readonly BenchServer[],
	plan: SharedPlan,
): Promise<SharedUse> {
	const sandbox = await spawnSandbox();
	try {
		const client = new SandboxClient(sandbox.control);
		await client.setPlan({ ...plan, visible: true, retryAfter: 'seconds' });
		await client.setFaults([{ kind: 'latency', ms: planLatencyMs }]);
		const { channels } = await client.state();
		const channelId = channels.find(({ isConnected }) => isConnected)?.channelId;
		if (channelId === undefined) throw new Error('The sandbox has no channel to send through');
		const inSeconds = (seconds: number): number => Math.round((plan.limit / plan.seconds) * seconds);
		const shared = inSeconds((settlingSeconds + sharingSeconds) / servers.length);
		const more = inSeconds(recoverySeconds + aloneSeconds);
		await Promise.all(
			servers.map((n8n, index) =>
				n8n.run(node, {
					url: sandbox.url,
					apiKey: sandbox.tokens.org,
					messages: messagesTo(index === 0 ? shared + more : shared, senderName(index)),
					channelId,
				}),
			),
		);
		return useOf(plan, servers.length, await client.requests());
	} finally {
		await sandbox.stop();
	}
}

function senderName(index: number): string {
	return `server-${index}`;
}

function useOf(plan: SharedPlan, servers: number, requests: readonly LoggedRequest[]): SharedUse {
	const sends = requests.filter(({ path }) => !path.endsWith('/Me'));
	const from = (index: number): LoggedRequest[] =>
		sends.filter(({ body }) => JSON.stringify(body).includes(`${senderName(index)}-`));
	const senders = Array.from({ length: servers }, (_, index) => from(index));
	const lasts = senders.map((sent) => Math.max(...sent.map(({ startedMs }) => startedMs)));
	// All have begun, and none is done.
	const firsts = senders.map((sent) => Math.min(...sent.map(({ startedMs }) => startedMs)));
	const shared = { from: Math.max(...firsts) + settlingSeconds * 1000, to: Math.min(...lasts) };
	const left = Math.max(...lasts.slice(1));
	const alone = { from: left + recoverySeconds * 1000, to: Math.max(...lasts) };
	if (shared.to <= shared.from || alone.to <= alone.from)
		throw new Error('The servers sent for too short a time');
	const during = (all: readonly LoggedRequest[], { from, to }: typeof shared): LoggedRequest[] =>
		all.filter(({ startedMs }) => startedMs >= from && startedMs < to);
	const shareOf = (all: readonly LoggedRequest[], span: typeof shared): number =>
		during(all, span).filter(({ accepted }) => accepted).length /
		((plan.limit * (span.to - span.from)) / (plan.seconds * 1000));
	const calls = during(requests, shared);
	return {
		plan,
		each: senders.map((sent) => shareOf(sent, shared)),
		used: shareOf(requests, shared),
		refused: calls.filter(({ status }) => status === 429).length / calls.length,
		alone: shareOf(requests, alone),
	};
}
