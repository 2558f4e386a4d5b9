/** Whether what n8n says about an item is true. */
import type { Run } from '../../engine/run.mts';
import { outagesIn } from '../treatments.mts';
import type { Execution, Played } from '../executions.mts';
import type { Scenario } from '../scenario.mts';
import type { Arrival } from '../world.mts';
import type { End } from './ends.mts';
import {
	isClear,
	isSure,
	isWhole,
	madeFor,
	mayCount,
	storyOf,
	takenOf,
	thingsOf,
	underKey,
} from './seen.mts';

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
			return mayBeInDoubt(played, execution, item) ? [] : [`${label} is unknown for no reason: ${story}`];
		default:
			return [`${label} ended as ${String(end)}`];
	}
}

/** Whether an earlier item has the same once key with a different message, so that this one is not sent. */
function isOtherMessage({ isKeyed, items }: Scenario, item: number, how: 'surely' | 'perhaps'): boolean {
	const own = items[item];
	if (!isKeyed || own === undefined) return false;
	const before = items
		.slice(0, item)
		.filter(({ isSendable, key }) => key === own.key && isSendable !== false);
	if (how === 'perhaps') return before.some(({ message }) => message !== own.message);
	// The first item with the key decides which message it is for.
	const [first] = before;
	return first?.isSendable === true && own.isSendable === true && first.message !== own.message;
}

/** Whether the user chose to count an item as sent, which says nothing about whether the service accepted it. */
export function wasCounted(played: Played, execution: Execution, item: number): boolean {
	const { executions, scenario } = played;
	const key = scenario.items[item]?.key;
	const isCounted = scenario.isKeyed
		? executions.some((each) => scenario.items.some((other, n) => other.key === key && mayCount(each, n)))
		: mayCount(execution, item);
	return isCounted && mayBeInDoubt(played, execution, item);
}

/** Whether it would be wrong to say that an item was not done, not even in part. */
function isDone(played: Played, execution: Execution, item: number): boolean {
	const { kind, nodeTries } = played.scenario;
	const taken = takenOf(madeFor(played, execution.number, item));
	// A later try repeats an operation that may be repeated, unless it was known to be done, and reports only itself.
	const hasLaterTries = !kind.isOnceOnly && execution.begun * nodeTries > 1;
	return taken.length > 0 && (!hasLaterTries || (taken.some(isSure) && !execution.isStopped));
}

/** Whether an item may be in doubt: of a request for it, or under its key, the node can't know how it ended. */
function mayBeInDoubt(played: Played, execution: Execution, item: number): boolean {
	const { scenario, executions, hadCompany, wasKilled, world } = played;
	const { key = '' } = scenario.items[item] ?? {};
	const own = madeFor(played, execution.number, item);
	const theirs = scenario.isKeyed ? underKey(played, key) : [];
	if ([...own, ...theirs].some((arrival) => !isClear(arrival))) return true;
	if (takenOf(own).length > 0 && !isWhole(played, item, takenOf(own))) return true;
	// A cancelled or timed-out request may not arrive; one that broke off can't be matched to an item.
	if (execution.isStopped || execution.timedOut || world.brokenOff > 0) return true;
	// Keys are claimed ahead: a claim that was not released is in doubt, and items with the same key wait for each other,
	// but only for a limited time.
	const sharesKey = scenario.items.filter((other) => other.key === key).length > 1;
	const wasDisturbed = executions.some(({ isStopped, timedOut }) => isStopped || timedOut);
	const isTroubled = wasKilled || hadCompany || wasDisturbed || scenario.stage === 'troubled';
	return scenario.isKeyed && (sharesKey || isTroubled);
}

/** The numbers in the sentence that counts the items. */
function countsIn(sentence: string) {
	const before = (words: RegExp): number => Number(words.exec(sentence)?.[1]?.replaceAll(',', '') ?? 0);
	return {
		done: before(/([\d,]+) (?:was|were) (?:sent|done)/),
		before: before(/([\d,]+) before/),
		counted: before(/([\d,]+) only counted as sent/),
		maybe: before(/([\d,]+) may have been (?:sent|done)/),
		not: before(/([\d,]+) (?:was|were) not/),
	};
}

