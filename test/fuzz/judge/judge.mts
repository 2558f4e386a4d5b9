/** Compares what n8n shows with what the service really received: rules that hold in every round. */
import type { Run } from '../../engine/run.mts';
import type { Played } from '../executions.mts';
import { endsOf } from './ends.mts';
import { order, repetitions, repetitionsOfKeys } from './repetitions.mts';
import { health, loss, misdirected, truth, truthOfError } from './truth.mts';

/** What is wrong after an act; empty when nothing is. */
export function judge(played: Played): string[] {
	const { world, acted, executions, scenario, shownAt } = played;
	const wrong = [...world.violations, ...misdirected(played)];
	for (const execution of executions)
		wrong.push(...repetitions(played, execution), ...order(played, execution));
	if (scenario.isKeyed) wrong.push(...repetitionsOfKeys(played));
	for (const execution of acted) {
		const run = execution.runs.at(-1);
		if (run === undefined || execution.runs.length < execution.begun) continue;
		const ends = endsOf(played, execution, run, wrong);
		for (const [item, end] of ends ?? []) {
			wrong.push(...truth(played, execution, item, end));
			const { key = '' } = scenario.items[item] ?? {};
			if (end === 'alreadySent' && !shownAt.has(key)) shownAt.set(key, world.tick());
		}
		wrong.push(...health(played, ends));
		if (run.status === 'error') wrong.push(...truthOfError(played, execution, run));
		if (played.isLast) wrong.push(...loss(played, execution, ends));
		wrong.push(...secrets(played, run));
	}
	return [...new Set(wrong)];
}

/** n8n must not save an API key. */
function secrets({ world }: Played, run: Run): string[] {
	return world.keys.some((key) => run.saved.includes(key)) ? ['the API key stands in what n8n saved'] : [];
}
