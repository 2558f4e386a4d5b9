/** Whether what n8n says of an item is what has really become of it. */
import type { Run } from '../../engine/run.ts';
import type { Execution, Played } from '../play.ts';
import type { Arrival } from '../world.ts';
import type { End } from './ends.ts';
import {
	aboutItem,
	arrivalsOf,
	isClear,
	isSure,
	isWhole,
	madeFor,
	storyOf,
	takenOf,
	thingsOf,
	underKey,
} from './seen.ts';

/** Whether the end of an item is true. */
export function truth(played: Played, execution: Execution, item: number, end: End): string[] {
	const { scenario } = played;
	const given = scenario.items[item];
	const label = `e${execution.number}i${item}`;
	const about = aboutItem(played, execution.number, item);
	const story = storyOf(about);
	if (given?.isSendable === false) {
		// What it names may have been done for others.
		return end === 'unsent' ? [] : [`${label} can't be sent, but is ${end}`];
	}
	switch (end) {
		case 'done':
			return isWhole(played, item, takenOf(about)) ? [] : [`${label} is done, but was not taken: ${story}`];
		case 'alreadySent':
			return takenOf(underKey(played, given?.key ?? '')).length === 0
				? [`${label} is alreadySent, but nothing was taken under its key`]
				: [];
		case 'rejected':
		case 'unsent':
			return isDone(played, execution, item, end) ? [`${label} is ${end}, but was taken: ${story}`] : [];
		case 'unknown':
			return hasDoubt(played, execution, item) ? [] : [`${label} is unknown for no reason: ${story}`];
		default:
			return [`${label} ended as ${String(end)}`];
	}
}

/** Those of the requests for an item that the node must know of, if it says how the item ended. */
function knownFor(played: Played, execution: Execution, item: number, end: End): Arrival[] {
	const { items, nodeTries } = played.scenario;
	const made = madeFor(played, execution.number, item);
	const isBroken = played.brokenFrom !== undefined && item >= played.brokenFrom;
	if (end !== 'unsent' || !(items[item]?.asksFirst === true || isBroken)) return made;
	// What could not be read of it, or looked up, others may have known: they did in this try what it wants as well.
	return nodeTries > 1 ? [] : made.filter(({ cameAt }) => cameAt < execution.beganAt);
}

/** Whether it would be wrong to say that an item was not done. */
function isDone(played: Played, execution: Execution, item: number, end: End): boolean {
	const { kind, nodeTries } = played.scenario;
	const taken = takenOf(knownFor(played, execution, item, end));
	if (isWhole(played, item, taken)) {
		// What may be done twice is done again by a later try, which knows only of itself; unless it was known to be done.
		const hasLaterTries = !kind.isOnceOnly && execution.begun * nodeTries > 1;
		return !hasLaterTries || (taken.some(isSure) && !execution.isStopped);
	}
	// Of several things that it wants some may have been done, but of each of these that is known.
	const known = thingsOf(taken.filter(isClear));
	return [...thingsOf(taken)].some(
		(thing) => !known.has(thing) && played.scenario.items[item]?.things.includes(thing),
	);
}

/** Whether there is a reason for not knowing what became of an item. */
function hasDoubt(played: Played, execution: Execution, item: number): boolean {
	const { scenario, executions, hadCompany, wasKilled, world } = played;
	const own = aboutItem(played, execution.number, item);
	const theirs = scenario.isKeyed ? underKey(played, scenario.items[item]?.key ?? '') : [];
	if ([...own, ...theirs].some((arrival) => !isClear(arrival))) return true;
	// A request that is cancelled as it leaves, or given up, need not arrive; one that broke off can't say whose it was.
	if (execution.isStopped || execution.timedOut || world.brokenOff > 0) return true;
	// What could not be looked up in a later try may have been done by an earlier one.
	if (scenario.kind.sharesCalls && execution.begun * scenario.nodeTries > 1) return true;
	// Keys are claimed ahead: what was claimed when n8n died, or could not be given back, is in doubt. Those that have a
	// key in common wait for each other, and not for ever.
	const sharers = scenario.items.filter(({ key }) => key === scenario.items[item]?.key).length;
	return (
		scenario.isKeyed &&
		(sharers > 1 ||
			wasKilled ||
			hadCompany ||
			scenario.stage === 'troubled' ||
			executions.some(({ isStopped, timedOut }) => isStopped || timedOut))
	);
}

