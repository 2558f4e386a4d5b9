/** Whether what n8n says of an item is what has really become of it. */
import type { Run } from '../../engine/run.ts';
import type { Execution, Played } from '../play.ts';
import type { Scenario } from '../scenario.ts';
import { unnotedIn } from './store.ts';
import type { Arrival } from '../world.ts';
import type { End } from './ends.ts';
import { isClear, isSure, isWhole, madeFor, mayCount, storyOf, takenOf, thingsOf, underKey } from './seen.ts';

/** Whether the end of an item is true. */
export function truth(played: Played, execution: Execution, item: number, end: End): string[] {
	const { scenario } = played;
	const given = scenario.items[item];
	const label = `e${execution.number}i${item}`;
	const made = madeFor(played, execution.number, item);
	const story = storyOf(made);
	if (given?.isSendable === false) {
		return end === 'unsent' ? [] : [`${label} can't be sent, but is ${end}`];
	}
	if (isOtherMessage(played.scenario, item, 'surely') && end !== 'unsent') {
		return [`${label} has the key of another message, but is ${end}`];
	}
	switch (end) {
		case 'done':
			return isWhole(played, item, takenOf(made)) ? [] : [`${label} is done, but was not taken: ${story}`];
		case 'alreadySent': {
			const isSent = scenario.isKeyed && takenOf(underKey(played, given?.key ?? '')).length > 0;
			return isSent || wasCounted(played, execution, item)
				? []
				: [`${label} is alreadySent for no reason: ${story}`];
		}
		case 'rejected':
		case 'unsent':
			return isDone(played, execution, item) ? [`${label} is ${end}, but was taken: ${story}`] : [];
		case 'unknown':
			return hasDoubt(played, execution, item) ? [] : [`${label} is unknown for no reason: ${story}`];
		default:
			return [`${label} ended as ${String(end)}`];
	}
}

/** Whether an item has the once key of an item before it, and another message: then it is not sent. */
function isOtherMessage({ isKeyed, items }: Scenario, item: number, how: 'surely' | 'perhaps'): boolean {
	const own = items[item];
	if (!isKeyed || own === undefined) return false;
	const before = items
		.slice(0, item)
		.filter(({ isSendable, key }) => key === own.key && isSendable !== false);
	if (how === 'perhaps') return before.some(({ message }) => message !== own.message);
	// The first of them decides.
	const [first] = before;
	return first?.isSendable === true && own.isSendable === true && first.message !== own.message;
}

/** Whether somebody had an item count as sent, which is their word: nothing is said of whether it was taken. */
export function wasCounted(played: Played, execution: Execution, item: number): boolean {
	const { executions, scenario } = played;
	const key = scenario.items[item]?.key;
	const isCounted = scenario.isKeyed
		? executions.some((each) => scenario.items.some((other, n) => other.key === key && mayCount(each, n)))
		: mayCount(execution, item);
	return isCounted && hasDoubt(played, execution, item);
}

/** Whether it would be wrong to say that an item was not done, not even in part. */
function isDone(played: Played, execution: Execution, item: number): boolean {
	const { kind, nodeTries } = played.scenario;
	const taken = takenOf(madeFor(played, execution.number, item));
	// What may be done twice is done again by a later try, which knows only of itself; unless it was known to be done.
	const hasLaterTries = !kind.isOnceOnly && execution.begun * nodeTries > 1;
	return taken.length > 0 && (!hasLaterTries || (taken.some(isSure) && !execution.isStopped));
}

/** Whether there is a reason for not knowing what became of an item. */
function hasDoubt(played: Played, execution: Execution, item: number): boolean {
	const { scenario, executions, hadCompany, wasKilled, world } = played;
	const own = madeFor(played, execution.number, item);
	const theirs = scenario.isKeyed ? underKey(played, scenario.items[item]?.key ?? '') : [];
	if ([...own, ...theirs].some((arrival) => !isClear(arrival))) return true;
	// Of an item that takes several requests some may be done, and the rest refused.
	if (takenOf(own).length > 0 && !isWhole(played, item, takenOf(own))) return true;
	// A request that is cancelled as it leaves, or given up, need not arrive; one that broke off can't say whose it was.
	if (execution.isStopped || execution.timedOut || world.brokenOff > 0) return true;
	// Keys are claimed ahead: what was claimed when n8n died, or could not be given back, is in doubt. Those that have a
	// key in common wait for each other, and not for ever.
	const { key = '' } = scenario.items[item] ?? {};
	const sharers = scenario.items.filter((other) => other.key === key).length;
	return (
		scenario.isKeyed &&
		(sharers > 1 ||
			wasKilled ||
			hadCompany ||
			scenario.stage === 'troubled' ||
			executions.some(({ runs }) => runs.some((run) => unnotedIn(run).includes(key))) ||
			executions.some(({ isStopped, timedOut }) => isStopped || timedOut))
	);
}

