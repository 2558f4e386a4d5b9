/**
 * The benchmark: this node beside n8n's own nodes in real n8n servers, all sending the same messages to the same
 * servers on this machine.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { ensureN8n, type N8nInstallation } from '../../dev/harness/n8n/install.ts';
import { SetupProblem } from '../../dev/harness/n8n/node24.ts';
import { projectRoot } from '../../dev/harness/n8n/paths.ts';
import { onTeardown, tearDown } from '../../dev/harness/teardown-list.ts';
import type { ExpressionEngine } from '../engine/protocol.ts';
import { format } from '../format.ts';
import { BenchServer } from './bench-server.ts';
import {
	floorNode,
	floorNodeWithKeys,
	httpRequestNode,
	noOperation,
	thisNodeByDefault,
	thisNodeWithKeys,
	type Contestant,
} from './contestants.ts';
import { measureLargeRuns } from './large-run.ts';
import { Loopback } from './loopback.ts';
import { readOptions, usage, type BenchOptions, type PartName } from './options.ts';
import { measurePlans, type PlanCase } from './plan-share.ts';
import { costSection, floorSection, planSection, sharedPlanSection, type Section } from './sections.ts';
import { measureSharedPlan, type SharedUse } from './shared-plan.ts';
import { percent, targetTable } from './tables.ts';
import { measureThroughput, type Lab } from './throughput.ts';

const sends = 1000;
const sendsToWarmUp = 300;
const largeSends = 10_000;
const largeLatencyMs = 20;
const plansAtOnce = 2;
const serversToShare = 3;

/** One benchmark, from its start to its results. */
class Bench {
	readonly #options: BenchOptions;
	readonly #installation: N8nInstallation;
	readonly #began = performance.now();

	constructor(options: BenchOptions, installation: N8nInstallation) {
		this.#options = options;
		this.#installation = installation;
	}

	async run(): Promise<Section[]> {
		const parts: Record<PartName, () => Promise<Section>> = {
			floor: async () => await this.#floor('vm', 9),
			legacyFloor: async () => await this.#floor('legacy', 5),
			largeRun: async () => await this.#largeRuns('vm'),
			legacyLargeRun: async () => await this.#largeRuns('legacy'),
			plan: async () => await this.#plans(),
			sharedPlan: async () => await this.#sharedPlans(),
		};
		const sections: Section[] = [];
		for (const name of this.#options.parts) sections.push(await parts[name]());
		return sections;
	}

	/** Only this node and the floor, each with and without a key: close in time, since they differ by a few percent. */
	async #floor(expressions: ExpressionEngine, usualRounds: number): Promise<Section> {
		const { quick, rounds = quick ? 3 : usualRounds } = this.#options;
		const contestants = [thisNodeByDefault, thisNodeWithKeys, floorNode, floorNodeWithKeys];
		const standings = await this.#withServers(expressions, async (lab) => {
			await warmUp(lab, contestants);
			return await measureThroughput({ ...lab, contestants, latenciesMs: [0, 20, 100], rounds, sends });
		});
		return floorSection(standings, rounds, expressions);
	}

	async #largeRuns(expressions: ExpressionEngine): Promise<Section> {
		const { quick } = this.#options;
		// The HTTP Request node takes longest.
		const contestants = [noOperation, thisNodeByDefault, ...(quick ? [] : [httpRequestNode])];
		const costs = await this.#withServers(expressions, async (lab) => {
			await warmUp(
				lab,
				contestants.filter((contestant) => contestant !== noOperation),
			);
			return await measureLargeRuns({
				...lab,
				contestants,
				latencyMs: largeLatencyMs,
				rounds: quick ? 1 : 2,
				sends: largeSends,
			});
		});
		return costSection(costs, largeSends, expressions);
	}

	async #plans(): Promise<Section> {
		const { quick } = this.#options;
		const uses = await this.#withServers(
			'vm',
			async ({ n8n, progress }) =>
				await measurePlans(n8n, planCases(quick), plansAtOnce, ({ plan, share, refusals }) =>
					progress(
						`${plan.limit} per ${plan.seconds} s, ${plan.algorithm}, ${plan.visible ? 'shown' : 'not shown'}: ${percent(share)}, ${refusals} refused`,
					),
				),
		);
		return planSection(uses);
	}

	async #sharedPlans(): Promise<Section> {
		const { quick } = this.#options;
		const algorithms = quick ? (['sliding'] as const) : (['fixed', 'sliding'] as const);
		try {
			const expressions = 'vm';
			this.#say(`starting ${serversToShare} n8n`);
			const servers: BenchServer[] = [];
			for (let n = 1; n <= serversToShare; n++) {
				const log = `bench-n8n-${n}`;
				servers.push(await BenchServer.start(this.#installation, { ...this.#options, expressions, log }));
			}
			const uses: SharedUse[] = [];
			for (const algorithm of algorithms) {
				const use = await measureSharedPlan(servers, { limit: 50, seconds: 1, algorithm });
				this.#say(
					`${algorithm}, shared: ${percent(use.used)} (${use.each.map(percent).join(', ')}), ${percent(use.refused)} refused; alone again ${percent(use.alone)}`,
				);
				uses.push(use);
			}
			return sharedPlanSection(uses);
		} finally {
			await tearDown();
		}
	}

	/** An n8n and a server to send to for one part, fresh, so that no part inherits the heap of another. */
	async #withServers<T>(expressions: ExpressionEngine, measure: (lab: Lab) => Promise<T>): Promise<T> {
		const progress = (line: string): void => this.#say(line);
		try {
			progress(`starting n8n with the expression engine "${expressions}"`);
			const server = await Loopback.start();
			onTeardown(async () => await server.stop());
			const n8n = await BenchServer.start(this.#installation, { ...this.#options, expressions });
			return await measure({ n8n, server, progress });
		} finally {
			await tearDown();
		}
	}

	#say(line: string): void {
		const seconds = ((performance.now() - this.#began) / 1000).toFixed(0);
		console.error(`${seconds.padStart(4)} s  ${line}`);
	}
}

