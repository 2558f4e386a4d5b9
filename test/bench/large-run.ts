/** What 10,000 sends with expressions cost n8n's process. */
import type { Measures } from '../engine/protocol.ts';
import type { BenchEngine } from './bench-engine.ts';
import type { Contestant } from './contestants.ts';
import { freshKey } from './fresh-key.ts';
import type { Loopback } from './loopback.ts';
import { messagesTo } from './messages.ts';

/** What one contestant's runs cost. */
export interface Cost {
	name: string;
	/** One for each round. */
	durationsMs: number[];
	measures: Measures[];
	mostInFlight: number;
}

/** What the large run needs. */
export interface LargeRunSettings {
	engine: BenchEngine;
	server: Loopback;
	contestants: readonly Contestant[];
	latencyMs: number;
	rounds: number;
	sends: number;
	/** Told after every run. */
	progress: (line: string) => void;
}

/** Lets the contestants take turns with text and address computed for every message. */
export async function measureLargeRuns(settings: LargeRunSettings): Promise<Cost[]> {
	const { engine, server, contestants, latencyMs, rounds, sends, progress } = settings;
	const messages = messagesTo(sends);
	const costs = contestants.map(({ name }): Cost => ({
		name,
		durationsMs: [],
		measures: [],
		mostInFlight: 0,
	}));
	for (let round = 0; round < rounds; round++) {
		for (const [index, contestant] of contestants.entries()) {
			await server.begin(latencyMs);
			const shipment = { url: server.url, apiKey: freshKey(), messages, computedText: true, measure: true };
			const { durationMs, measures } = await engine.run(contestant.run(shipment));
			const { mostInFlight } = await server.counts();
			const cost = costs[index];
			if (cost === undefined || measures === null) throw new Error('A run was not measured');
			cost.durationsMs.push(durationMs);
			cost.measures.push(measures);
			cost.mostInFlight = Math.max(cost.mostInFlight, mostInFlight);
			progress(
				`round ${round + 1}, ${contestant.name}: ${durationMs.toFixed(0)} ms, stall ${measures.longestStallMs.toFixed(0)} ms`,
			);
		}
	}
	return costs;
}
