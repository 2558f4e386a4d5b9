import { PathReader } from '../input/path-reader';
import { sourceOf } from '../input/source';
import { type Failure, unsent } from '../service/endings';
import { Turns } from '../shared/turns';
import type { Run } from './run';

/**
 * A failure if a run would ask one recipient twice through one channel. The first answer ends the wait, so the second
 * question could not be answered. Asking several people the same is fine.
 */
export async function askedTwice({ context, ledger, lookUps, operation }: Run): Promise<Failure | undefined> {
	const { compile, fields } = operation;
	const run = { paths: new PathReader(context), named: lookUps.named };
	const first = new Map<string, number>();
	const turns = new Turns();
	for (const item of ledger.entries.keys()) {
		if (turns.over) await turns.next();
		const caller = { callId: ledger.uuidOf(item), answerLink: '', isTool: ledger.isTool };
		let lane: string | undefined;
		try {
			({ lane } = compile(sourceOf(context, fields, item, run, () => caller)));
		} catch {
			// It fails again when it is its turn, and is reported then.
		}
		if (lane === undefined) continue;
		const other = first.get(lane);
		if (other !== undefined) return twice(other, item);
		first.set(lane, item);
	}
	return undefined;
}

function twice(one: number, other: number): Failure {
	return unsent(
		`Nobody was asked: items ${one} and ${other} ask the same recipient on the same channel`,
		'The first answer ends the wait, so only one of these questions could be answered. Put Loop Over Items with a batch size of 1 before this node, or ask, and go on, in a sub-workflow that runs once for each item.',
	);
}