/** One unmeasured run of each, so that the code is compiled. */
async function warmUp(lab: Lab, contestants: readonly Contestant[]): Promise<void> {
	const settings = { contestants, latenciesMs: [0], rounds: 1, sends: sendsToWarmUp };
	await measureThroughput({ ...lab, ...settings, progress: () => {} });
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

let interrupted = false;

/** Stops all programs and removes all folders, however the benchmark ends. */
function tearDownOnSignals(): void {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.once(signal, () => {
			console.error('Stopping ...');
			interrupted = true;
			void tearDown().finally(() => process.exit(1));
		});
	}
}

/** The machine and the versions in one sentence each, for the document. */
function describeMachine({ node, version }: N8nInstallation): string[] {
	const [first] = cpus();
	const gigabytes = Math.round(totalmem() / 2 ** 30);
	return [
		`Machine: ${cpus().length} cores (${first?.model.trim() ?? process.arch}), ${gigabytes} GB of memory, ${process.platform} ${process.arch}`,
		`n8n ${version} on Node.js ${node.version}, with SQLite as its database`,
	];
}

/** Replaces the former results, between two markers. */
function writeDocument(results: string): string {
	const file = join(projectRoot(), 'docs', 'internals', 'benchmarks.md');
	const [begin, end] = [
		'<!-- results: written by "npm run bench -- --write" -->',
		'<!-- end of the results -->',
	];
	const before = readFileSync(file, 'utf8');
	const [from, to] = [before.indexOf(begin), before.indexOf(end)];
	if (from < 0 || to < from) throw new Error(`${file} lost the markers between which the results stand`);
	writeFileSync(file, `${before.slice(0, from)}${begin}\n\n${results}\n\n${before.slice(to)}`);
	format(file);
	return file;
}

async function main(): Promise<void> {
	const options = readOptions(process.argv.slice(2));
	if (options === undefined) {
		console.log(usage);
		return;
	}
	tearDownOnSignals();
	const installation = await ensureN8n();
	const sections = await new Bench(options, installation).run();
	const targets = targetTable(sections.flatMap((section) => section.targets));
	const about = [...describeMachine(installation), `Date: ${new Date().toISOString().slice(0, 10)}`];
	const results = [
		about.map((line) => `- ${line}`).join('\n'),
		...sections.map(({ title, text, table }) => `## ${title}\n\n${text}\n\n${table}`),
		`## Targets\n\n${targets}`,
	].join('\n\n');
	console.log(results);
	if (options.write) console.error(`Written to ${writeDocument(results)}`);
}

main().catch((error: unknown) => {
	process.exitCode = 1;
	// After an interrupt, failures only come from the stopped servers.
	if (interrupted) return;
	console.error(error instanceof SetupProblem || error instanceof RangeError ? error.message : error);
});
