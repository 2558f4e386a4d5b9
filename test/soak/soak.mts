/** The soak: one process of n8n's engine runs execution after execution, without leaking memory or resources. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import { Child } from '../bench/child.mts';
import { byId } from '../../dev/harness/workflows.mts';
import { startLoopback } from '../bench/loopback.mts';
import type { Holdings, RunReport, RunTask } from './engine-process.mts';

/** The most that the heap may grow after the first tenth of the messages, as a fraction. */
const mostGrowth = 0.1;

const keys = 20;
const channelId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const longestRunMs = 300_000;
const longestRestMs = 15_000;

/** The measurements of a soak. */
export interface SoakFigures {
	messages: number;
	seconds: number;
	heapEarlyBytes: number;
	heapLateBytes: number;
	/** Resources and listeners at the end that were not there at the beginning, by kind. */
	leftBehind: Record<string, number>;
	/** The most listeners left on the abort signal of an ended execution. */
	listenersOfExecution: number;
}

type Kind = Omit<RunTask, 'url' | 'apiKey' | 'node'>;

const send = (options: INodeParameters = {}): INodeParameters => ({
	resource: 'message',
	operation: 'send',
	channelId: byId(channelId),
	toEmail: '={{ $json.email }}',
	text: '={{ $json.name }}',
	options: { timeout: 1, maxTries: 2, ...options },
});

const settings = { onError: 'continueErrorOutput' } as const;
const sends: Kind = { items: 2000, parameters: send(), settings };

/** Executions of every kind, each with something that could leak. */
const kinds: readonly Kind[] = [
	sends,
	{ ...sends, parameters: send({ whenUnknown: 'sendAgain' }) },
	{ ...sends, settings: { ...settings, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } },
	// Stops on failure.
	{ ...sends, settings: {} },
	{ ...sends, stopAfterMs: 300 },
	{
		items: 100,
		parameters: {
			resource: 'message',
			operation: 'edit',
			channelId: byId(channelId),
			chatId: 'chat',
			messageId: '={{ $json.id }}',
			newText: '={{ $json.name }}',
			options: { timeout: 1, maxTries: 3 },
		},
		settings,
	},
	{
		items: 1000,
		parameters: {
			resource: 'outbox',
			operation: 'requeue',
			channelId: byId(channelId),
			accountId: byId(channelId),
			organizationId: channelId,
			entryIds: '={{ $json.id }}',
		},
		settings,
	},
];

/** Runs executions of all kinds until so many messages are sent. */
export async function soak(most: number, progress: (line: string) => void): Promise<SoakFigures> {
	const service = startLoopback();
	const engine = new Child<RunTask | 'holdings', RunReport | Holdings>(
		'soak/engine-process.mts',
		longestRunMs,
	);
	try {
		const url = await service.ready;
		await service.ask({ latencyMs: 0, hasFaults: true });
		await engine.ready;
		const look = async (): Promise<Holdings> => (await engine.ask('holdings')) as Holdings;
		const began = performance.now();
		// Executions that send everything come more often.
		const plan = kinds.flatMap((kind, n) => (n < 3 ? [kind] : [sends, kind]));
		let [messages, turn, listenersOfExecution] = [0, 0, 0];
		let before: Holdings | undefined;
		let early: Holdings | undefined;
		while (early === undefined || messages < most) {
			const apiKey = `acc_soak_${String(turn % keys).padStart(12, '0')}`;
			const task: RunTask = { node: 'this', url, apiKey, ...(plan[turn % plan.length] as Kind) };
			const run = (await engine.ask(task)) as RunReport;
			turn += 1;
			listenersOfExecution = Math.max(listenersOfExecution, run.listeners);
			({ sends: messages } = await service.ask({}));
			if (turn % plan.length === 0) progress(`${messages} messages`);
			// The baseline comes after each kind has run once, so that everything loaded on demand is loaded.
			if (turn === plan.length) before = await atRest(look, undefined);
			if (before !== undefined && messages >= most / 10) early ??= await atRest(look, before);
		}
		const late = await atRest(look, before);
		return {
			messages,
			seconds: Math.round((performance.now() - began) / 1000),
			heapEarlyBytes: early.heapBytes,
			heapLateBytes: late.heapBytes,
			leftBehind: moreIn(late, before),
			listenersOfExecution,
		};
	} finally {
		await Promise.all([engine.stop(), service.stop()]);
	}
}

/** Prints what a soak found. Returns the limits that it exceeds. */
export function faultsOfSoak({ messages, heapEarlyBytes, heapLateBytes, ...left }: SoakFigures): string[] {
	const grown = heapLateBytes / heapEarlyBytes - 1;
	const behind = Object.entries(left.leftBehind).map(([kind, number]) => `${number} of ${kind}`);
	console.log(
		`After ${messages} messages the heap is ${(grown * 100).toFixed(1)} % larger than after a tenth of them.`,
	);
	console.log(`Left behind: ${behind.join(', ') || 'nothing'}.`);
	console.log(`Listeners on an execution that has ended: ${left.listenersOfExecution}.`);
	return [
		...(grown > mostGrowth ? ['The heap has grown.'] : []),
		...(behind.length > 0 ? ['Something was left behind.'] : []),
		...(left.listenersOfExecution > 0 ? ['Somebody listens to executions that have ended.'] : []),
	];
}

/** What a process holds once it is idle: connections take a moment to close. */
async function atRest(look: () => Promise<Holdings>, before: Holdings | undefined): Promise<Holdings> {
	const deadline = performance.now() + longestRestMs;
	for (;;) {
		await sleep(before === undefined ? 2000 : 500);
		const held = await look();
		const isAtRest = Object.keys(moreIn(held, before)).length === 0;
		if (before === undefined || isAtRest || performance.now() > deadline) return held;
	}
}

function moreIn(late: Holdings, before: Holdings | undefined): Record<string, number> {
	const more = Object.entries(late.held).map(
		([kind, number]) => [kind, number - (before?.held[kind] ?? 0)] as const,
	);
	return Object.fromEntries(more.filter(([, number]) => number > 0));
}
