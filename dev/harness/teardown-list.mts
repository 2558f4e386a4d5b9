type Step = () => unknown;

// jest loads its global setup and its global teardown as separate modules of one process.
const key = Symbol.for('unified-messaging.e2e.teardown');
const holder = globalThis as { [key]?: Step[] };

/** Adds a step for the end of all tests, or of the demo. */
export function onTeardown(step: Step): void {
	(holder[key] ??= []).push(step);
}

/**
 * Runs the steps in reverse order, each once.
 *
 * @throws what the first one threw that failed, after all others
 */
export async function tearDown(): Promise<void> {
	const failures: unknown[] = [];
	for (const step of holder[key]?.splice(0).reverse() ?? []) {
		try {
			await step();
		} catch (error) {
			failures.push(error);
		}
	}
	if (failures.length > 0) throw failures[0];
}

/** Jest's global teardown: stops what the global setup started, after the last test file. */
export default tearDown;
