import { SetupProblem } from './node24.ts';
import type { Node24 } from './node24.ts';
import { registryProblem } from './package-manager-failures.ts';
import { runNpm } from './package-managers.ts';

/** How long the registry has for a sign of life, in milliseconds. */
export interface RegistryPatience {
	/** For the answer, once there is a connection. */
	readonly answerMs: number;
	/** For everything: npm itself puts no limit to the making of a connection. */
	readonly altogetherMs: number;
}

/** Long enough for a slow registry, short enough for whoever looks at the terminal. */
export const registryPatience: RegistryPatience = { answerMs: 8_000, altogetherMs: 9_000 };

/**
 * Makes sure that the registry that npm is configured to use can be reached, before anything big is fetched from it:
 * npm takes minutes to give up. Any answer will do, a refusal too: what it means is for the installation to say.
 *
 * @throws {SetupProblem} with one line, when nothing answers
 */
export async function requireRegistry(
	where: { cwd: string; node: Node24; log: string },
	patience: RegistryPatience = registryPatience,
): Promise<void> {
	const { answerMs, altogetherMs } = patience;
	const look = ['ping', '--fetch-retries=0', `--fetch-timeout=${answerMs}`, '--no-update-notifier'];
	const { ok, timedOut, output } = await runNpm(look, { ...where, limitMs: altogetherMs });
	if (ok) return;
	const problem = registryProblem(timedOut ? 'timeout' : output);
	if (problem !== null) {
		throw new SetupProblem(`Nothing was fetched: ${problem} The whole output is in ${where.log}`);
	}
}
