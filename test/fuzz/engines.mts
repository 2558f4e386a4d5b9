/** The n8n engines that rounds run in. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine, type Engine } from '../engine/engine.mts';

/**
 * The speed-up of an engine's clock. A key's lock lasts a few seconds, and so does the wait for GET /Me that checks the
 * address: a busy machine may need them in full.
 */
export const times = { fast: 60, brisk: 2 } as const;

export type Time = keyof typeof times;

/** Engines that share one store for once keys, each started at first use. */
export class Engines {
	readonly #folder: string;
	readonly #all: Engine[] = [];
	readonly #shared = new Map<Time, Promise<Engine>>();

	private constructor(folder: string) {
		this.#folder = folder;
	}

	static async start(): Promise<Engines> {
		return new Engines(await mkdtemp(join(tmpdir(), 'messaging-fuzz-')));
	}

	/** What n8n has written to its log in all of them. */
	get log(): string {
		return this.#all.map(({ log }) => log).join('\n');
	}

	/** The engine that most rounds share. */
	async at(time: Time): Promise<Engine> {
		const engine = this.#shared.get(time) ?? this.startOwn(time);
		this.#shared.set(time, engine);
		return await engine;
	}

	/** Starts an engine for one round. */
	async startOwn(time: Time): Promise<Engine> {
		const engine = await startEngine({
			processedData: join(this.#folder, 'processed-data'),
			// The newer engine makes an isolate for each execution, which takes longer than all the rest.
			expressions: 'legacy',
			logLevel: 'info',
			fastClock: times[time],
		});
		this.#all.push(engine);
		return engine;
	}

	async stop(): Promise<void> {
		await Promise.all(this.#all.map(async (engine) => await engine.stop()));
		await rm(this.#folder, { recursive: true, force: true });
	}
}
