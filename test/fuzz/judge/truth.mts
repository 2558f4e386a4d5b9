/** Whether what n8n says about an item is true. */
import type { Run } from '../../engine/run.mts';
import { outagesIn } from '../treatments.mts';
import type { Execution, Played } from '../executions.mts';
import type { FuzzItem } from '../messages.mts';
import type { Scenario } from '../scenario.mts';
import type { End } from './ends.mts';
import { choiceAt, isClear, madeFor, storyOf, underKey, wasTaken } from './seen.mts';

/** Whether the end of an item is true. */
export function truth(played: Played, execution: Execution, item: number, end: End): string[] {
	const given = played.scenario.items[item];
	const made = madeFor(played, execution.number, item);
	const wrong = (why: string): string[] => [
		`e${execution.number}i${item} is ${String(end)}, but ${why}: ${storyOf(made)}`,
	];
	if (given?.isSendable === false) return end === 'unsent' ? [] : wrong("can't be sent");
	switch (end) {
		case 'done':
			return wasTaken(made) ? [] : wrong('was not taken');
		case 'alreadySent':
			return wasSentBefore(played, given) || (wasCounted(played, execution, item) && mayBeInDoubt(played))
				? []
				: wrong('was neither sent nor counted as sent');
		case 'rejected':
		case 'unsent':
			return wasTaken(made) ? wrong('was taken') : [];
		case 'unknown':
			return mayBeInDoubt(played) ? [] : wrong('nothing was in doubt');
		default:
			return wrong('that is no outcome');
	}
}

/** Whether the message of an item was sent under its key, as far as the fuzz can tell messages apart. */
function wasSentBefore(played: Played, item: FuzzItem | undefined): boolean {
	const { isKeyed, items } = played.scenario;
	if (!isKeyed || item === undefined) return false;
	const same = underKey(played, item.key).filter(({ item: sent }) => !areDifferent(items[sent], item));
	return wasTaken(same);
}

/** Whether two items are surely different messages: the node may read odd values as the same. */
function areDifferent(one: FuzzItem | undefined, other: FuzzItem): boolean {
	return one?.isSendable === true && other.isSendable === true && one.message !== other.message;
}

/** Whether the user chose to count an item, or one with its key, as sent. */
function wasCounted({ executions, scenario }: Played, execution: Execution, item: number): boolean {
	const { isKeyed, items } = scenario;
	const key = items[item]?.key;
	const alike = isKeyed ? [...items.keys()].filter((other) => items[other]?.key === key) : [item];
	return (isKeyed ? executions : [execution]).some((each) =>
		each.policies.some(({ since }) => alike.some((one) => choiceAt(each, one, since) === 'countAsSent')),
	);
}

/** Whether anything was in doubt in this round: a request had no clear answer, or n8n itself was disturbed. */
function mayBeInDoubt({ executions, hadCompany, scenario, world }: Played): boolean {
	return (
		world.brokenOff > 0 ||
		world.arrivals.some((arrival) => !isClear(arrival)) ||
		executions.some(({ isStopped, timedOut }) => isStopped || timedOut) ||
		hadCompany ||
		scenario.stage === 'troubled'
	);
}

/** Whether the error that ends an execution tells the truth about the item that it names. */
export function truthOfError(played: Played, execution: Execution, { error }: Run): string[] {
	if (error === undefined || error.message === '') return ['it failed without a word'];
	const item = error.context?.['itemIndex'];
	return typeof item === 'number' ? truth(played, execution, item, error.context?.['outcome'] as End) : [];
}

/** Nothing is sent where GET /Me has shown that another program is at the address. An empty success shows nothing. */
export function misdirected({ scenario: { elsewhere }, world }: Played): string[] {
	if (elsewhere === undefined || elsewhere.status < 300) return [];
	const sent = world.arrivals.filter(({ treatment }) => treatment === elsewhere);
	return sent.map(({ label }) => `${label} was sent to a wrong address, which answers ${elsewhere.status}`);
}

/** While a channel is dead, and nothing else is wrong, messages to the others are sent. */
export function health({ brokenFrom, scenario }: Played, ends: Map<number, End> | undefined): string[] {
	const { outage, stage } = scenario;
	if (outage?.channel === undefined || stage === 'troubled' || brokenFrom !== undefined) return [];
	const isFine = ({ channel }: FuzzItem): boolean =>
		outagesIn(outage).every((each) => each.channel !== channel);
	return leftOut(scenario, ends)
		.filter((item) => isFine(scenario.items[item]!))
		.map((item) => `item ${item} is ${ends?.get(item)}, although its channel was fine`);
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
	return leftOut(scenario, ends).map(
		(item) => `item ${item} is ${ends.get(item)} although nothing was wrong any more`,
	);
}

/** The items that were not sent, although they could be. One key is for one message: another one is refused. */
function leftOut({ isKeyed, items }: Scenario, ends: Map<number, End> | undefined): number[] {
	return [...items.entries()].flatMap(([n, { isSendable, key, message }]) => {
		const end = ends?.get(n);
		const before = items.slice(0, n).filter((other) => other.isSendable !== false && other.key === key);
		const isOther = isKeyed && before.some((other) => other.message !== message);
		return isSendable === true && !isOther && (end === 'rejected' || end === 'unsent') ? [n] : [];
	});
}
