type Step = () => unknown;

// jest loads its global setup and its global teardown as separate modules of one process.
const key = Symbol.for('unified-messaging.e2e.teardown');
const holder = globalThis as { [key]?: Step[] };

/** Adds a step for the end of all tests. */
export function onTeardown(step: Step): void {
	(holder[key] ??= []).push(step);
}

/** Runs the steps in reverse order, each once. */
export async function tearDown(): Promise<void> {
	const steps = holder[key]?.splice(0).reverse() ?? [];
	for (const step of steps) await step();
}
