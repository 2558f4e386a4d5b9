/** The soak: one process of n8n's engine runs execution after execution, without leaking memory or resources. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import { byId, sendThrough } from '../../dev/harness/workflows.mts';
import { Loopback } from '../bench/loopback.mts';
import { startEngine, type Engine } from '../engine/engine.mts';
import type { Holdings } from '../engine/protocol.mts';
import { execute, type Task } from './execute.mts';

/** The most that the heap may grow after the first tenth of the messages, as a fraction. */
const mostGrowth = 0.1;

const keys = 20;
const channelId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
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

type Kind = Omit<Task, 'credential' | 'node'>;

const send = (options: INodeParameters = {}): INodeParameters =>
	sendThrough(channelId, {
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
	const service = new Loopback();
	await service.start();
	service.begin(0, true);
	const engine = await startEngine({ expressions: 'vm' });
	try {
		const began = performance.now();
		// Executions that send everything come more often.
		const plan = kinds.flatMap((kind, n) => (n < 3 ? [kind] : [sends, kind]));
		let [turn, listenersOfExecution] = [0, 0];
		let before: Holdings | undefined;
		let early: Holdings | undefined;
		while (early === undefined || service.sends < most) {
			const apiKey = `acc_soak_${String(turn % keys).padStart(12, '0')}`;
			const credential = { baseUrl: service.url, apiKey };
			await execute(engine, { node: 'this', credential, ...(plan[turn % plan.length] as Kind) });
			const { listeners } = await engine.holdings();
			turn += 1;
			listenersOfExecution = Math.max(listenersOfExecution, listeners);
			if (turn % plan.length === 0) progress(`${service.sends} messages`);
			// The baseline comes after each kind has run once, so that everything loaded on demand is loaded.
			if (turn === plan.length) before = await atRest(engine, undefined);
			if (before !== undefined && service.sends >= most / 10) early ??= await atRest(engine, before);
		}
		const late = await atRest(engine, before);
		return {
			messages: service.sends,
			seconds: Math.round((performance.now() - began) / 1000),
			heapEarlyBytes: early.heapBytes,
			heapLateBytes: late.heapBytes,
			leftBehind: moreIn(late, before),
			listenersOfExecution,
		};
	} finally {
		await engine.stop();
		service.stop();
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
async function atRest(engine: Engine, before: Holdings | undefined): Promise<Holdings> {
	const deadline = performance.now() + longestRestMs;
	for (;;) {
		await sleep(before === undefined ? 2000 : 500);
		const held = await engine.holdings();
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
