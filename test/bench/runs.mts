/** A thousand sends beside the barest node, and what ten thousand cost n8n's process. */
import type { ExpressionEngine } from '../engine/protocol.mts';
import type { BenchServer, MeasuredRun } from './bench-server.mts';
import {
	floorNode,
	floorNodeOfAnother,
	freshKey,
	httpRequestNode,
	messagesTo,
	noOperation,
	thisNodeByDefault,
	thisNodeOfAnother,
	thisNodeWithKeys,
	type Contestant,
} from './contestants.mts';
import type { Loopback } from './loopback.mts';
import { atMost, markdownTable, median, ratio, time, type Section, type Target } from './tables.mts';

/** The server's latencies, in milliseconds. */
const latenciesMs = [0, 20, 100];

/**
 * The most time this node may take as a multiple of the floor's, at each latency. With "legacy", what it took before it
 * looked up paths itself.
 */
const shareOfFloor: Readonly<Record<ExpressionEngine, Record<string, readonly number[]>>> = {
	vm: {
		[thisNodeByDefault.name]: [0.45, 0.5, 0.6],
		[thisNodeWithKeys.name]: [0.6, 0.65, 0.7],
		[thisNodeOfAnother.name]: [0.6, 0.65, 0.6],
	},
	legacy: {
		[thisNodeByDefault.name]: [0.87, 0.86, 0.86],
		[thisNodeWithKeys.name]: [1.06, 1.14, 1.02],
		[thisNodeOfAnother.name]: [1.1, 1.1, 1.15],
	},
};
const mostInFlight = 128;
const longestTurnMs = 50;

const engineTitles: Readonly<Record<ExpressionEngine, string>> = {
	vm: 'expressions in an isolate ("vm")',
	legacy: 'expressions in n8n itself ("legacy")',
};

/** The runs of one contestant at one latency. */
interface Standing {
	name: string;
	latencyMs: number;
	/** One for each round. */
	runs: MeasuredRun[];
	mostInFlight: number;
}

/** What the runs use. */
export interface Lab {
	n8n: BenchServer;
	server: Loopback;
	expressions: ExpressionEngine;
	/** Called after every run. */
	progress: (line: string) => void;
}

/** Runs the contestants in turn, in an order that changes with the rounds. */
async function measureRuns(
	{ n8n, server, progress }: Lab,
	contestants: readonly Contestant[],
	latencies: readonly number[],
	rounds: number,
	sends: number,
): Promise<Standing[]> {
	const messages = messagesTo(sends);
	const { url } = server;
	const standings = latencies.map((latencyMs) =>
		contestants.map(({ name }): Standing => ({ name, latencyMs, runs: [], mostInFlight: 0 })),
	);
	for (let round = 0; round < rounds; round++) {
		for (const row of standings) {
			for (let turn = 0; turn < contestants.length; turn++) {
				const index = (turn + round) % contestants.length;
				const [entry, contestant] = [row[index]!, contestants[index]!];
				server.begin(entry.latencyMs);
				const run = await n8n.measure(contestant, { url, apiKey: freshKey(), messages });
				if (contestant !== noOperation && server.sends !== sends) {
					throw new Error(`${entry.name}: ${server.sends} sends arrived`);
				}
				entry.runs.push(run);
				entry.mostInFlight = Math.max(entry.mostInFlight, server.mostInFlight);
				progress(
					`round ${round + 1}, ${entry.latencyMs} ms, ${entry.name}: ${time(run.durationMs)}, CPU ${time(run.cpuMs)}, stall ${time(run.longestStallMs)}`,
				);
			}
		}
	}
	return standings.flat();
}

/** One unmeasured run of each, so that the code is compiled. */
async function warmUp(lab: Lab, contestants: readonly Contestant[]): Promise<void> {
	const quiet = { ...lab, progress: () => {} };
	await measureRuns(quiet, contestants, [0], 1, 300);
}

const durations = ({ runs }: Standing): number[] => runs.map(({ durationMs }) => durationMs);
const cpuTimes = ({ runs }: Standing): number[] => runs.map(({ cpuMs }) => cpuMs);
const heaps = ({ runs }: Standing): number[] => runs.map(({ peakHeapBytes }) => peakHeapBytes);

/** The median ratio of the two over the rounds. */
function pairedRatio(own: readonly number[], peer: readonly number[]): number {
	return median(own.map((value, round) => value / (peer[round] ?? NaN)));
}

