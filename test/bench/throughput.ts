/** How long 1,000 sends take, all contestants taking turns. */
import type { BenchServer } from './bench-server.ts';
import { bodyFor, type Contestant } from './contestants.ts';
import { freshKey } from './fresh-key.ts';
import { Child } from './child.ts';
import type { Loopback } from './loopback.ts';
import { messagesTo } from './messages.ts';
import { median } from './statistics.ts';
import type { UndiciAnswer, UndiciTask } from './undici-client.ts';

/** How one contestant did at one latency. */
export interface Standing {
	name: string;
	latencyMs: number;
	/** One for each round. */
	durationsMs: number[];
	/** CPU time of the sending process, one for each round. */
	cpuMs: number[];
	mostInFlight: number;
}

/** What the throughput part needs. */
export interface ThroughputSettings {
	n8n: BenchServer;
	server: Loopback;
	contestants: readonly Contestant[];
	/** Whether undici takes part. */
	raw: boolean;
	latenciesMs: readonly number[];
	rounds: number;
	sends: number;
	/** Whether the text of each message is an expression, as its address is. */
	computedText?: boolean;
	/** Told after every run. */
	progress: (line: string) => void;
}

/** The name under which undici is listed. */
export const rawName = 'undici, pool of 128';

/** Lets the contestants take turns, in an order that changes with the rounds. */
export async function measureThroughput(settings: ThroughputSettings): Promise<Standing[]> {
	const { contestants, latenciesMs, rounds, raw } = settings;
	const child = raw ? new Child<UndiciTask, UndiciAnswer>('undici-client.ts') : undefined;
	try {
		await child?.ready;
		const runners = [
			...contestants.map((contestant) => runnerOf(settings, contestant)),
			...(child === undefined ? [] : [rawRunner(settings, child)]),
		];
		const standings = latenciesMs.map((latencyMs) => runners.map(({ name }) => standing(name, latencyMs)));
		for (let round = 0; round < rounds; round++) {
			for (const [row, latencyMs] of latenciesMs.entries()) {
				for (let turn = 0; turn < runners.length; turn++) {
					const index = (turn + round) % runners.length;
					const entry = standings[row]?.[index];
					const spent = await runners[index]?.run(latencyMs);
					if (entry === undefined || spent === undefined) continue;
					const { mostInFlight, sends } = await settings.server.counts();
					if (sends !== settings.sends) throw new Error(`${entry.name}: ${sends} sends arrived`);
					entry.durationsMs.push(spent.durationMs);
					entry.cpuMs.push(spent.cpuMs);
					entry.mostInFlight = Math.max(entry.mostInFlight, mostInFlight);
					settings.progress(
						`round ${round + 1}, ${latencyMs} ms, ${entry.name}: ${spent.durationMs.toFixed(0)} ms, CPU ${spent.cpuMs.toFixed(0)} ms, ${mostInFlight} in flight`,
					);
				}
			}
		}
		return standings.flat();
	} finally {
		await child?.stop();
	}
}

/** One beside the other: the median of the rounds, or of all when they had no rounds in common. */
export function pairedRatio(own: readonly number[], peer: readonly number[]): number {
	if (own.length !== peer.length) return median(own) / median(peer);
	return median(own.map((value, round) => value / (peer[round] ?? NaN)));
}

interface Runner {
	name: string;
	run(latencyMs: number): Promise<{ durationMs: number; cpuMs: number }>;
}

function runnerOf(
	{ n8n, server, sends, computedText = false }: ThroughputSettings,
	contestant: Contestant,
): Runner {
	const messages = messagesTo(sends);
	return {
		name: contestant.name,
		async run(latencyMs) {
			await server.begin(latencyMs);
			const shipment = { url: server.url, apiKey: freshKey(), messages, computedText };
			return await n8n.measure(contestant, shipment);
		},
	};
}

function rawRunner({ server, sends }: ThroughputSettings, child: Child<UndiciTask, UndiciAnswer>): Runner {
	const bodies = messagesTo(sends).map(bodyFor);
	return {
		name: rawName,
		async run(latencyMs) {
			await server.begin(latencyMs);
			return await child.ask({ url: server.url, bodies });
		},
	};
}

function standing(name: string, latencyMs: number): Standing {
	return { name, latencyMs, durationsMs: [], cpuMs: [], mostInFlight: 0 };
}
