import type { Clock } from '../time/clock';
import { Turns } from '../time/turns';
import type { Memory } from './memory/memory';
import { notSentAgain } from './report/not-sent';
import type { Results } from './report/results';

/**
 * Notes what an earlier try of this execution has made of items whose turn never came in this one: they have gone out,
 * or may have, all the same.
 */
export async function recallRest(memory: Memory, results: Results, clock: Clock): Promise<void> {
	if (!memory.isRepetition) return;
	const turns = new Turns(clock);
	for (const item of results.itemsWithoutEnd()) {
		if (turns.over) await turns.next();
		const remembered = memory.recall(memory.itemKey(item));
		if (remembered === undefined) continue;
		results.changes = true;
		if (remembered.underKey === true) results.noteKey(item);
		if ('json' in remembered) results.succeed([item], remembered.json, 'inEarlierTry');
		else results.holdBack({ failure: notSentAgain(remembered.failure, memory), items: [item] });
	}
}
