/** The soak: one process of n8n's engine runs execution after execution, without leaking memory or resources. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import { Child } from '../bench/child.ts';
import { byId } from '../../dev/harness/workflows.ts';
import type { Holdings, RunReport, RunTask, Task } from './protocol.ts';

/** The number of messages at which the baseline heap is taken, and the number at which the heap is compared with it. */
const firstLookAt = 10_000;
export const fullLength = 100_000;

/** The most that the heap may grow, as a fraction. */
export const mostGrowth = 0.1;

const itemsOfRun = 2000;
const keys = 20;
const channelId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const longestRunMs = 300_000;
const longestRestMs = 15_000;

/** The measurements of a soak. */
export interface SoakFigures {
	messages: number;
	executions: Record<string, number>;
	seconds: number;
	heapEarlyBytes: number;
	heapLateBytes: number;
	/** The heap in the course of the soak. */
	course: Array<{ messages: number; heapBytes: number }>;
	/** Resources and listeners at the end that were not there at the beginning, by kind. */
	leftBehind: Record<string, number>;
	/** The most listeners left on the abort signal of an ended execution. */
	listenersOfExecution: number;
}

type Kind = Omit<RunTask, 'kind' | 'url' | 'apiKey' | 'node'>;

const send = (options: INodeParameters = {}): INodeParameters => ({
	resource: 'message',
	operation: 'send',
	channelId: byId(channelId),
	toEmail: '={{ $json.email }}',
	text: '={{ $json.name }}',
	options: { timeout: 1, maxTries: 2, ...options },
});

const onError = 'continueErrorOutput';

/** Executions of every kind, each with something that could leak. */
const kinds: Readonly<Record<string, Kind>> = {
	sends: { items: itemsOfRun, parameters: send(), settings: { onError } },
	'sends again': { items: itemsOfRun, parameters: send({ whenUnknown: 'sendAgain' }), settings: { onError } },
	'retries on fail': {
		items: itemsOfRun,
		parameters: send(),
		settings: { onError, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
	},
	'stops on failure': { items: itemsOfRun, parameters: send() },
	'is stopped': { items: itemsOfRun, parameters: send(), settings: { onError }, stopAfterMs: 300 },
	edits: {
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
		settings: { onError },
	},
	requeues: {
		items: 1000,
		parameters: {
			resource: 'outbox',
			operation: 'requeue',
			channelId: byId(channelId),
			accountId: byId(channelId),
			organizationId: channelId,
			entryIds: '={{ $json.id }}',
		},
		settings: { onError },
	},
};

/**
 * Runs executions of all kinds until the time is over and, in a full soak, the full number of messages is sent.
 *
 * @param seconds the duration; from 300 on it is a full soak
 */
export async function soak(seconds: number, progress: (line: string) => void): Promise<SoakFigures> {
	const service = new Child<null, { sends: number }, string>('./service.ts');
	const engine = new Child<Task, RunReport | Holdings>('./engine-process.ts', longestRunMs);
	try {
		const url = await service.ready;
		await engine.ready;
		const look = async (): Promise<Holdings> => (await engine.ask({ kind: 'holdings' })) as Holdings;
		const began = performance.now();
		const elapsed = (): number => (performance.now() - began) / 1000;
		const executions: Record<string, number> = {};
		const course: SoakFigures['course'] = [];
		let [messages, turn, listenersOfExecution] = [0, 0, 0];
		let before: Holdings | undefined;
		let early: Holdings | undefined;
		// Executions that send everything come more often.
		const names = Object.keys(kinds).flatMap((name, n) => (n < 3 ? [name] : ['sends', name]));
		while (messages < firstLookAt || elapsed() < seconds || (seconds >= 300 && messages < fullLength)) {
			const name = names[turn % names.length] ?? '';
			const kind = kinds[name];
			if (kind === undefined) continue;
			const apiKey = `acc_soak_${String(turn % keys).padStart(12, '0')}`;
			const run = (await engine.ask({ kind: 'run', node: 'this', url, apiKey, ...kind })) as RunReport;
			turn += 1;
			executions[`${name}: ${run.status}`] = (executions[`${name}: ${run.status}`] ?? 0) + 1;
			listenersOfExecution = Math.max(listenersOfExecution, run.listeners);
			({ sends: messages } = await service.ask(null));
			// The baseline comes after each kind has run once, so that everything loaded on demand is loaded.
			if (turn === names.length) before = await atRest(look, undefined);
			if (messages < (course.length + 1) * firstLookAt) continue;
			const held = await atRest(look, before);
			early ??= held;
			course.push({ messages, heapBytes: held.heapBytes });
			progress(
				`${messages} messages, ${elapsed().toFixed(0)} s, heap ${(held.heapBytes / 1e6).toFixed(1)} MB`,
			);
		}
		const late = await atRest(look, before);
		return {
			messages,
			executions,
			seconds: Math.round(elapsed()),
			heapEarlyBytes: early?.heapBytes ?? NaN,
			heapLateBytes: late.heapBytes,
			course,
			leftBehind: moreIn(late, before),
			listenersOfExecution,
		};
	} finally {
		await Promise.all([engine.stop(), service.stop()]);
	}
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
	const more: Record<string, number> = {};
	for (const part of ['resources', 'listeners'] as const) {
		for (const [kind, number] of Object.entries(late[part])) {
			const grown = number - (before?.[part][kind] ?? 0);
			if (grown > 0) more[kind] = grown;
		}
	}
	return more;
}
