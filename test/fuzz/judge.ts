/** What must be so whatever happens, held against what the service really got. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Run } from '../engine/run.ts';
import type { Execution, Played } from './play.ts';
import type { Fate } from './scenario.ts';
import type { Arrival } from './service.ts';

/** How an item ended, by what n8n shows. */
type End = 'done' | 'alreadySent' | 'rejected' | 'unsent' | 'unknown';

/** Whether whoever sent it knows what became of it. */
const clear: ReadonlySet<Fate['kind']> = new Set(['ok', 'odd', 'no', 'later']);
const isClear = ({ fate, isCutOff }: Arrival): boolean => clear.has(fate.kind) && !isCutOff;

/** What is wrong after an act; empty when nothing is. */
export function judge(played: Played): string[] {
	const { world, acted, executions } = played;
	const wrong = [...world.violations];
	for (const execution of executions)
		wrong.push(...repetitions(played, execution), ...order(played, execution));
	if (played.scenario.isKeyed) wrong.push(...repetitionsOfKeys(played));
	for (const execution of acted) {
		const run = execution.runs.at(-1);
		if (run === undefined || execution.runs.length < execution.begun) continue;
		const ends = endsOf(played, run, wrong);
		for (const [item, end] of ends ?? []) wrong.push(...truth(played, execution, item, end));
		if (run.status === 'error') wrong.push(...truthOfError(played, execution, run));
		if (run.status === 'canceled') wrong.push(...memory(played, execution, run));
		if (played.isLast) wrong.push(...loss(played, run, ends));
		wrong.push(...secrets(played, run));
	}
	return [...new Set(wrong)];
}

const arrivalsOf = ({ world }: Played, execution: number, item?: number): Arrival[] =>
	world.arrivals.filter(
		(arrival) => arrival.execution === execution && (item === undefined || arrival.item === item),
	);

const takenOf = (arrivals: readonly Arrival[]): Arrival[] => arrivals.filter(({ fate }) => fate.taken);

/** All requests under the once key of an item. */
function underKey({ scenario, world }: Played, key: string): Arrival[] {
	return world.arrivals.filter(({ item }) => scenario.items[item]?.key === key);
}

/** What is sent again, although nobody asked for it. */
function repetitions(played: Played, execution: Execution): string[] {
	const wrong: string[] = [];
	const byLabel = Map.groupBy(arrivalsOf(played, execution.number), ({ label }) => label);
	for (const [label, arrivals] of byLabel) {
		wrong.push(...repetitionsIn(label, arrivals, execution.resends));
		if (new Set(arrivals.map(({ packageId }) => packageId)).size > 1) {
			wrong.push(`${label} went out under several packageIds`);
		}
	}
	return wrong;
}

function repetitionsOfKeys(played: Played): string[] {
	const { scenario, executions } = played;
	const wrong: string[] = [];
	for (const key of new Set(scenario.items.map((item) => item.key))) {
		const arrivals = underKey(played, key);
		const resends = executions.some((execution) => execution.resends);
		// How a call of an n8n that was killed had ended may not have been noted yet, and is unknown then.
		const isLost = ({ execution }: Arrival): boolean =>
			played.wasKilled && executions[execution]?.isStopped === true;
		const isNoted = (arrival: Arrival): boolean => isClear(arrival) && !isLost(arrival);
		wrong.push(...repetitionsIn(`the key ${JSON.stringify(key.slice(0, 20))}`, arrivals, resends, isNoted));
		if (new Set(arrivals.map(({ packageId }) => packageId)).size > 1) {
			wrong.push(`the key ${JSON.stringify(key.slice(0, 20))} went out under several packageIds`);
		}
	}
	return wrong;
}

/**
 * What must not follow what, among requests of the same message.
 *
 * @param isKnown whether the node must know how a request ended
 */
function repetitionsIn(
	what: string,
	arrivals: readonly Arrival[],
	resends: boolean,
	isKnown: (arrival: Arrival) => boolean = isClear,
): string[] {
	const taken = takenOf(arrivals).length;
	if (taken > 1 && !resends) return [`${what} was sent ${taken} times`];
	const story = arrivals.map(({ fate, isCutOff }) => fate.kind + (isCutOff ? ' (cut off)' : '')).join(', ');
	for (const arrival of arrivals.slice(0, -1)) {
		const mayFollow = (isClear(arrival) && !arrival.fate.taken) || (resends && !isKnown(arrival));
		if (!mayFollow) return [`${what} was sent again after ${arrival.fate.kind}: ${story}`];
	}
	return [];
}

