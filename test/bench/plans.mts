/** How much of a key's plan is used, by one n8n and by several that know nothing of each other, against the sandbox. */
import { SandboxClient } from '../../dev/sandbox/client.mts';
import type { WindowAlgorithm } from '../../dev/sandbox/rate-limit.mts';
import { spawnSandbox } from '../../dev/sandbox/spawn.mts';
import type { LoggedRequest } from '../../dev/sandbox/types.mts';
import type { BenchServer } from './bench-server.mts';
import { messagesTo, type Shipment, thisNodeByDefault } from './contestants.mts';
import { atLeast, atMost, markdownTable, percent, type Section } from './tables.mts';

/** A plan, and how the service counts it. */
export interface Plan {
	limit: number;
	seconds: number;
	algorithm: WindowAlgorithm;
	/** Whether /Me shows it. */
	visible: boolean;
}

/** The service's latency in milliseconds. */
const planLatencyMs = 5;
const shareOfSeenPlan = 0.95;
const shareOfUnseenPlan = 0.85;
/** Not evaluated: the servers have not adapted to each other yet. */
const settlingSeconds = 10;
/** The least time for which they share. */
const sharingSeconds = 45;
/** The time that the last server has to use the whole plan again. */
const recoverySeconds = 30;
const aloneSeconds = 10;

const senderName = (index: number): string => `server-${index}`;
const planName = ({ limit, seconds, algorithm }: Plan): string =>
	`${limit} per ${seconds} s, ${algorithm} window`;

/** Has something sent to a sandbox of its own, whose key has this plan. Returns what arrived. */
export async function underPlan(
	plan: Plan,
	send: (target: Omit<Shipment, 'messages'>) => Promise<unknown>,
): Promise<LoggedRequest[]> {
	const sandbox = await spawnSandbox();
	try {
		const client = new SandboxClient(sandbox.control);
		await client.setPlan({ ...plan, retryAfter: 'seconds' });
		await client.setFaults([{ kind: 'latency', ms: planLatencyMs }]);
		const { channels } = await client.state();
		const channelId = channels.find(({ isConnected }) => isConnected)?.channelId;
		if (channelId === undefined) throw new Error('The sandbox has no channel to send through');
		await send({ url: sandbox.url, apiKey: sandbox.tokens.org, channelId });
		return await client.requests();
	} finally {
		await sandbox.stop();
	}
}

/** Has servers send with one key, each so many messages. Returns what arrived. */
async function sendUnder(
	plan: Plan,
	servers: ReadonlyArray<[n8n: BenchServer, messages: number]>,
): Promise<LoggedRequest[]> {
	return await underPlan(plan, async (target) => {
		await Promise.all(
			servers.map(async ([n8n, count], index) => {
				const messages = messagesTo(count, senderName(index));
				await n8n.measure(thisNodeByDefault, { ...target, messages });
			}),
		);
	});
}

/** Sends for so many windows; compares with a sender that begins with a whole window's worth and wastes nothing. */
async function planUse(n8n: BenchServer, plan: Plan, windows: number) {
	// The request for the plan comes on top, so there is one more than the windows hold.
	const requests = await sendUnder(plan, [[n8n, plan.limit * windows]]);
	const times = requests.filter(({ accepted }) => accepted).map(({ startedMs }) => startedMs);
	const durationMs = Math.max(...times) - Math.min(...times);
	const leastMs = Math.floor((times.length - 1) / plan.limit) * plan.seconds * 1000;
	const refusals = requests.filter(({ status }) => status === 429).length;
	// The accepted ones include the request for the plan.
	return { plan, share: leastMs / durationMs, refusals, accepted: times.length };
}