/** A thousand sends of these contestants, beside the barest node. */
export async function measureFloor(
	lab: Lab,
	contestants: readonly Contestant[],
	rounds: number,
): Promise<Section> {
	await warmUp(lab, contestants);
	const standings = await measureRuns(lab, contestants, latenciesMs, rounds, 1000);
	const floorOf = ({ latencyMs, name }: Standing): Standing => {
		const floor = name === thisNodeOfAnother.name ? floorNodeOfAnother : floorNode;
		return standings.find((entry) => entry.name === floor.name && entry.latencyMs === latencyMs)!;
	};
	const beside = (own: Standing): number => pairedRatio(durations(own), durations(floorOf(own)));
	const rows = standings.map((entry) => [
		`${entry.latencyMs} ms`,
		entry.name,
		ratio(beside(entry)),
		ratio(pairedRatio(cpuTimes(entry), cpuTimes(floorOf(entry)))),
		time(median(durations(entry))),
		`${time(Math.min(...durations(entry)))} to ${time(Math.max(...durations(entry)))}`,
		String(entry.mostInFlight),
	]);
	const { expressions } = lab;
	const targets = standings.flatMap((entry): Target[] => {
		const { latencyMs, name } = entry;
		const most = shareOfFloor[expressions][name]?.[latenciesMs.indexOf(latencyMs)];
		if (most === undefined) return [];
		return [
			atMost(
				`${expressions}: ${name}, time at ${latencyMs} ms, beside the floor`,
				beside(entry),
				most,
				ratio,
			),
		];
	});
	const own = standings.filter(({ name }) => name === thisNodeByDefault.name);
	const inFlight = Math.max(...own.map((entry) => entry.mostInFlight));
	return {
		title: `A thousand sends, beside the floor, ${engineTitles[expressions]}`,
		text: `1,000 messages to as many recipients; address and text are expressions. The floor is the barest node that n8n allows: 128 requests at once, the credential passed along, no check, no pace, no memory. "Once key": with one on every item, an expression of its own; what that costs in any node shows the floor that reads a key. "Another's item": address and text are found in the item of an earlier node, and "beside" is beside the floor that does the same. Rounds in which they take turns: ${rounds}. "Beside" is the time, or the CPU time, divided by the floor's in the same round (median of the rounds).`,
		table: markdownTable(
			[
				...['Answer after', 'Contestant', 'Time beside the floor', 'CPU beside it'],
				...['Median', 'From … to', 'In flight'],
			],
			rows,
		),
		targets: [...targets, atMost(`${expressions}: requests in flight`, inFlight, mostInFlight)],
	};
}

/** What ten thousand sends of this node cost, beside n8n alone and, unless quick, the HTTP Request node. */
export async function measureLargeRuns(lab: Lab, quick: boolean): Promise<Section> {
	const sends = 10_000;
	// The HTTP Request node takes longest.
	const senders = [thisNodeByDefault, ...(quick ? [] : [httpRequestNode])];
	await warmUp(lab, senders);
	const standings = await measureRuns(lab, [noOperation, ...senders], [20], quick ? 1 : 2, sends);
	const peer = standings.find(({ name }) => name === httpRequestNode.name);
	const longestStall = ({ runs }: Standing): number =>
		Math.max(...runs.map(({ longestStallMs }) => longestStallMs));
	const rows = standings.map((entry) => {
		const beside = (of: (standing: Standing) => number[]): string =>
			peer === undefined ? '' : ` (${ratio(median(of(entry)) / median(of(peer)))})`;
		return [
			entry.name,
			time(longestStall(entry)),
			`${(median(heaps(entry)) / 1e6).toFixed(0)} MB${beside(heaps)}`,
			`${(median(cpuTimes(entry)) / sends).toFixed(2)} ms${beside(cpuTimes)}`,
			`${time(median(durations(entry)))}${beside(durations)}`,
			String(entry.mostInFlight),
		];
	});
	const own = standings.filter(({ name }) => name === thisNodeByDefault.name);
	const what = `${lab.expressions}: longest turn of the event loop, large run`;
	return {
		title: `Ten thousand sends, ${engineTitles[lab.expressions]}`,
		text: "The text and the address of every message are expressions; the server answers after 20 ms. The stall is the longest time during which n8n's event loop did not turn, so that n8n served nobody else. Heap is what n8n held at most while the node ran, above what it held before the execution, and CPU is all of n8n's process. In brackets: beside the HTTP Request node, which looks its credential up for each message. The No Operation node shows what n8n itself takes for that many items.",
		table: markdownTable(
			[...['Contestant', 'Longest stall', 'Peak heap'], ...['CPU per message', 'Time', 'In flight']],
			rows,
		),
		targets: own.map((entry) => atMost(what, longestStall(entry), longestTurnMs, time)),
	};
}