/** Messages to one recipient keep the order of the items, and don't overtake each other. */
function order(played: Played, execution: Execution): string[] {
	const { scenario } = played;
	if (scenario.options.ordering === 'none') return [];
	const wrong: string[] = [];
	// Each time that the node begins anew it may begin at the front.
	const begins = execution.begun * scenario.nodeTries;
	for (const [to, lane] of Map.groupBy(arrivalsOf(played, execution.number), (arrival) => arrival.to)) {
		const steps = lane.map(({ item }, n) => item - (lane[n - 1]?.item ?? -1));
		if (steps.filter((step) => step < 0).length > begins - 1) {
			wrong.push(`to ${to} in the order ${lane.map(({ item }) => item).join(', ')}, in ${begins} tries`);
		}
		for (const [n, arrival] of lane.entries()) {
			const next = lane[n + 1];
			const { answeredAt, isCutOff } = arrival;
			if (next === undefined || answeredAt === undefined || isCutOff) continue;
			if (next.cameAt < answeredAt) wrong.push(`${next.label} was sent while ${arrival.label} was under way`);
		}
	}
	return wrong;
}

/** How each item ended; undefined when the run gave no items. What is wrong with the items themselves is added. */
function endsOf(played: Played, run: Run, wrong: string[]): Map<number, End> | undefined {
	if (run.status !== 'success') return undefined;
	const { items } = played.scenario;
	const ends = new Map<number, End>();
	for (const [output, given] of run.main.entries()) {
		let last = -1;
		for (const item of given) {
			const index = pairOf(item);
			const end = endOf(item);
			if (ends.has(index)) wrong.push(`item ${index} left twice`);
			if (index < last) wrong.push(`item ${index} left after item ${last}`);
			if (!(index in items)) wrong.push(`an item is paired with ${index}, which is none`);
			if (run.request.workflow.nodes.some(({ onError }) => onError === 'continueErrorOutput')) {
				if ((output === 1) !== (end !== 'done' && end !== 'alreadySent'))
					wrong.push(`item ${index} left by the wrong output`);
			}
			last = index;
			ends.set(index, end);
			wrong.push(...pairing(played, item, index, end, executionOf(played, run)));
		}
	}
	if (ends.size !== items.length) wrong.push(`${ends.size} of ${items.length} items have an end`);
	return ends;
}

function executionOf({ executions }: Played, run: Run): number {
	return executions.find(({ runs }) => runs.includes(run))?.number ?? -1;
}

/** What an item says of its message is about this message. */
function pairing(
	played: Played,
	{ json }: INodeExecutionData,
	item: number,
	end: End,
	execution: number,
): string[] {
	if (end === 'alreadySent') {
		const key = played.scenario.items[item]?.key ?? '';
		const ids = underKey(played, key).map(({ packageId }) => packageId);
		return ids.includes(String(json['packageId'])) ? [] : [`item ${item} is alreadySent as another message`];
	}
	const usual = arrivalsOf(played, execution, item).findLast(
		(arrival) => arrival.fate.taken && isClear(arrival),
	);
	if (end !== 'done' || usual?.fate.kind !== 'ok') return [];
	const { text } = (json['content'] ?? {}) as { text?: string };
	const isIts = json['packageId'] === usual.packageId && text === usual.text;
	return isIts ? [] : [`item ${item} is paired with another message`];
}

function pairOf({ pairedItem }: INodeExecutionData): number {
	return typeof pairedItem === 'object' && !Array.isArray(pairedItem) ? pairedItem.item : NaN;
}

function endOf({ json, error }: INodeExecutionData): End {
	if (error !== undefined && error !== null) return 'unknown';
	const failure = json['error'] as IDataObject | undefined;
	if (failure !== undefined) return String(failure['outcome']) as End;
	return json['alreadySent'] === true ? 'alreadySent' : 'done';
}

