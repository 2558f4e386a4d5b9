/** What 10,000 sends with expressions cost n8n's process. */
import { noOperation, type Contestant } from './contestants.ts';
import { freshKey, messagesTo } from './messages.ts';
import type { Measures } from './samples.ts';
import type { Lab } from './throughput.ts';

/** What one contestant's runs cost. */
export interface Cost {
	name: string;
	/** One for each round. */
	durationsMs: number[];
	measures: Measures[];
	mostInFlight: number;
}

/** The run with the longest stall. */
export function longestStall(measures: readonly Measures[]): Measures {
	return measures.reduce((one, other) => (other.longestStallMs > one.longestStallMs ? other : one));
}

/** What the large run needs. */
export interface LargeRunSettings extends Lab {
	contestants: readonly Contestant[];
	latencyMs: number;
	rounds: number;
	sends: number;
}

/** Runs the contestants in turn, with text and address computed for every message. */
export async function measureLargeRuns(settings: LargeRunSettings): Promise<Cost[]> {
	const { n8n, server, contestants, latencyMs, rounds, sends, progress } = settings;
	const messages = messagesTo(sends);
	const runs = contestants.map((contestant) => ({
		contestant,
		cost: { name: contestant.name, durationsMs: [], measures: [], mostInFlight: 0 } as Cost,
	}));
	for (let round = 0; round < rounds; round++) {
		for (const { contestant, cost } of runs) {
			await server.begin(latencyMs);
			const shipment = { url: server.url, apiKey: freshKey(), messages };
			const { durationMs, ...measures } = await n8n.measure(contestant, shipment);
			const { mostInFlight, sends: arrived } = await server.counts();
			if (contestant !== noOperation && arrived !== sends) {
				throw new Error(`${contestant.name}: ${arrived} sends arrived`);
			}
			cost.durationsMs.push(durationMs);
			cost.measures.push(measures);
			cost.mostInFlight = Math.max(cost.mostInFlight, mostInFlight);
			progress(
				`round ${round + 1}, ${contestant.name}: ${durationMs.toFixed(0)} ms, stall ${measures.longestStallMs.toFixed(0)} ms`,
			);
		}
	}
	return runs.map(({ cost }) => cost);
}
