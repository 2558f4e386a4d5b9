/** The process in which n8n's engine runs, driven as the engine tests drive theirs. */
import type { IRunExecutionData } from 'n8n-workflow';
import type { EngineAnswer, EngineSettings, EngineTask } from './bench-engine.ts';
import { giveUp, serve } from './serve.ts';
import './one-n8n.ts';

/** The settings with which n8n's server starts its expression engine. */
const expressionSettings = {
	poolSize: 1,
	maxCodeCacheSize: 1024,
	bridgeTimeout: 5000,
	bridgeMemoryLimit: 128,
};

async function main(): Promise<void> {
	// Loaded here, and not above: from now on whoever asks for n8n's modules gets those of the installed n8n.
	const { startExecution } = await import('../engine/worker/execution.ts');
	const { loadPackages } = await import('../engine/worker/packages.ts');
	const { flatted, n8n } = await import('../engine/worker/n8n.ts');

	const { packages, expressions } = JSON.parse(process.argv[2] ?? '') as EngineSettings;
	const loaded = await loadPackages(packages);
	if (expressions === 'vm')
		await n8n.Expression.initExpressionEngine({ engine: 'vm', ...expressionSettings });

	serve(null, async ({ request, watch }: EngineTask): Promise<EngineAnswer> => {
		const cpuBefore = process.cpuUsage();
		const execution = startExecution(loaded, request);
		const began = performance.now();
		// The watch over the event loop begins with its next turn: this one is timed here.
		let firstTurnMs = 0;
		setImmediate(() => (firstTurnMs = performance.now() - began));
		const { status, durationMs, measures, saved } = await execution.report;
		const cpu = process.cpuUsage(cpuBefore);
		const { resultData } = flatted.parse(saved) as IRunExecutionData;
		const output = resultData.runData[watch]?.at(-1)?.data?.['main']?.[0] ?? [];
		return {
			status,
			durationMs,
			cpuMs: (cpu.user + cpu.system) / 1000,
			items: output.length,
			problem: resultData.error?.message ?? null,
			measures: measures && { ...measures, longestStallMs: Math.max(firstTurnMs, measures.longestStallMs) },
		};
	});
}

main().catch(giveUp);
