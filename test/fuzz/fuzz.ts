/** Plays rounds of the fuzz, several at a time, and collects the findings. */
import { answerTrial, type Trial } from './answers.ts';
import { Engines } from './engines.ts';
import { judge } from './judge/judge.ts';
import { play } from './play.ts';
import { scenarioOf } from './scenario.ts';
import { FuzzService } from './service.ts';

/** A seed under which something is wrong. */
export interface Finding {
	readonly seed: number;
	readonly wrong: readonly string[];
}

/** Executions running at once: enough to keep the machine busy while some wait. */
const atOnce = 24;

/** An engine slows down with the number of rounds, so it is replaced after so many. */
const seedsOfAnEngine = 400;

/** How to repeat a seed. */
export function commandFor(seed: number): string {
	return `npm run fuzz -- --seed ${seed}`;
}

/** A finding as it is printed, with the command that reproduces it. */
export function findingText({ seed, wrong }: Finding): string {
	return [`Seed ${seed}:`, ...wrong.map((each) => `  ${each}`), `  Again: ${commandFor(seed)}`].join('\n');
}

/** Seeds in a row. */
export function seedsFrom(from: number, count: number): number[] {
	return Array.from({ length: count }, (_, n) => from + n);
}

/**
 * Gives the answers of these seeds to the node.
 *
 * @param onEnd called after each seed
 * @param watch runs the node and reports turns that took too long
 */
export async function fuzzAnswers(
	seeds: readonly number[],
	onEnd: (finding: Finding | undefined) => void = () => {},
	watch: Watch = async (run) => ({ made: await run(), slow: [] }),
): Promise<Finding[]> {
	const findings: Finding[] = [];
	for (const seed of seeds) {
		const wrong = await tried(answerTrial(seed), watch).catch(broken);
		const finding = wrong.length > 0 ? { seed, wrong } : undefined;
		if (finding !== undefined) findings.push(finding);
		onEnd(finding);
	}
	return findings;
}

type Watch = <T>(run: () => Promise<T>) => Promise<{ made: T; slow: string[] }>;

async function tried(trial: Trial, watch: Watch): Promise<string[]> {
	const { made, slow } = await watch(async () => await trial.run());
	return [...trial.wrong(made), ...slow];
}

/** The finding for a round that threw. */
function broken(error: unknown): string[] {
	return [`it broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}

/**
 * Plays the deliveries of these seeds.
 *
 * @param onEnd called after each seed
 */
export async function fuzzDeliveries(
	seeds: readonly number[],
	onEnd: (finding: Finding | undefined) => void = () => {},
): Promise<Finding[]> {
	const service = new FuzzService();
	await service.start();
	const findings: Finding[] = [];
	try {
		for (let from = 0; from < seeds.length; from += seedsOfAnEngine) {
			const some = seeds.slice(from, from + seedsOfAnEngine);
			findings.push(...(await fuzzSome(some, service, onEnd)));
		}
	} finally {
		await service.stop();
	}
	if (service.strays.length > 0) {
		findings.push({
			seed: seeds[0] ?? 0,
			wrong: service.strays.map((stray) => `nobody's request: ${stray}`),
		});
	}
	return findings;
}

async function fuzzSome(
	seeds: readonly number[],
	service: FuzzService,
	onEnd: (finding: Finding | undefined) => void,
): Promise<Finding[]> {
	const engines = await Engines.start();
	const findings: Finding[] = [];
	const waiting = [...seeds];
	const next = async (): Promise<void> => {
		for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
			const scenario = scenarioOf(seed);
			const wrong = await play(scenario, { service, engines }, judge).catch(broken);
			const finding = wrong.length > 0 ? { seed, wrong } : undefined;
			if (finding !== undefined) findings.push(finding);
			onEnd(finding);
		}
	};
	try {
		await Promise.all(Array.from({ length: atOnce }, next));
		for (const [, number] of new Set(engines.log.matchAll(/acc_fuzz(\d{10})\w/g))) {
			findings.push({ seed: Number(number), wrong: ['the API key stands in the log of n8n'] });
		}
	} finally {
		await engines.stop();
	}
	return findings;
}
