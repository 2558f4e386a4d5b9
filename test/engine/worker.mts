/** The process that runs n8n's engine for the tests; `engine.mts` starts it and talks to it. */
import { rmSync } from 'node:fs';
import { sample } from '../bench/samples.mts';
import type {
	ActivationRequest,
	CallMessage,
	EditorRequest,
	ExecutionReport,
	ExecutionRequest,
	PageRequest,
	WireError,
	WorkerMessage,
	WorkerSettings,
} from './protocol.mts';
import { changeN8n } from './worker/changed-n8n.mts';
import { askNode } from './worker/editor.mts';
import { startExecution, type RunningExecution } from './worker/execution.mts';
import { startExpressions } from './worker/expressions.mts';
import { holdings } from './worker/holdings.mts';
import { loadPackage, type Packages } from './worker/packages.mts';
import { visitPage } from './worker/page.mts';
import { failStore, startProcessedData } from './worker/processed-data.mts';
import { activate, type Poll } from './worker/polling.mts';

const active: Poll[] = [];
const running = new Map<number, RunningExecution>();

function send(message: WorkerMessage): void {
	process.send?.(message);
}

function wireError(error: unknown): WireError {
	if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
	const { description, httpCode } = error as { description?: unknown; httpCode?: unknown };
	return {
		name: error.name,
		message: error.message,
		stack: error.stack,
		...(typeof description === 'string' ? { description } : {}),
		...(typeof httpCode === 'string' ? { httpCode } : {}),
	};
}

/** What the tests can ask of this process. */
function callsOn(packages: Packages) {
	return {
		/** Executes a workflow to the end. The number is for `cancel`. */
		run: async (request: ExecutionRequest, number: number): Promise<ExecutionReport> => {
			const sampling = request.isSampled === true ? sample() : undefined;
			const execution = startExecution(packages, request);
			running.set(number, execution);
			try {
				const report = await execution.report;
				return sampling === undefined ? report : { ...report, samples: sampling.end() };
			} finally {
				running.delete(number);
			}
		},
		cancel: (number: number) => running.get(number)?.cancel(),
		/** Returns the number to poll with. */
		activate: (request: ActivationRequest) => active.push(activate(packages, request)) - 1,
		poll: async (activation: number) => {
			const poll = active[activation];
			if (poll === undefined) throw new Error('The workflow is not active');
			return await poll();
		},
		/** One turn of the process's event loop. */
		turn: async () => {
			await new Promise(setImmediate);
		},
		describe: () => packages.describe(),
		listSearch: async (request: EditorRequest) => await askNode(packages, 'listSearch', request),
		resourceMapping: async (request: EditorRequest) => await askNode(packages, 'resourceMapping', request),
		visitPage: async (request: PageRequest) => await visitPage(packages, request),
		/** Whether the store behind Remove Duplicates fails from now on. */
		failStore,
		holdings,
	};
}

/** The calls that a worker answers, with arguments and results. */
export type Calls = ReturnType<typeof callsOn>;

async function main(): Promise<void> {
	const settings = JSON.parse(process.argv[2] ?? '{}') as WorkerSettings;
	const packages = await loadPackage(settings.packageUnderTest);
	if (settings.change !== undefined) changeN8n(settings.change);
	await startExpressions(settings.expressions);
	await startProcessedData(settings.processedData);
	const calls = callsOn(packages) as Record<string, (...takes: unknown[]) => unknown>;
	const answer = async ({ id, name, takes }: CallMessage): Promise<void> => {
		try {
			send({ kind: 'answer', id, gives: await calls[name]?.(...takes) });
		} catch (error) {
			send({ kind: 'failure', id, error: wireError(error) });
		}
	};
	process.on('message', (call: CallMessage) => void answer(call));
	send({ kind: 'ready' });
}

// The parent is done or gone: what n8n has written is removed as well.
process.on('disconnect', () => process.exit(0));
process.on('exit', () => {
	const { N8N_USER_FOLDER: folder } = process.env;
	if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});
main().catch((error: unknown) => {
	send({ kind: 'broken', error: wireError(error) });
	process.disconnect();
});