/** Whether the numbers in the error that ends an execution are true. */
export function truthOfError(played: Played, execution: Execution, run: Run): string[] {
	const { items, kind, nodeTries } = played.scenario;
	const { message, description, context } = run.error ?? { message: '' };
	const said = String(description ?? '');
	const number = (words: RegExp): number => Number(words.exec(said)?.[1] ?? 0);
	const wrong: string[] = [];
	const first = context?.['itemIndex'];
	if (typeof first === 'number') {
		wrong.push(...truth(played, execution, first, context?.['outcome'] as End));
	}
	if (!/Of \d+ items/.test(said)) return message === '' ? [...wrong, 'it failed without a word'] : wrong;
	const underKeys = number(/(\d+) of them before, under the same key\)/);
	const done = number(/(\d+) went out/) - underKeys;
	const maybe = number(/(\d+) may have gone out/);
	const refused = number(/(\d+) (?:was|were) refused/);
	const unsent = number(/(\d+) (?:was|were) not sent/);
	if (done + underKeys + maybe + refused + unsent !== items.length) {
		wrong.push(`the error's numbers are not those of ${items.length} items: ${said}`);
	}
	const isPart = items.length > 1 && done + underKeys + maybe > 0;
	if (isPart && !said.includes('it sends only what has not gone out')) {
		wrong.push(`the error does not tell how to go on: ${said}`);
	}
	// What may be done twice counts as what its newest try has made of it.
	const isOfOneTry = kind.isOnceOnly || execution.begun * nodeTries === 1;
	const sendable = items.flatMap((given, item) => (given.isSendable === false ? [] : [item]));
	const taken = sendable.filter((item) =>
		isWhole(played, item, takenOf(aboutItem(played, execution.number, item))),
	);
	const own = sendable.filter((item) =>
		isWhole(played, item, takenOf(knownFor(played, execution, item, 'unsent'))),
	);
	if (taken.length < done || (isOfOneTry && own.length > done + maybe)) {
		wrong.push(`${taken.length} were taken, ${own.length} of them for sure, but the error says: ${said}`);
	}
	return wrong;
}

/** Whether whoever sees items fail is told that a new run does the others again, which went out or may have. */
export function truthOfHints({ scenario }: Played, run: Run, ends: Map<number, End> | undefined): string[] {
	const all = [...(ends ?? new Map<number, End>()).values()];
	const hasFailed = all.some((end) => end !== 'done' && end !== 'alreadySent');
	const isPart = all.includes('done') || all.includes('unknown');
	if (scenario.isKeyed || !hasFailed || !isPart) return [];
	const isTold = run.hints.some(({ message }) => message.includes('A new run sends all'));
	return isTold ? [] : ['no hint tells that a new run does again what went out'];
}

/** Whether what n8n saved of a cancelled execution knows all that must not be done again. */
export function memory(played: Played, execution: Execution, run: Run): string[] {
	if (!played.scenario.kind.isOnceOnly) return [];
	const taken = thingsOf(takenOf(arrivalsOf(played, execution.number))).size;
	const record = run.context?.['unifiedMessaging'] as { calls?: object } | undefined;
	const known = Object.keys(record?.calls ?? {}).length;
	return taken > known ? [`${taken} were taken, but ${known} are remembered of the cancelled execution`] : [];
}

/** In the end nothing is lost in silence: all that can be sent has been, or is unknown. */
export function loss(
	{ scenario }: Played,
	{ runs }: Execution,
	ends: Map<number, End> | undefined,
): string[] {
	if (ends === undefined) {
		const story = runs.map(({ status, error }) => `${status} (${error?.message ?? 'no error'})`).join(', ');
		return [`the last run failed although nothing was wrong any more: ${story}`];
	}
	return scenario.items.flatMap(({ isSendable }, item) => {
		const end = ends.get(item);
		return isSendable === true && (end === 'rejected' || end === 'unsent')
			? [`item ${item} is ${end} although nothing was wrong any more`]
			: [];
	});
}
