/** What takes seconds to start, and serves one test file after the other. */
import { SandboxClient } from '../dev/sandbox/client.ts';
import { spawnSandbox, type SandboxProcess, type SpawnOptions } from '../dev/sandbox/spawn.ts';

/** What the keeping environment hands on; without it, everything is started anew. */
const { keptByJest: kept } = globalThis as { keptByJest?: Map<string, unknown> };

/**
 * Gives what an earlier test file of this process of jest has left under a name, and that is then no longer there for
 * others. What is taken must be left again, or ended.
 */
export function takeKept<T>(name: string): T | undefined {
	const found = kept?.get(name) as T | undefined;
	kept?.delete(name);
	return found;
}

/**
 * Leaves something for the test files to come. It must not hold jest's process, and must end with it.
 *
 * @returns whether it is kept; otherwise it is to be ended
 */
export function leaveKept(name: string, value: unknown): boolean {
	if (kept === undefined || kept.has(name)) return false;
	kept.set(name, value);
	return true;
}

/**
 * A sandbox as it is at its start, of the first seed. Others have used it and will use it: what is needed to reach it
 * does not change, everything else is reset.
 */
export async function keptSandbox(options: SpawnOptions = {}): Promise<SandboxProcess> {
	const name = `sandbox ${JSON.stringify(options)}`;
	const sandbox = takeKept<SandboxProcess>(name) ?? (await spawnSandbox(options));
	await new SandboxClient(sandbox.control).reset(options.seed ?? 1);
	return {
		...sandbox,
		stop: async () => {
			if (!leaveKept(name, sandbox)) await sandbox.stop();
		},
	};
}
