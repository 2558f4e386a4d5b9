/**
 * How long messages wait in n8n's real engine when a service refuses, limits, hangs or is down, and beside other lists. A
 * line for each figure. Times hold on a quiet machine.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendThrough } from '../../dev/harness/workflows.mts';
import { endsOf } from '../engine/delivery-lab.mts';
import { startEngine, type Engine, type RunHandle } from '../engine/engine.mts';
import { atMost, markdownTable, median, time, type Section, type Target } from './tables.mts';
import { type Arrival, type Plan, type Treatment, WaitsService } from './waits-service.mts';

/** A list that is not done by then is cancelled. */
const LONGEST_MS = 120_000;
const CHANNELS = Array.from({ length: 20 }, () => randomUUID());
const accept = (): Treatment => 'accept';

/** Random numbers that are the same in each run. */
function drawn(seed: number): () => number {
	let state = seed;
	return () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
}

/** What a list came to. */
interface Result {
	sent: number;
	unknown: number;
	ms: number;
}

interface List {
	count: number;
	channelOf?: (item: number) => string | undefined;
	options?: Record<string, string | number | boolean>;
	mode?: 'manual' | 'trigger';
}

/** A service, and engines that send to it with one key. */
class World {
	readonly #engines: readonly Engine[];
	readonly service: WaitsService;
	readonly #key = randomUUID();
	readonly #runs: RunHandle[] = [];
	readonly #over = new AbortController();

	constructor(engines: readonly Engine[], treat: (arrival: Arrival) => Treatment, plan?: Plan) {
		this.#engines = engines;
		this.service = new WaitsService(treat, plan);
	}

	/** Sends a list beside others, until the scenario is over. */
	begin(list: List, engine = 0): void {
		void this.send(list, engine).catch(() => {});
	}

