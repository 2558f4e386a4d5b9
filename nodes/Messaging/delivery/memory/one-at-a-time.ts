import type { IExecuteFunctions } from 'n8n-workflow';

import { Memory } from './memory';
import { placeOf } from './place';

/** When the last of those is over that remember the same, by the identity of their memory. */
const last = new Map<string, Promise<unknown>>();

/**
 * Waits until no other run of this process remembers the same. A failed execution can be retried twice at once: nothing
 * keeps a user from choosing Retry again while the first retry is still at it. What the first one has under way, the
 * second does not know of before it has ended.
 *
 * @returns must be called when the run is over
 */
export async function oneAtATime(context: IExecuteFunctions): Promise<() => void> {
	const identity = identityOf(context);
	let end: () => void = () => {};
	if (identity === undefined) return end;
	const mine = new Promise<void>((resolve) => (end = resolve));
	const before = last.get(identity);
	const all = Promise.all([before, mine]).then(() => {
		if (last.get(identity) === all) last.delete(identity);
	});
	last.set(identity, all);
	// Who is cancelled does not wait: nothing leaves any more in that run.
	if (before !== undefined) await Promise.race([before, cancelled(context)]);
	return end;
}

function identityOf(context: IExecuteFunctions): string | undefined {
	try {
		return Memory.identityIn(placeOf(context).place);
	} catch {
		// An n8n that can't say where it keeps things has the run fail, when that looks there.
		return undefined;
	}
}

/** Settles when the execution is cancelled. */
async function cancelled(context: IExecuteFunctions): Promise<void> {
	const signal = context.getExecutionCancelSignal();
	if (signal === undefined) return await new Promise(() => {});
	if (signal.aborted) return;
	await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
