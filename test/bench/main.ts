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
	type Contestant,
} from './contestants.ts';
import { writeDocument } from './document.ts';
import { measureLargeRuns } from './large-run.ts';
import { Loopback } from './loopback.ts';
import { describeMachine } from './machine.ts';
import { readOptions, usage, type BenchOptions, type PartName } from './options.ts';
import { findPeers, PeersMissing, type Peers } from './peers.ts';
import { measurePlans, planLatencyMs, type PlanCase } from './plan-share.ts';
import { percent } from './statistics.ts';
import { costTable, planTable, targetTable, throughputTable } from './tables.ts';
import { costTargets, planTargets, throughputTargets, type Target } from './targets.ts';
import { measureThroughput, type Standing, type ThroughputSettings } from './throughput.ts';

const sends = 1000;
const sendsToWarmUp = 300;
const latenciesMs = [0, 20, 100];
const largeSends = 10_000;
const largeLatencyMs = 20;
const sideBySide = [thisNodeByDefault, httpRequestNode, httpRequestNodeWithHeader];
const inSequence = [thisNodeOneAtATime, telegramNode];

/** A part of the results: a heading, what was done, and the table. */
interface Section {
	title: string;
	text: string;
	table: string;
	targets: Target[];
}

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
		const { parts } = this.#options;
		const sections: Section[] = [];
		if (parts.includes('throughput') || parts.includes('oneAtATime')) {
			sections.push(await this.#throughput());
		}
		if (parts.includes('largeRun')) sections.push(await this.#largeRun());
		if (parts.includes('plan')) sections.push(await this.#plans());
		return sections;
	}

	async #throughput(): Promise<Section> {
		const { quick } = this.#options;
		const rounds = this.#options.rounds ?? (quick ? 2 : 5);
		const standings = await this.#withEngine(async (settings) => {
			const found: Standing[] = [];
			if (this.#has('throughput')) {
				const warmUp = { ...settings, contestants: [...sideBySide, ...inSequence], raw: true };
				await measureThroughput({
					...warmUp,
					latenciesMs: [0],
					rounds: 1,
					sends: sendsToWarmUp,
					progress: () => {},
				});
				const race = { ...settings, raw: true, rounds };
				found.push(
					...(await measureThroughput({
						...race,
						contestants: [...sideBySide, ...inSequence],
						latenciesMs: [0],
					})),
					...(await measureThroughput({
						...race,
						contestants: sideBySide,
						latenciesMs: latenciesMs.filter((latencyMs) => latencyMs > 0),
					})),
				);
			}
			if (this.#has('oneAtATime')) {
				found.push(...(await this.#inSequence(settings, 20)));
				// These wait nearly all of their time: beside each other they take no longer.
				if (!quick) found.push(...(await this.#inSequenceBesideEachOther(settings, 100)));
			}
			return found.sort((one, other) => one.latencyMs - other.latencyMs);
		});
		return {
			title: 'A thousand sends',
			text: `${sends.toLocaleString('en-US')} messages to as many recipients; the address is an expression. Contestants take turns for ${rounds} rounds; those that send one message after the other run once at 20 and at 100 ms. "Beside HTTP Request" is the time divided by the HTTP Request node's in the same round (median of the rounds): below 1 is faster. The HTTP Request node sends everything at once, with the key in the same credential as this node; a second row shows it with the key written into a header, which saves it three looks at the credential for each message.`,
			table: throughputTable(standings),
			targets: throughputTargets(standings),
		};
	}

	async #inSequence(settings: ThroughputSettings, latencyMs: number): Promise<Standing[]> {
		return await measureThroughput({
			...settings,
			contestants: inSequence,
			raw: false,
			latenciesMs: [latencyMs],
			rounds: 1,
		});
	}

	async #inSequenceBesideEachOther(settings: ThroughputSettings, latencyMs: number): Promise<Standing[]> {
		const runs = inSequence.map(async (contestant: Contestant) => {
			const server = await Loopback.start();
			try {
				const alone = { ...settings, server, contestants: [contestant], raw: false };
				return await measureThroughput({ ...alone, latenciesMs: [latencyMs], rounds: 1 });
			} finally {
				await server.stop();
			}
		});
		return (await Promise.all(runs)).flat();
	}

	async #largeRun(): Promise<Section> {
		const rounds = this.#options.quick ? 1 : 2;
		const costs = await this.#withEngine(
			async ({ engine, server, progress }) =>
				await measureLargeRuns({
					engine,
					server,
					contestants: [noOperation, thisNodeByDefault, httpRequestNode],
					latencyMs: largeLatencyMs,
					rounds,
					sends: largeSends,
					progress,
				}),
		);
		return {
			title: 'Ten thousand sends with expressions',
			text: `${largeSends.toLocaleString('en-US')} messages whose text and address are expressions, to a server that answers after ${largeLatencyMs} ms; ${rounds} rounds. The stall is the longest time in any round during which n8n's event loop did not turn, so that n8n served nobody else; heap is what the run needed on top of what n8n held before, and CPU is all of the process. In brackets: beside the HTTP Request node. The No Operation node shows what n8n itself takes for that many items.`,
			table: costTable(costs, largeSends),
			targets: costTargets(costs),
		};
	}

	async #plans(): Promise<Section> {
		const cases = planCases(this.#options.quick);
		const uses = await this.#withEngine(
			async ({ engine, progress }) =>
				await measurePlans(engine, cases, 2, ({ plan, share, refusals }) =>
					progress(
						`${plan.limit} per ${plan.seconds} s, ${plan.algorithm}, ${plan.visible ? 'shown' : 'not shown'}: ${percent(share)}, ${refusals} refused`,
					),
				),
		);
		return {
			title: 'How much of a plan is used',
			text: `Against the sandbox, which answers after ${planLatencyMs} ms and counts each key's requests: in windows side by side (fixed) or in the window that ends now (sliding). "Used" compares with a sender that begins with a whole window's worth and wastes nothing; the question for the plan (\`/Me\`) counts. A plan that \`/Me\` does not show is found by its refusals.`,
			table: planTable(uses),
			targets: planTargets(uses),
		};
	}

	#has(part: PartName): boolean {
		return this.#options.parts.includes(part);
	}

	/** An engine and a server for one part, fresh, so that no part inherits the heap of another. */
	async #withEngine<T>(measure: (settings: ThroughputSettings) => Promise<T>): Promise<T> {
		const server = await Loopback.start();
		try {
			const engine = await BenchEngine.start(this.#options, this.#peers);
			try {
				return await measure({
					engine,
					server,
					contestants: [],
					raw: false,
					latenciesMs: [],
					rounds: 1,
					sends,
					progress: (line) => this.#say(line),
				});
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
	const about = [...describeMachine(peers), `Date: ${new Date().toISOString().slice(0, 10)}`];
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