/** Whether the numbers in the error that ends an execution are true. */
export function truthOfError(played: Played, execution: Execution, run: Run): string[] {
	const { isKeyed, items, kind, nodeTries } = played.scenario;
	const { message, description, context } = run.error ?? { message: '' };
	const said = String(description ?? '');
	const number = (words: RegExp): number => Number(words.exec(said)?.[1] ?? 0);
	const wrong: string[] = [];
	const first = context?.['itemIndex'];
	if (typeof first === 'number') {
		wrong.push(...truth(played, execution, first, context?.['outcome'] as End));
		wrong.push(...truthOfParts(played, execution, first, { message, description: said }));
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
	if (isPart && !said.includes('To send only the rest')) {
		wrong.push(`the error does not tell how to go on: ${said}`);
	}
	const isWarned = said.includes('would send duplicates');
	if (isPart && isWarned === isKeyed) {
		wrong.push(`the error ${isWarned ? 'warns' : 'does not warn'} of a new run: ${said}`);
	}
	// What may be done twice counts as what its newest try has made of it.
	const isOfOneTry = kind.isOnceOnly || execution.begun * nodeTries === 1;
	const sendable = items.flatMap((given, item) => (given.isSendable === false ? [] : [item]));
	const counted = sendable.filter((item) => wasCounted(played, execution, item));
	const takenFor = (item: number): Arrival[] => takenOf(madeFor(played, execution.number, item));
	const whole = sendable.filter((item) => isWhole(played, item, takenFor(item)) || counted.includes(item));
	const inPart = sendable.filter((item) => takenFor(item).length > 0);
	// Under a key that was counted as sent, it counts as sent before.
	const all = done + maybe + (counted.length > 0 ? underKeys : 0);
	if (whole.length < done || (isOfOneTry && inPart.length > all)) {
		wrong.push(`${inPart.length} were taken, ${whole.length} as a whole, but the error says: ${said}`);
	}
	return wrong;
}

/** Whether it is true what the failure of an item that takes several requests says of its entries. */
export function truthOfParts(
	played: Played,
	execution: Execution,
	item: number,
	{ message, description }: { message: string; description: string },
): string[] {
	const [words, done, total] = /(\d+) of (\d+) entries went through/.exec(message) ?? [];
	if (words === undefined) return [];
	const made = madeFor(played, execution.number, item);
	const taken = thingsOf(takenOf(made)).size;
	const isTrue =
		Number(total) === played.scenario.items[item]?.things.length && Number(done) <= taken && Number(done) > 0;
	return [
		...(isTrue ? [] : [`${taken} entries of item ${item} were taken, but its error says: ${message}`]),
		...(description.includes('Do not send this item again')
			? []
			: [`the error of item ${item}, of which a part is done, does not tell how to go on: ${description}`]),
	];
}

/** Whether whoever sees items fail is told that a new run does the others again, which went out or may have. */
export function truthOfHints({ scenario }: Played, run: Run, ends: Map<number, End> | undefined): string[] {
	const all = [...(ends ?? new Map<number, End>()).values()];
	const hasFailed = all.some((end) => end !== 'done' && end !== 'alreadySent');
	const isPart = all.length > 1 && all.some((end) => end !== 'rejected' && end !== 'unsent');
	if (scenario.isKeyed || !hasFailed || !isPart) return [];
	const isTold = run.hints.some(({ message }) => message.includes('would send duplicates'));
	return isTold ? [] : ['no hint tells that a new run does again what went out'];
}

/** Whether what n8n saved of a cancelled execution knows all that must not be done again. */
export function memory(played: Played, execution: Execution, run: Run): string[] {
	const { isKeyed, items, kind } = played.scenario;
	if (!kind.isOnceOnly) return [];
	const taken = [...items.keys()].filter((item) => {
		// That it was counted as sent is noted under its key.
		const isNotedElsewhere = isKeyed && wasCounted(played, execution, item);
		return !isNotedElsewhere && takenOf(madeFor(played, execution.number, item)).length > 0;
	}).length;
	const record = run.context?.['unifiedMessaging'] as { items?: object } | undefined;
	const known = Object.keys(record?.items ?? {}).length;
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
	const outputs = runs.at(-1)?.main.flat() ?? [];
	return scenario.items.flatMap(({ isSendable }, item) => {
		const end = ends.get(item);
		const isLeftOut = end === 'rejected' || end === 'unsent';
		if (isSendable !== true || !isLeftOut || isOtherMessage(scenario, item, 'perhaps')) return [];
		const own = outputs.find(
			({ pairedItem }) => (pairedItem as { item?: number } | undefined)?.item === item,
		);
		return [
			`item ${item} is ${end} although nothing was wrong any more: ${JSON.stringify(own?.json['error'])}`,
		];
	});
}
