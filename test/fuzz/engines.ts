/** The n8n engines that rounds run in. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine, type Engine } from '../engine/engine.ts';

/** Engines that share one store for once keys. Those that few rounds need are started at first use. */
export class Engines {
	/** Used by most rounds. */
	readonly shared: Engine;
	readonly #folder: string;
	readonly #all: Engine[] = [];
	#keyed: Promise<Engine> | undefined;
	#troubled: Promise<Engine> | undefined;
	#lent: Promise<unknown> = Promise.resolve();

	private constructor(folder: string, shared: Engine) {
		this.#folder = folder;
		this.shared = shared;
		this.#all.push(shared);
	}

	/** Starts the shared one. */
	static async start(): Promise<Engines> {
		const folder = await mkdtemp(join(tmpdir(), 'messaging-fuzz-'));
		try {
			return new Engines(folder, await startOne(folder, 'fast'));
		} catch (error) {
			await rm(folder, { recursive: true, force: true });
			throw error;
		}
	}

	/** What n8n has written to its log in all of them. */
	get log(): string {
		return this.#all.map(({ log }) => log).join('\n');
	}

	/** The engine shared by rounds with once keys. */
	async keyed(): Promise<Engine> {
		return await (this.#keyed ??= this.#start('brisk'));
	}

	/** Starts an engine that may be killed. */
	async startOwn(time: Time): Promise<Engine> {
		return await this.#start(time);
	}

	/** Lends the engine whose store may be made to fail, to one round at a time. */
	async withTroubled<T>(use: (engine: Engine) => Promise<T>): Promise<T> {
		const before = this.#lent;
		const returned = Promise.withResolvers<void>();
		this.#lent = returned.promise;
		await before;
		try {
			const engine = await (this.#troubled ??= this.#start('brisk'));
			try {
				return await use(engine);
			} finally {
				await engine.troubleStore('none');
			}
		} finally {
			returned.resolve();
		}
	}

	async stop(): Promise<void> {
		await Promise.all(this.#all.map(async (engine) => await engine.stop()));
		await rm(this.#folder, { recursive: true, force: true });
	}

	async #start(time: Time): Promise<Engine> {
		const engine = await startOne(this.#folder, time);
		this.#all.push(engine);
		return engine;
	}
}

/** The speed-up of an engine's clock. A key's lock lasts a few seconds, which a busy machine may need in full. */
export const times = { fast: 60, brisk: 2 } as const;

export type Time = keyof typeof times;

async function startOne(folder: string, time: Time): Promise<Engine> {
	return await startEngine({
		processedData: join(folder, 'processed-data'),
		// The newer engine makes an isolate for each execution, which takes longer than all the rest.
		expressions: 'legacy',
		logLevel: 'info',
		fastClock: times[time],
	});
}
