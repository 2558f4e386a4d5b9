/** How much of a key's plan is used, against the sandbox. */
import { SandboxClient } from '../../dev/sandbox/client.ts';
import type { WindowAlgorithm } from '../../dev/sandbox/requests/rate-limit.ts';
import { spawnSandbox } from '../../dev/sandbox/spawn.ts';
import type { LoggedRequest } from '../../dev/sandbox/types.ts';
import type { BenchServer } from './bench-server.ts';
import { thisNode } from './contestants.ts';
import { messagesTo } from './messages.ts';

/** A plan, how the service counts it, and for how many of its windows to send. */
export interface PlanCase {
	limit: number;
	seconds: number;
	windows: number;
	algorithm: WindowAlgorithm;
	/** Whether /Me shows the plan. */
	visible: boolean;
}

/** How a plan was used. */
export interface PlanUse {
	plan: PlanCase;
	/** The part of the plan that was used. */
	share: number;
	/** Requests that were refused. */
	refusals: number;
	/** Requests that were accepted, including the one for the plan. */
	accepted: number;
}

/** The service's latency in milliseconds. */
export const planLatencyMs = 5;

const node = thisNode('this node');

/** Sends for as many windows as the case says, and evaluates the times of arrival. */
export async function measurePlan(n8n: BenchServer, plan: PlanCase): Promise<PlanUse> {
	const sandbox = await spawnSandbox();
	try {
		const client = new SandboxClient(sandbox.control);
		const { limit, seconds, algorithm, visible } = plan;
		await client.setPlan({ limit, seconds, algorithm, visible, retryAfter: 'seconds' });
		await client.setFaults([{ kind: 'latency', ms: planLatencyMs }]);
		const { channels } = await client.state();
		const channelId = channels.find(({ isConnected }) => isConnected)?.channelId;
		if (channelId === undefined) throw new Error('The sandbox has no channel to send through');
		// The request for the plan comes on top, so there is one more than the windows hold.
		const messages = messagesTo(limit * plan.windows);
		await n8n.run(node, {
			url: sandbox.url,
			apiKey: sandbox.tokens.org,
			messages,
			channelId,
		});
		return useOf(plan, await client.requests());
	} finally {
		await sandbox.stop();
	}
}

/** Compares with a sender that begins with a whole window's worth and wastes nothing. */
function useOf(plan: PlanCase, requests: LoggedRequest[]): PlanUse {
	const times = requests.filter(({ accepted }) => accepted).map(({ startedMs }) => startedMs);
	const durationMs = Math.max(...times) - Math.min(...times);
	const leastMs = Math.floor((times.length - 1) / plan.limit) * plan.seconds * 1000;
	return {
		plan,
		share: leastMs / durationMs,
		refusals: requests.filter(({ status }) => status === 429).length,
		accepted: times.length,
	};
}

/** Measures several cases, `atOnce` at a time. */
export async function measurePlans(
	n8n: BenchServer,
	cases: readonly PlanCase[],
	atOnce: number,
	progress: (use: PlanUse) => void,
): Promise<PlanUse[]> {
	const uses = new Map<PlanCase, PlanUse>();
	const open = [...cases];
	const work = async (delayMs: number): Promise<void> => {
		// Staggered, because each window begins with a burst.
		await new Promise((resolve) => setTimeout(resolve, delayMs));
		for (let plan = open.shift(); plan !== undefined; plan = open.shift()) {
			const use = await measurePlan(n8n, plan);
			uses.set(plan, use);
			progress(use);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, (_, index) => work(index * 4000)));
	return cases.flatMap((plan) => uses.get(plan) ?? []);
}
