/** How long 1,000 sends take, all contestants taking turns. */
import type { BenchServer } from './bench-server.ts';
import type { Contestant } from './contestants.ts';
import type { Loopback } from './loopback.ts';
import { freshKey, messagesTo } from './messages.ts';
import { median } from './tables.ts';

/** One contestant's result at one latency. */
export interface Standing {
	name: string;
	latencyMs: number;
	/** One for each round. */
	durationsMs: number[];
	/** CPU time of the sending process, one for each round. */
	cpuMs: number[];
	mostInFlight: number;
}

/** The servers that a measurement uses. */
export interface Lab {
	n8n: BenchServer;
	server: Loopback;
	/** Called after every run. */
	progress: (line: string) => void;
}

/** What the throughput part needs. */
export interface ThroughputSettings extends Lab {
	contestants: readonly Contestant[];
	latenciesMs: readonly number[];
	rounds: number;
	sends: number;
}

/** Runs the contestants in turn, in an order that changes with the rounds. */
export async function measureThroughput(settings: ThroughputSettings): Promise<Standing[]> {
	const { n8n, server, contestants, latenciesMs, rounds, sends, progress } = settings;
	const messages = messagesTo(sends);
	const standings = latenciesMs.map((latencyMs) =>
		contestants.map(({ name }): Standing => ({
			name,
			latencyMs,
			durationsMs: [],
			cpuMs: [],
			mostInFlight: 0,
		})),
	);
	for (let round = 0; round < rounds; round++) {
		for (const row of standings) {
			for (let turn = 0; turn < contestants.length; turn++) {
				const index = (turn + round) % contestants.length;
				const [entry, contestant] = [row[index]!, contestants[index]!];
				await server.begin(entry.latencyMs);
				const shipment = { url: server.url, apiKey: freshKey(), messages };
				const { durationMs, cpuMs } = await n8n.measure(contestant, shipment);
				const { mostInFlight, sends: arrived } = await server.counts();
				if (arrived !== sends) throw new Error(`${entry.name}: ${arrived} sends arrived`);
				entry.durationsMs.push(durationMs);
				entry.cpuMs.push(cpuMs);
				entry.mostInFlight = Math.max(entry.mostInFlight, mostInFlight);
				progress(
					`round ${round + 1}, ${entry.latencyMs} ms, ${entry.name}: ${durationMs.toFixed(0)} ms, CPU ${cpuMs.toFixed(0)} ms, ${mostInFlight} in flight`,
				);
			}
		}
	}
	return standings.flat();
}

/** The median ratio of the two over the rounds. */
export function pairedRatio(own: readonly number[], peer: readonly number[]): number {
	return median(own.map((value, round) => value / (peer[round] ?? NaN)));
}
