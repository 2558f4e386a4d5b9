type Step = () => unknown;

const steps: Step[] = [];
let ending: Promise<never> | undefined;

/** Adds something to be stopped or removed when the demo ends, however it ends. */
export function atEnd(step: Step): void {
	steps.push(step);
}

/**
 * Takes all steps in reverse order and exits. The first call counts: what fails while everything is being stopped
 * is not worth a word.
 */
export function end(code: number, message?: string): Promise<never> {
	ending ??= stopAll(code, message);
	return ending;
}

async function stopAll(code: number, message: string | undefined): Promise<never> {
	if (message !== undefined) console.error(message);
	for (const step of steps.splice(0).reverse()) {
		try {
			await step();
		} catch (error) {
			console.error(`While stopping: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
	process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(signal, () => {
		if (ending === undefined) console.log('\nStopping ...');
		// Ctrl-C is how the demo is meant to end.
		void end(0);
	});
}
