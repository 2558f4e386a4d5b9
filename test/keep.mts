/** Keeps what takes seconds to start, for reuse by later test files. */
import { SandboxClient } from '../dev/sandbox/client.mts';
import { spawnSandbox, type SandboxProcess } from '../dev/sandbox/spawn.mts';

/** Set by the keeping environment; without it, each test file starts its own. */
const { keptByJest: kept } = globalThis as { keptByJest?: Map<string, unknown> };

/**
 * Takes what an earlier test file in this jest process left under a name, and removes it from the store. The caller must
 * leave it again, or end it.
 */
export function takeKept<T>(name: string): T | undefined {
	const found = kept?.get(name) as T | undefined;
	kept?.delete(name);
	return found;
}

/**
 * Leaves something for later test files. It must not keep jest's process alive, and must end with it.
 *
 * @returns whether it is kept; otherwise the caller must end it
 */
export function leaveKept(name: string, value: unknown): boolean {
	if (kept === undefined || kept.has(name)) return false;
	kept.set(name, value);
	return true;
}

/**
 * A sandbox in its initial state with the first seed. It is reused: its address and keys stay the same, everything else
 * is reset.
 */
export async function keptSandbox(): Promise<SandboxProcess> {
	const name = 'sandbox';
	const sandbox = takeKept<SandboxProcess>(name) ?? (await spawnSandbox());
	await new SandboxClient(sandbox.control).reset(1);
	return {
		...sandbox,
		stop: async () => {
			if (!leaveKept(name, sandbox)) await sandbox.stop();
		},
	};
}