	/** Ends everything. */
	async stop(): Promise<void> {
		this.#over.abort();
		await Promise.all(this.#runs.map((run) => run.cancel()));
		await this.service.stop();
	}

	/** Sends a list, each item to somebody else. */
	async send(
		{ channelOf = () => CHANNELS[0], count, mode, options = {} }: List,
		engine = 0,
	): Promise<Result> {
		const list = randomUUID().slice(0, 8);
		const items = Array.from({ length: count }, (_, item) => ({
			json: {
				to: `${list}-${item}@example.com`,
				text: `${list} ${item}`,
				id: `${list} ${item}`,
				channel: channelOf(item),
			},
		}));
		const began = performance.now();
		const run = this.#engines[engine]!.start({
			items,
			...(mode && { mode }),
			credential: { baseUrl: this.service.url, apiKey: this.#key },
			node: {
				parameters: sendThrough('={{ $json.channel }}', { options }),
				onError: 'continueRegularOutput',
			},
		});
		this.#runs.push(run);
		const done = new AbortController();
		const signal = AbortSignal.any([done.signal, this.#over.signal]);
		void sleep(LONGEST_MS, undefined, { signal }).then(
			() => run.cancel(),
			() => {},
		);
		const ended = await run.finished.finally(() => done.abort());
		const ms = performance.now() - began;
		const sent = [...this.service.accepted.keys()].filter((text) => text.startsWith(list)).length;
		const unknown =
			ended.main.flat().length === 0 ? NaN : endsOf(ended).filter((end) => end === 'unknown').length;
		return { sent, unknown, ms };
	}
}

/** Measures everything. Prints a line for each figure as it comes. */
export async function measureWaits(progress: (line: string) => void): Promise<Section> {
	const engines = [await startEngine(), await startEngine(), await startEngine()];
	const rows: string[][] = [];
	const targets: Target[] = [];
	const inWorld = async <T,>(
		treat: (arrival: Arrival) => Treatment,
		plan: Plan | undefined,
		play: (world: World) => Promise<T>,
	): Promise<T> => {
		const world = new World(engines, treat, plan);
		await world.service.start();
		try {
			return await play(world);
		} finally {
			await world.stop();
		}
	};
	const note = (what: string, found: string, ...wanted: Target[]): void => {
		progress(`${what}: ${found}`);
		rows.push([what, found]);
		targets.push(...wanted);
	};
	try {
		await steadyRefusals(inWorld, note);
		await besideOthers(inWorld, note);
		await limits(inWorld, note);
		await plans(inWorld, note);
		await withKeys(inWorld, note);
	} finally {
		await Promise.all(engines.map((engine) => engine.stop()));
	}
	return {
		title: "Waits, in n8n's engine",
		text: 'The service answers after 20 ms. "In doubt" are messages that may have been sent.',
		table: markdownTable(['Scenario', 'Result'], rows),
		targets,
	};
}

type InWorld = <T>(
	treat: (arrival: Arrival) => Treatment,
	plan: Plan | undefined,
	play: (world: World) => Promise<T>,
) => Promise<T>;
type Note = (what: string, found: string, ...wanted: Target[]) => void;

const shown = ({ ms, sent, unknown }: Result): string => `${sent} sent, ${unknown} in doubt, ${time(ms)}`;

async function steadyRefusals(inWorld: InWorld, note: Note): Promise<void> {
	const kinds: Array<[name: string, refusal: Treatment, mostMs: [number, number]]> = [
		['429 without a time', { status: 429 }, [10_000, 25_000]],
		['429, Retry-After: 0', { status: 429, retryAfter: 0 }, [10_000, 25_000]],
		[
			'503 problem details, Retry-After: 0',
			{ status: 503, retryAfter: 0, isProblem: true },
			[10_000, 25_000],
		],
		['503 page', 'page503', [30_000, 60_000]],
		['500', { status: 500 }, [30_000, 60_000]],
	];
	for (const [name, refusal, mostMs] of kinds) {
		for (const [n, share] of [0.1, 0.33].entries()) {
			const random = drawn(n + 1);
			await inWorld(
				() => (random() < share ? refusal : 'accept'),
				undefined,
				async (world) => {
					const result = await world.send({ count: 200 });
					const what = `200 messages, ${share * 100} % ${name}`;
					note(what, shown(result), atMost(what, result.ms, mostMs[n] ?? 0, time));
				},
			);
		}
	}
	const random = drawn(1);
	const mixed = (): Treatment => {
		const x = random();
		if (x < 0.06) return 'page503';
		if (x < 0.1) return { status: 500 };
		if (x < 0.14) return 'reset';
		return x < 0.18 ? { status: 429 } : 'accept';
	};
	await inWorld(mixed, undefined, async (world) => {
		const result = await world.send({ count: 400 });
		const what = '400 messages, 6 % 503 pages, 4 % 500, 4 % resets, 4 % 429';
		note(what, shown(result), atMost(what, result.ms, 15_000, time));
	});
}

/** The times of six single messages, one after the other, beside lists that never end. */
async function singlesBeside(world: World, bulks: number): Promise<number[]> {
	for (let bulk = 0; bulk < bulks; bulk++) world.begin({ count: 1000 });
	await sleep(2000);
	const times: number[] = [];
	for (let n = 0; n < 6; n++) {
		const { ms } = await world.send({ count: 1 });
		times.push(ms);
		await sleep(500);
	}
	return times;
}

async function besideOthers(inWorld: InWorld, note: Note): Promise<void> {
	const aloneMs = await inWorld(accept, undefined, async (world) => median(await singlesBeside(world, 0)));
	note('a single message alone', `${time(aloneMs)} in the median`);
	const cases: Array<[bulks: number, plan: Plan, mostMs: number]> = [
		[1, { limit: 20, seconds: 1 }, 100],
		[5, { limit: 20, seconds: 1 }, 310],
		[1, { limit: 60, seconds: 20 }, 50],
	];
	for (const [bulks, plan, mostMs] of cases) {
		await inWorld(accept, plan, async (world) => {
			const times = await singlesBeside(world, bulks);
			const what = `a single message beside ${bulks} bulk sends, ${plan.limit} per ${plan.seconds} s`;
			const most = `${time(median(times))} in the median, ${time(Math.max(...times))} at most`;
			note(what, most, atMost(`${what}: longer than alone`, median(times) - aloneMs, mostMs, time));
		});
	}
	await inWorld(
		({ channel }) => (channel === CHANNELS[1] ? 'hang' : 'accept'),
		undefined,
		async (world) => {
			world.begin({ count: 300, channelOf: () => CHANNELS[1], options: { timeout: 30 } });
			await sleep(1000);
			const times = [
				await world.send({ count: 1 }),
				await world.send({ count: 1 }),
				await world.send({ count: 1 }),
			];
			const what = 'a single message beside a dead channel';
			const ms = median(times.map((one) => one.ms));
			note(what, time(ms), atMost(`${what}: longer than alone`, ms - aloneMs, 20, time));
		},
	);
	const isLimited = (to: string, limited: number): boolean => {
		const item = Number(/-(\d+)@/.exec(to)?.[1]);
		return limited === 1 ? item === 150 : item % 30 === 7;
	};
	for (const limited of [1, 10]) {
		let last = 0;
		const treat = ({ now, to }: Arrival): Treatment => {
			if (isLimited(to, limited)) return { status: 429, retryAfter: 5 };
			last = now;
			return 'accept';
		};
		await inWorld(treat, undefined, async (world) => {
			const began = performance.now();
			await world.send({ count: 300, options: { maxWait: 8 } });
			const what = `${limited} of 300 recipients limited: all others within`;
			note(what, time(last - began), atMost(what, last - began, 1000, time));
		});
	}
}

async function limits(inWorld: InWorld, note: Note): Promise<void> {
	/** As nginx counts with `limit_req`, 10 a second, burst 20, nodelay. */
	let [excess, at] = [0, -Infinity];
	const nginx = ({ now }: Arrival): Treatment => {
		const left = Math.max(0, excess - (now - at) / 100);
		if (left > 20) return 'page503';
		[excess, at] = [left + 1, now];
		return 'accept';
	};
	await inWorld(nginx, undefined, async (world) => {
		const result = await world.send({ count: 300 });
		const what = '300 messages, 10 a second and a burst of 20, told with 503: in doubt';
		note(what, shown(result), atMost(what, result.unknown, 12));
	});
	let downUntil = Infinity;
	const outage = ({ now, number }: Arrival): Treatment => {
		if (number === 200) downUntil = now + 5000;
		return number >= 200 && now < downUntil ? { status: 502 } : 'accept';
	};
	await inWorld(outage, undefined, async (world) => {
		const result = await world.send({ count: 1500, channelOf: (item) => CHANNELS[item % 2] });
		const what = '5 s of 502 after 200 of 1,500 messages on two channels: in doubt';
		note(what, shown(result), atMost(what, result.unknown, 128));
	});
}

async function plans(inWorld: InWorld, note: Note): Promise<void> {
	await inWorld(accept, { limit: 100, seconds: 30 }, async (world) => {
		world.begin({ count: 110 });
		await sleep(3000);
		const what = '110 messages at 100 per 30 s: missing of 80 after 3 s';
		const missing = Math.max(0, 80 - world.service.accepted.size);
		note(what, String(missing), atMost(what, missing, 0));
	});
	for (const processes of [2, 3]) {
		await inWorld(accept, { limit: 50, seconds: 1 }, async (world) => {
			for (let n = 0; n < processes; n++) world.begin({ count: 5000 }, n);
			await sleep(10_000);
			const before = [world.service.accepted.size, world.service.refused] as const;
			await sleep(30_000);
			const used = (world.service.accepted.size - before[0]) / 1500;
			const refused = (world.service.refused - before[1]) / (used * 1500);
			const what = `${processes} processes with one plan of 50 a second`;
			const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;
			note(
				what,
				`${percent(used)} used, ${percent(refused)} refused`,
				atMost(`${what}: not used`, 1 - used, 0.15, percent),
				atMost(`${what}: refused`, refused, 0.02, percent),
			);
		});
	}
}

async function withKeys(inWorld: InWorld, note: Note): Promise<void> {
	const keyed = { onceKey: '={{ $json.id }}' };
	await inWorld(accept, undefined, async (world) => {
		note('800 messages with once keys', shown(await world.send({ count: 800, options: keyed })));
	});
	await inWorld(accept, undefined, async (world) => {
		world.begin({ count: 3000 });
		await sleep(1000);
		const { ms } = await world.send({ count: 1, options: keyed });
		const what = 'one message with a once key beside 3,000 without';
		note(what, time(ms), atMost(what, ms, 1000, time));
	});
}