/** How one n8n uses plans of each kind; only the short ones if quick. */
export async function measurePlans(
	n8n: BenchServer,
	quick: boolean,
	progress: (line: string) => void,
): Promise<Section> {
	const lengths: Array<[limit: number, seconds: number, windows: number]> = [
		[300, 10, 3],
		[50, 1, 10],
	];
	const uses = [];
	for (const [limit, seconds, windows] of quick ? lengths.slice(1) : lengths) {
		for (const visible of [true, false]) {
			for (const algorithm of ['fixed', 'sliding'] as const) {
				const use = await planUse(n8n, { limit, seconds, algorithm, visible }, windows);
				uses.push(use);
				progress(`${planName(use.plan)}: ${percent(use.share)}, ${use.refusals} refused`);
			}
		}
	}
	return {
		title: 'How much of a plan is used',
		text: `Against the sandbox, which answers after ${planLatencyMs} ms and counts each key's requests: in windows side by side (fixed) or in the window that ends now (sliding). "Used" compares with a sender that begins with a whole window's worth and wastes nothing; the question for the plan (\`/Me\`) counts. A plan that \`/Me\` does not show is found by its refusals; where a fixed window happens to begin anew early in the run, that can come out above 100 %.`,
		table: markdownTable(
			['Plan', 'Window', 'Shown by /Me', 'Used', '429s', 'Accepted'],
			uses.map(({ plan, share, refusals, accepted }) => [
				`${plan.limit} per ${plan.seconds} s`,
				plan.algorithm,
				plan.visible ? 'yes' : 'no',
				percent(share),
				String(refusals),
				String(accepted),
			]),
		),
		targets: uses.flatMap(({ plan, share, refusals }) => {
			const name = `${planName(plan)}, ${plan.visible ? 'shown' : 'not shown'}`;
			return plan.visible
				? [atLeast(name, share, shareOfSeenPlan), atMost(`${name}: refused`, refusals, 0)]
				: [atLeast(name, share, shareOfUnseenPlan)];
		}),
	};
}

/** Has servers share a plan until all but the first are done, and the first one continue alone. */
async function sharedUse(servers: readonly BenchServer[], plan: Plan) {
	const inSeconds = (seconds: number): number => Math.round((plan.limit / plan.seconds) * seconds);
	const shared = inSeconds((settlingSeconds + sharingSeconds) / servers.length);
	const more = inSeconds(recoverySeconds + aloneSeconds);
	const requests = await sendUnder(
		plan,
		servers.map((n8n, index) => [n8n, index === 0 ? shared + more : shared]),
	);
	const senders = servers.map((_, index) =>
		requests.filter(({ body }) => JSON.stringify(body ?? null).includes(`${senderName(index)}-`)),
	);
	const firsts = senders.map((sent) => Math.min(...sent.map(({ startedMs }) => startedMs)));
	const lasts = senders.map((sent) => Math.max(...sent.map(({ startedMs }) => startedMs)));
	// All have begun, and none is done.
	const together = { from: Math.max(...firsts) + settlingSeconds * 1000, to: Math.min(...lasts) };
	const after = { from: Math.max(...lasts.slice(1)) + recoverySeconds * 1000, to: Math.max(...lasts) };
	if (together.to <= together.from || after.to <= after.from)
		throw new Error('The servers sent for too short a time');
	const during = (all: readonly LoggedRequest[], { from, to }: typeof together): LoggedRequest[] =>
		all.filter(({ startedMs }) => startedMs >= from && startedMs < to);
	const shareOf = (all: readonly LoggedRequest[], span: typeof together): number =>
		during(all, span).filter(({ accepted }) => accepted).length /
		((plan.limit * (span.to - span.from)) / (plan.seconds * 1000));
	const calls = during(requests, together);
	return {
		plan,
		// The part of the plan that each one used, and all of them.
		each: senders.map((sent) => shareOf(sent, together)),
		used: shareOf(requests, together),
		refused: calls.filter(({ status }) => status === 429).length / calls.length,
		// The part of the plan that the last one used.
		alone: shareOf(requests, after),
	};
}

/** How several n8n share a plan. */
export async function measureSharedPlans(
	servers: readonly BenchServer[],
	algorithms: readonly WindowAlgorithm[],
): Promise<Section> {
	const uses = [];
	for (const algorithm of algorithms) {
		uses.push(await sharedUse(servers, { limit: 50, seconds: 1, algorithm, visible: true }));
	}
	return {
		title: 'One plan, several servers',
		text: `${servers.length} n8n servers, processes of their own that know nothing of each other, send with one key to the sandbox, which answers after ${planLatencyMs} ms. Looked at from ${settlingSeconds} seconds after the last one began until the first one is done; then the rest leaves, and the last column begins ${recoverySeconds} seconds after that.`,
		table: markdownTable(
			['Plan', 'Window', 'Used', 'By each', 'Refused', 'Used by the last one, alone again'],
			uses.map(({ plan, each, used, refused, alone }) => [
				`${plan.limit} per ${plan.seconds} s`,
				plan.algorithm,
				percent(used),
				each.map(percent).join(', '),
				percent(refused),
				percent(alone),
			]),
		),
		targets: uses.flatMap(({ plan, each, used, refused, alone }) => {
			const name = `${servers.length} servers, ${planName(plan)}`;
			return [
				atLeast(`${name}: used together`, used, 0.85),
				atLeast(`${name}: used by each`, Math.min(...each), 0.2),
				atMost(`${name}: refused`, refused, 0.05, percent),
				atLeast(`${name}: used by the last one, alone again`, alone, 0.95),
			];
		}),
	};
}
