/** The engines that rounds are played in. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine, type Engine } from '../engine/engine.ts';

/** Some engines with one store for once keys. Those that few rounds need are started when the first of them comes. */
export class Engines {
	/** The one that most rounds share. */
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

	/** The one that rounds with once keys share. */
	async keyed(): Promise<Engine> {
		return await (this.#keyed ??= this.#start('brisk'));
	}

	/** Starts one that may be killed. */
	async startOwn(time: Time): Promise<Engine> {
		return await this.#start(time);
	}

	/** Lends the one whose store may be made to fail, to one after the other. */
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

	/** Ends all that run. */
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

/** How many times as fast time goes in an engine. A key's lock is held for seconds, which a busy machine may need. */
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