/** Whether the numbers in the error that ends an execution are true. */
export function truthOfError(played: Played, execution: Execution, run: Run): string[] {
	const { isKeyed, items, kind, nodeTries } = played.scenario;
	const { message, description, context } = run.error ?? { message: '' };
	if (message === '') return ['it failed without a word'];
	const said = String(description ?? '');
	const first = context?.['itemIndex'];
	const wrong =
		typeof first === 'number'
			? [
					...truth(played, execution, first, context?.['outcome'] as End),
					...truthOfParts(played, execution, first, message),
				]
			: [];
	const [counting] = /Of (?:the )?[\d,]+ items?.*?\./.exec(said) ?? [];
	if (counting === undefined) return wrong;
	const { before, counted, done, maybe, not } = countsIn(counting);
	if (done + maybe + not !== items.length) {
		wrong.push(`the error's numbers are not those of ${items.length} items: ${said}`);
	}
	// For an operation that may be repeated, the outcome of the newest try counts. What other executions sent under a key
	// counts as done before, if this one got as far as asking.
	const isOfOneTry = (kind.isOnceOnly || execution.begun * nodeTries === 1) && !isKeyed;
	const takenFor = (item: number): Arrival[] => takenOf(madeFor(played, execution.number, item));
	const whole = items.filter(
		(_, item) => isWhole(played, item, takenFor(item)) || wasCounted(played, execution, item),
	);
	const inPart = items.filter((_, item) => takenFor(item).length > 0);
	const here = done - before - (isKeyed ? counted : 0);
	if (whole.length < here || (isOfOneTry && inPart.length > done + maybe)) {
		wrong.push(`${inPart.length} were taken, ${whole.length} as a whole, but the error says: ${said}`);
	}
	return wrong;
}

/** Whether the failure of an item with several requests tells the truth about its entries. */
export function truthOfParts(played: Played, execution: Execution, item: number, message: unknown): string[] {
	const [words, done, total] = /(\d+) of (\d+) entries went through/.exec(String(message)) ?? [];
	if (words === undefined) return [];
	const taken = thingsOf(takenOf(madeFor(played, execution.number, item))).size;
	const isTrue =
		Number(total) === played.scenario.items[item]?.things.length && Number(done) <= taken && Number(done) > 0;
	return isTrue ? [] : [`${taken} entries of item ${item} were taken, but its error says: ${words}`];
}

/** Whether a cancelled execution, as n8n saved it, records everything that must not be repeated. */
export function memory(played: Played, execution: Execution, run: Run): string[] {
	const { isKeyed, items, kind } = played.scenario;
	if (!kind.isOnceOnly) return [];
	const taken = [...items.keys()].filter((item) => {
		// Counting it as sent is saved under its once key.
		const isNotedElsewhere = isKeyed && wasCounted(played, execution, item);
		return !isNotedElsewhere && takenOf(madeFor(played, execution.number, item)).length > 0;
	}).length;
	const record = run.context?.['unifiedMessaging'] as { items?: object } | undefined;
	const known = Object.keys(record?.items ?? {}).length;
	return taken > known ? [`${taken} were taken, but ${known} are remembered of the cancelled execution`] : [];
}

/** While a channel is dead, and nothing else is wrong, messages to the others are sent. */
export function health({ brokenFrom, scenario }: Played, ends: Map<number, End> | undefined): string[] {
	const { items, outage, stage } = scenario;
	if (outage?.channel === undefined || stage === 'troubled' || brokenFrom !== undefined) return [];
	return items.flatMap(({ channel, isSendable }, item) => {
		const end = ends?.get(item);
		const isFine = outagesIn(outage).every((each) => each.channel !== channel);
		const isHealthy = isSendable === true && isFine;
		const isLeftOut = isHealthy && (end === 'rejected' || end === 'unsent');
		if (!isLeftOut || isOtherMessage(scenario, item, 'perhaps')) return [];
		return [`item ${item} is ${end}, although its channel was fine`];
	});
}

/** In the end every sendable item was sent or is in doubt; none is lost silently. */
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
		const isLeftOut = isSendable === true && (end === 'rejected' || end === 'unsent');
		if (!isLeftOut || isOtherMessage(scenario, item, 'perhaps')) return [];
		return [`item ${item} is ${end} although nothing was wrong any more`];
	});
}
