/** The process that runs n8n's engine for the tests; `engine.mts` starts it and talks to it. */
import { rmSync } from 'node:fs';
import { sample } from '../bench/samples.mts';
import type { CallMessage, WireError, WorkerMessage, WorkerSettings } from './protocol.mts';
import { askNode } from './worker/editor.mts';
import { startExecution, type RunningExecution } from './worker/execution.mts';
import { startExpressions } from './worker/expressions.mts';
import { holdings } from './worker/holdings.mts';
import { loadPackages, type Packages } from './worker/packages.mts';
import { failStore, startProcessedData } from './worker/processed-data.mts';
import { activate, type Poll } from './worker/polling.mts';

const active = new Map<number, Poll>();
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

async function answer(packages: Packages, call: CallMessage) {
	switch (call.name) {
		case 'run': {
			const sampling = call.takes.isSampled === true ? sample() : undefined;
			const execution = startExecution(packages, call.takes);
			running.set(call.id, execution);
			try {
				const report = await execution.report;
				return sampling === undefined ? report : { ...report, samples: sampling.end() };
			} finally {
				running.delete(call.id);
			}
		}
		case 'cancel':
			running.get(call.takes.call)?.cancel();
			return null;
		case 'activate':
			active.set(call.id, activate(packages, call.takes));
			return call.id;
		case 'poll': {
			const poll = active.get(call.takes.activation);
			if (poll === undefined) throw new Error('The workflow is not active');
			return await poll();
		}
		case 'turn':
			await new Promise(setImmediate);
			return null;
		case 'describe':
			return packages.describe();
		case 'editor':
			return await askNode(packages, call.takes);
		case 'failStore':
			failStore(call.takes);
			return null;
		case 'holdings':
			return await holdings();
	}
}

async function main(): Promise<void> {
	const settings = JSON.parse(process.argv[2] ?? '{}') as WorkerSettings;
	const packages = await loadPackages(settings.packages);
	await startExpressions(settings.expressions);
	await startProcessedData(settings.processedData);
	process.on('message', (call: CallMessage) => {
		answer(packages, call).then(
			(gives) => send({ kind: 'answer', id: call.id, gives }),
			(error: unknown) => send({ kind: 'failure', id: call.id, error: wireError(error) }),
		);
	});
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
