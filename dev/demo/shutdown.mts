type Step = () => unknown;

const steps: Step[] = [];
let ending: Promise<never> | undefined;

/** Adds a clean-up step for the end of the demo. */
export function atEnd(step: Step): void {
	steps.push(step);
}

/**
 * Runs all clean-up steps in reverse order and exits. Only the first call counts: failures during the shutdown are
 * not reported.
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
		// Ctrl-C is the normal end of the demo.
		void end(0);
	});
}
