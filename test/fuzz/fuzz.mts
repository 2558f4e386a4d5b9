/** Plays rounds of the fuzz, several at a time, and collects the findings. */
import { answerFaults } from './answers.mts';
import { Engines } from './engines.mts';
import { play } from './play.mts';
import { scenarioOf } from './scenario.mts';
import { FaultyService } from '../service/faulty-service.mts';

/** What is wrong under a seed. */
export interface Finding {
	/** `undefined` if it is not known. */
	readonly seed: number | undefined;
	readonly wrong: readonly string[];
}

/** Executions running at once: enough to keep the machine busy while some wait. */
const atOnce = 24;

/** An engine slows down with the number of rounds, so it is replaced after so many. */
const seedsOfAnEngine = 400;

/** A finding as it is printed, with the command that reproduces it. */
export function findingText({ seed, wrong }: Finding): string {
	const lines = wrong.map((each) => `  ${each}`);
	if (seed === undefined) return ['No seed is known for this:', ...lines].join('\n');
	return [`Seed ${seed}:`, ...lines, `  Again: npx node test/fuzz/main.mts --seed ${seed}`].join('\n');
}

/** The first seeds. */
export function seedsUpTo(count: number): number[] {
	return Array.from({ length: count }, (_, n) => n + 1);
}

/** Called after each seed. */
type OnEnd = (finding: Finding | undefined) => void;

/** Gives the answers of these seeds to the node. */
export async function fuzzAnswers(seeds: readonly number[], onEnd: OnEnd = () => {}): Promise<Finding[]> {
	return await findingsOf([...seeds], answerFaults, onEnd);
}

/** Plays the deliveries of these seeds. */
export async function fuzzDeliveries(seeds: readonly number[], onEnd: OnEnd = () => {}): Promise<Finding[]> {
	const service = new FaultyService();
	await service.serve();
	const findings: Finding[] = [];
	try {
		for (let from = 0; from < seeds.length; from += seedsOfAnEngine) {
			findings.push(...(await fuzzSome(seeds.slice(from, from + seedsOfAnEngine), service, onEnd)));
		}
	} finally {
		await service.stop();
	}
	// The round of a late request may be over, but its key says which one it was.
	const strays = service.strays.map((stray) => ({
		seed: seedsIn(stray)[0],
		wrong: [`a request of no round that is played: ${stray}`],
	}));
	return [...findings, ...strays];
}

async function fuzzSome(seeds: number[], service: FaultyService, onEnd: OnEnd): Promise<Finding[]> {
	const engines = await Engines.start();
	const findOne = async (seed: number): Promise<string[]> => await play(scenarioOf(seed), service, engines);
	try {
		const findings = await Promise.all(
			Array.from({ length: atOnce }, async () => await findingsOf(seeds, findOne, onEnd)),
		);
		return [
			...findings.flat(),
			...[...new Set(seedsIn(engines.log))].map((seed) => ({
				seed,
				wrong: ['the API key stands in the log of n8n'],
			})),
		];
	} finally {
		await engines.stop();
	}
}

/** The seeds whose API keys are in a text. */
function seedsIn(text: string): number[] {
	return [...text.matchAll(/acc_fuzz(\d{10})\w/g)].map(([, number]) => Number(number));
}

/** Takes one seed after the other, until none is left. */
async function findingsOf(
	seeds: number[],
	findOne: (seed: number) => Promise<string[]>,
	onEnd: OnEnd,
): Promise<Finding[]> {
	const findings: Finding[] = [];
	for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
		const wrong = await findOne(seed).catch((error: unknown) => [
			`it broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
		]);
		const finding = wrong.length > 0 ? { seed, wrong } : undefined;
		if (finding !== undefined) findings.push(finding);
		onEnd(finding);
	}
	return findings;
}