/** Whether the end of an item is what has really become of its message. */
function truth(played: Played, execution: Execution, item: number, end: End): string[] {
	const { scenario } = played;
	const given = scenario.items[item];
	const own = arrivalsOf(played, execution.number, item);
	const label = `e${execution.number}i${item}`;
	const story =
		own.map(({ fate }) => `${fate.kind}${fate.taken ? ' (taken)' : ''}`).join(', ') || 'nothing arrived';
	const taken = takenOf(own).length;
	const key = scenario.isKeyed ? takenOf(underKey(played, given?.key ?? '')).length : 0;
	if (given?.isSendable === false && end !== 'unsent') return [`${label} can't be sent, but is ${end}`];
	switch (end) {
		case 'done':
			return taken === 0 ? [`${label} is done, but was not taken: ${story}`] : [];
		case 'alreadySent':
			return key === 0 ? [`${label} is alreadySent, but nothing was taken under its key`] : [];
		case 'rejected':
		case 'unsent':
			return taken > 0 ? [`${label} is ${end}, but was taken: ${story}`] : [];
		case 'unknown':
			return hasDoubt(played, execution, item) ? [] : [`${label} is unknown for no reason: ${story}`];
		default:
			return [`${label} ended as ${String(end)}`];
	}
}

/** Whether there is a reason for not knowing what became of an item. */
function hasDoubt(played: Played, execution: Execution, item: number): boolean {
	const { scenario, executions, hadCompany, wasKilled } = played;
	const own = arrivalsOf(played, execution.number, item);
	const theirs = scenario.isKeyed ? underKey(played, scenario.items[item]?.key ?? '') : [];
	if ([...own, ...theirs].some((arrival) => !isClear(arrival))) return true;
	// A request that is cancelled as it leaves need not arrive.
	if (execution.isStopped) return true;
	// Keys are claimed ahead: what was claimed when n8n died is in doubt. Those that
	// have a key in common wait for each other, and not for ever.
	const sharers = scenario.items.filter(({ key }) => key === scenario.items[item]?.key).length;
	return (
		scenario.isKeyed &&
		(sharers > 1 || wasKilled || hadCompany || executions.some(({ isStopped }) => isStopped))
	);
}

/** Whether the numbers in the error that ends an execution are true. */
function truthOfError(played: Played, execution: Execution, run: Run): string[] {
	const { scenario } = played;
	const { message, description, context } = run.error ?? { message: '' };
	const said = String(description ?? '');
	const number = (words: RegExp): number => Number(words.exec(said)?.[1] ?? 0);
	const wrong: string[] = [];
	const first = context?.['itemIndex'];
	if (typeof first === 'number') {
		wrong.push(...truth(played, execution, first, String(context?.['outcome']) as End));
	}
	if (!/Of \d+ items/.test(said)) return message === '' ? [...wrong, 'it failed without a word'] : wrong;
	const done = number(/(\d+) went out/) - number(/(\d+) of them before, under the same key\)/);
	const maybe = number(/(\d+) may have gone out/);
	const refused = number(/(\d+) (?:was|were) refused/);
	const unsent = number(/(\d+) (?:was|were) not sent/);
	const underKeys = number(/(\d+) of them before, under the same key\)/);
	const taken = new Set(takenOf(arrivalsOf(played, execution.number)).map(({ item }) => item)).size;
	if (done + underKeys + maybe + refused + unsent !== scenario.items.length) {
		wrong.push(`the error's numbers are not those of ${scenario.items.length} items: ${said}`);
	}
	if (taken < done || taken > done + maybe) wrong.push(`${taken} were taken, but the error says: ${said}`);
	return wrong;
}

/** Whether what n8n saved of a cancelled execution knows all that was taken. */
function memory(played: Played, execution: Execution, run: Run): string[] {
	const taken = new Set(takenOf(arrivalsOf(played, execution.number)).map(({ item }) => item)).size;
	const record = run.context?.['unifiedMessaging'] as { calls?: object } | undefined;
	const known = Object.keys(record?.calls ?? {}).length;
	return taken > known ? [`${taken} were taken, but ${known} are remembered of the cancelled execution`] : [];
}

/** In the end nothing is lost in silence: all that can be sent has been, or is unknown. */
function loss({ scenario }: Played, run: Run, ends: Map<number, End> | undefined): string[] {
	if (ends === undefined)
		return [`the last run is ${run.status} although nothing was wrong any more: ${run.error?.message}`];
	return scenario.items.flatMap(({ isSendable }, item) => {
		const end = ends.get(item);
		return isSendable === true && (end === 'rejected' || end === 'unsent')
			? [`item ${item} is ${end} although nothing was wrong any more`]
			: [];
	});
}

/** No key in what n8n saves, in any spelling that a search would find. */
function secrets({ world }: Played, run: Run): string[] {
	return world.keys.some((key) => run.saved.includes(key)) ? ['the API key stands in what n8n saved'] : [];
}
