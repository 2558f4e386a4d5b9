/** The benchmark's child processes, from the child's side. */

/** A question on its way to the process. */
export interface Question<Takes = unknown> {
	id: number;
	takes: Takes;
}

/** An answer on its way back. Id 0, without a question, says that the process is ready. */
export interface Answer {
	id: number;
	gives?: unknown;
	error?: string;
}

/** Reports that this process is ready, and answers until the parent is gone. */
export function serve<Takes, Gives>(ready: unknown, answer: (takes: Takes) => Promise<Gives> | Gives): void {
	const reply = async ({ id, takes }: Question<Takes>): Promise<void> => {
		try {
			say({ id, gives: await answer(takes) });
		} catch (error) {
			say({ id, error: textOf(error) });
		}
	};
	process.on('message', (question: Question<Takes>) => void reply(question));
	process.on('disconnect', () => process.exit(0));
	say({ id: 0, gives: ready });
}

function say(message: Answer): void {
	process.send?.(message);
}

function textOf(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
