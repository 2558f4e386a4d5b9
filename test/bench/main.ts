/**
 * The benchmark: this node beside n8n's own nodes in one real engine, all sending the same messages to the same
 * servers on this machine.
 */
import { BenchEngine } from './bench-engine.ts';
import {
	httpRequestNode,
	httpRequestNodeWithHeader,
	noOperation,
	telegramNode,
	thisNodeByDefault,
	thisNodeOneAtATime,
} from './contestants.ts';
import { writeDocument } from './document.ts';
import { measureLargeRuns, type Cost } from './large-run.ts';
import { Loopback } from './loopback.ts';
import { describeMachine } from './machine.ts';
import { readOptions, usage, type BenchOptions, type PartName } from './options.ts';
import { findPeers, PeersMissing, type Peers } from './peers.ts';
import { measurePlans, type PlanCase, type PlanUse } from './plan-share.ts';
import { percent } from './statistics.ts';
import { costSection, planSection, throughputSection, type Section } from './sections.ts';
import { targetTable } from './tables.ts';
import { measureThroughput, type Standing, type ThroughputSettings } from './throughput.ts';

const sends = 1000;
const sendsToWarmUp = 300;
const largeSends = 10_000;
const largeLatencyMs = 20;
const plansAtOnce = 2;
const sideBySide = [thisNodeByDefault, httpRequestNode, httpRequestNodeWithHeader];
const inSequence = [thisNodeOneAtATime, telegramNode];

type Lab = Pick<ThroughputSettings, 'engine' | 'server' | 'sends' | 'raw' | 'progress'>;

/** One benchmark, from its start to its results. */
class Bench {
	readonly #options: BenchOptions;
	readonly #peers: Peers;
	readonly #began = performance.now();

	constructor(options: BenchOptions, peers: Peers) {
		this.#options = options;
		this.#peers = peers;
	}

	async run(): Promise<Section[]> {
		const standings = this.#has('throughput') ? await this.#sideBySide() : [];
		if (this.#has('oneAtATime')) standings.push(...(await this.#withEngine((lab) => inSequenceAt(lab, 20))));
		const costs = this.#has('largeRun') ? await this.#largeRuns() : [];
		// Both wait nearly all of their time: beside each other they take no longer.
		const [uses, slowest] = await Promise.all([
			this.#has('plan') ? this.#plans() : [],
			this.#has('oneAtATime') && !this.#options.quick
				? this.#withEngine((lab) => inSequenceBesideEachOther(lab, 100))
				: [],
		]);
		standings.push(...slowest);
		return [
			...(standings.length > 0 ? [throughputSection(standings, this.#rounds)] : []),
			...(costs.length > 0 ? [costSection(costs)] : []),
			...(uses.length > 0 ? [planSection(uses)] : []),
		];
	}

	get #rounds(): number {
		return this.#options.rounds ?? (this.#options.quick ? 2 : 5);
	}

	async #sideBySide(): Promise<Standing[]> {
		const rounds = this.#rounds;
		return await this.#withEngine(async (lab) => {
			const everybody = [...sideBySide, ...inSequence];
			await measureThroughput({
				...lab,
				contestants: everybody,
				latenciesMs: [0],
				rounds: 1,
				sends: sendsToWarmUp,
				progress: () => {},
			});
			const race = { ...lab, raw: true, rounds };
			return [
				...(await measureThroughput({ ...race, contestants: everybody, latenciesMs: [0] })),
				...(await measureThroughput({ ...race, contestants: sideBySide, latenciesMs: [20, 100] })),
			];
		});
	}

	async #largeRuns(): Promise<Cost[]> {
		const contestants = [noOperation, thisNodeByDefault, httpRequestNode];
		return await this.#withEngine(
			async (lab) =>
				await measureLargeRuns({
					...lab,
					contestants,
					latencyMs: largeLatencyMs,
					rounds: this.#options.quick ? 1 : 2,
					sends: largeSends,
				}),
		);
	}

	async #plans(): Promise<PlanUse[]> {
		return await this.#withEngine(
			async ({ engine, progress }) =>
				await measurePlans(engine, planCases(this.#options.quick), plansAtOnce, ({ plan, share, refusals }) =>
					progress(
						`${plan.limit} per ${plan.seconds} s, ${plan.algorithm}, ${plan.visible ? 'shown' : 'not shown'}: ${percent(share)}, ${refusals} refused`,
					),
				),
		);
	}

	#has(part: PartName): boolean {
		return this.#options.parts.includes(part);
	}

	/** An engine and a server for one part, fresh, so that no part inherits the heap of another. */
	async #withEngine<T>(measure: (lab: Lab) => Promise<T>): Promise<T> {
		const server = await Loopback.start();
		try {
			const engine = await BenchEngine.start(this.#options, this.#peers);
			try {
				return await measure({ engine, server, sends, raw: false, progress: (line) => this.#say(line) });
			} finally {
				await engine.stop();
			}
		} finally {
			await server.stop();
		}
	}

	#say(line: string): void {
		const seconds = ((performance.now() - this.#began) / 1000).toFixed(0);
		console.error(`${seconds.padStart(4)} s  ${line}`);
	}
}

async function inSequenceAt(lab: Lab, latencyMs: number): Promise<Standing[]> {
	return await measureThroughput({ ...lab, contestants: inSequence, latenciesMs: [latencyMs], rounds: 1 });
}

async function inSequenceBesideEachOther(lab: Lab, latencyMs: number): Promise<Standing[]> {
	const runs = inSequence.map(async (contestant) => {
		const server = await Loopback.start();
		try {
			const own = { ...lab, server, contestants: [contestant] };
			return await measureThroughput({ ...own, latenciesMs: [latencyMs], rounds: 1 });
		} finally {
			await server.stop();
		}
	});
	return (await Promise.all(runs)).flat();
}

function planCases(quick: boolean): PlanCase[] {
	const plans = [
		{ limit: 300, seconds: 10, windows: 3 },
		{ limit: 50, seconds: 1, windows: 10 },
	];
	return plans
		.filter(({ seconds }) => !quick || seconds === 1)
		.flatMap((plan) =>
			[true, false].flatMap((visible) => [
				{ ...plan, visible, algorithm: 'fixed' as const },
				{ ...plan, visible, algorithm: 'sliding' as const },
			]),
		);
}

async function main(): Promise<void> {
	const options = readOptions(process.argv.slice(2));
	if (options === undefined) {
		console.log(usage);
		return;
	}
	const peers = findPeers();
	const sections = await new Bench(options, peers).run();
	const targets = targetTable(sections.flatMap((section) => section.targets));
	const about = [
		...describeMachine(peers, options.expressions),
		`Date: ${new Date().toISOString().slice(0, 10)}`,
	];
	const results = [
		about.map((line) => `- ${line}`).join('\n'),
		...sections.map(({ title, text, table }) => `## ${title}\n\n${text}\n\n${table}`),
		`## Targets\n\n${targets}`,
	].join('\n\n');
	console.log(results);
	if (options.write) console.error(`Written to ${await writeDocument(results)}`);
}

main().catch((error: unknown) => {
	console.error(error instanceof PeersMissing || error instanceof RangeError ? error.message : error);
	process.exitCode = 1;
});
