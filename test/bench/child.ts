/** The benchmark's child processes, from the parent's side. */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Answer, Question } from './serve.ts';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 5000;

interface Waiting<Gives> {
	resolve: (value: Gives) => void;
	reject: (error: Error) => void;
	timer: NodeJS.Timeout;
}

/** A process that takes `Takes` and answers each with `Gives`. */
export class Child<Takes, Gives, Ready = null> {
	/** What it said when it was ready. */
	readonly ready: Promise<Ready>;
	readonly #child: ChildProcess;
	readonly #waiting = new Map<number, Waiting<unknown>>();
	#lastId = 0;

	readonly #answerTimeoutMs: number;

	/** Starts a program of this folder. */
	constructor(program: string, answerTimeoutMs = 60_000) {
		this.#answerTimeoutMs = answerTimeoutMs;
		this.#child = fork(join('test', 'bench', program), {
			execArgv: [],
			serialization: 'advanced',
			stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
			env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
		});
		this.#child.on('message', (message: Answer) => this.#receive(message));
		this.#child.on('exit', () => this.#fail(new Error(`${program} ended before it answered`)));
		this.#child.on('error', (error) => this.#fail(error));
		// The program's first words carry the id 0.
		this.ready = this.#expect<Ready>(0, startTimeoutMs);
		this.ready.catch(() => {});
	}

	async ask(takes: Takes): Promise<Gives> {
		const id = ++this.#lastId;
		const answer = this.#expect<Gives>(id, this.#answerTimeoutMs);
		this.#child.send({ id, takes } satisfies Question<Takes>);
		return await answer;
	}

	async stop(): Promise<void> {
		if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
		await new Promise<void>((resolve) => {
			const force = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs);
			this.#child.once('exit', () => {
				clearTimeout(force);
				resolve();
			});
			if (this.#child.connected) this.#child.disconnect();
		});
	}

	async #expect<T>(id: number, timeoutMs: number): Promise<T> {
		return await new Promise<T>((resolve, reject) => {
			const timer = setTimeout(() => {
				this.#waiting.delete(id);
				reject(new Error(`A process of the benchmark did not answer within ${timeoutMs / 1000} s`));
			}, timeoutMs);
			this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, timer });
		});
	}

	#receive({ id, gives, error }: Answer): void {
		const waiting = this.#waiting.get(id);
		this.#waiting.delete(id);
		clearTimeout(waiting?.timer);
		if (error === undefined) waiting?.resolve(gives);
		else waiting?.reject(new Error(error));
	}

	#fail(error: Error): void {
		for (const { reject, timer } of this.#waiting.values()) {
			clearTimeout(timer);
			reject(error);
		}
		this.#waiting.clear();
	}
}
