/** The child processes of benchmark and soak, from both sides. They answer one question after the other. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** An answer, or the error that took its place. */
interface Answer {
	gives?: unknown;
	error?: string;
}

/** A process that takes `Takes` and answers each with `Gives`. */
export class Child<Takes, Gives, Ready = null> {
	/** What it said when it was ready. */
	readonly ready: Promise<Ready>;

	readonly #child: ChildProcess;

	readonly #answerTimeoutMs: number;

	/**
	 * Starts a program.
	 *
	 * @param program its path below test/
	 */
	constructor(program: string, answerTimeoutMs = 60_000) {
		this.#answerTimeoutMs = answerTimeoutMs;
		this.#child = fork(join('test', program), {
			execArgv: [],
			serialization: 'advanced',
			stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
			env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
		});
		this.ready = this.#answer<Ready>();
		this.ready.catch(() => {});
	}

	async ask(takes: Takes): Promise<Gives> {
		const answer = this.#answer<Gives>();
		this.#child.send({ takes });
		return await answer;
	}

	async stop(): Promise<void> {
		if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
		const force = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
		const ended = once(this.#child, 'exit');
		if (this.#child.connected) this.#child.disconnect();
		await ended;
		clearTimeout(force);
	}

	async #answer<T>(): Promise<T> {
		const over = new AbortController();
		const signal = AbortSignal.any([over.signal, AbortSignal.timeout(this.#answerTimeoutMs)]);
		const ended = once(this.#child, 'exit', { signal }).then(() => {
			throw new Error('A process ended before it answered');
		});
		try {
			const [{ gives, error }] = (await Promise.race([once(this.#child, 'message', { signal }), ended])) as [
				Answer,
			];
			if (error !== undefined) throw new Error(error);
			return gives as T;
		} finally {
			over.abort();
			ended.catch(() => {});
		}
	}
}

/** In the child: reports that this process is ready, and answers until the parent is gone. */
export function serve<Takes, Gives>(ready: unknown, answer: (takes: Takes) => Promise<Gives> | Gives): void {
	const say = (message: Answer): void => void process.send?.(message);
	process.on('message', ({ takes }: { takes: Takes }) => {
		Promise.resolve(takes)
			.then(answer)
			.then((gives) => say({ gives }))
			.catch((error: unknown) =>
				say({ error: error instanceof Error ? String(error.stack) : String(error) }),
			);
	});
	process.on('disconnect', () => process.exit(0));
	say({ gives: ready });
}
