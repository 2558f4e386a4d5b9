/** How long a single message waits behind bulk sends with the same key, in one n8n, against the sandbox. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchServer } from './bench-server.mts';
import { messagesTo, thisNodeByDefault } from './contestants.mts';
import { underPlan } from './plans.mts';
import { atLeast, atMost, markdownTable, median, percent, type Section, time } from './tables.mts';

/** A plan, the longest that a message may wait behind so many bulk sends (if a limit was set), and how long to look. */
interface Case {
	readonly limit: number;
	readonly seconds: number;
	readonly mostMs: Readonly<Record<number, number>>;
	readonly lookSeconds: number;
}

const cases: readonly Case[] = [
	{ limit: 20, seconds: 1, mostMs: { 1: 1500, 5: 2500 }, lookSeconds: 20 },
	{ limit: 60, seconds: 20, mostMs: { 1: 4000, 5: 4000 }, lookSeconds: 60 },
	{ limit: 60, seconds: 60, mostMs: {}, lookSeconds: 90 },
];
const bulkCounts = [1, 5] as const;
const singles = 6;
/** The plan is used as fully as by one bulk send. */
const shareOfPlan = 0.95;

/** Sends single messages at equal distances, the first right behind the bulk sends, all with one key. */
async function waitsBehind(n8n: BenchServer, { limit, lookSeconds, seconds }: Case, bulks: number) {
	const waits: number[] = [];
	// The bulk sends last longer than the singles, and end.
	const messages = Math.ceil((1.2 * lookSeconds * limit) / seconds / bulks);
	const plan = { limit, seconds, algorithm: 'sliding', visible: true } as const;
	const requests = await underPlan(plan, async (target) => {
		const ready = async (count: number, name: string) =>
			await n8n.ready(thisNodeByDefault, { ...target, messages: messagesTo(count, name) });
		const all = { bulk: bulks, single: singles };
		const senders = { bulk: [] as Array<() => Promise<number>>, single: [] as Array<() => Promise<number>> };
		for (const name of ['bulk', 'single'] as const) {
			for (let n = 0; n < all[name]; n++) {
				senders[name].push(await ready(name === 'bulk' ? messages : 1, `${name}-${n}`));
			}
		}
		const ends = senders.bulk.map(async (send) => await send());
		for (const send of senders.single) {
			const pause = sleep((lookSeconds * 1000) / singles);
			waits.push(await Promise.all([sleep(500).then(send), pause]).then(([waited]) => waited));
		}
		await Promise.all(ends);
	});
	const taken = requests.filter(({ accepted }) => accepted).map(({ startedMs }) => startedMs);
	const lastedMs = Math.max(...taken) - Math.min(...taken);
	const share = taken.length / limit / (lastedMs / (seconds * 1000));
	return { waits, share, refused: requests.filter(({ status }) => status === 429).length };
}

/** What a single message waits behind one bulk send, and behind several; only with a short plan if quick. */
export async function measureWaits(
	n8n: BenchServer,
	quick: boolean,
	progress: (line: string) => void,
): Promise<Section> {
	const rows = [];
	for (const each of quick ? cases.slice(0, 1) : cases) {
		for (const bulks of bulkCounts) {
			const found = await waitsBehind(n8n, each, bulks);
			rows.push({ ...each, ...found, bulks, longest: Math.max(...found.waits) });
			progress(
				`${each.limit} per ${each.seconds} s, ${bulks} bulk sends: ${found.waits.map(time).join(', ')}`,
			);
		}
	}
	return {
		title: 'A single message behind bulk sends',
		text: `One n8n sends ${singles} single messages, one after the other, while 1 or 5 bulk sends with the same key use up its plan. The time of the node that sends a single one, by n8n's own record. The first begins half a second after the bulk sends. "Used" is the share of the plan that left, from the first request to the last.`,
		table: markdownTable(
			['Plan', 'Bulk sends', 'Median', 'Longest', 'Used', '429s'],
			rows.map(({ bulks, limit, longest, refused, seconds, share, waits }) => [
				`${limit} per ${seconds} s`,
				String(bulks),
				time(median(waits)),
				time(longest),
				percent(share),
				String(refused),
			]),
		),
		targets: rows.flatMap(({ bulks, limit, longest, mostMs, refused, seconds, share }) => {
			const name = `${limit} per ${seconds} s, behind ${bulks} bulk ${bulks === 1 ? 'send' : 'sends'}`;
			const most = mostMs[bulks];
			return [
				...(most === undefined ? [] : [atMost(`${name}: longest wait`, longest, most, time)]),
				atLeast(`${name}: used`, share, shareOfPlan),
				atMost(`${name}: refused`, refused, 0),
			];
		}),
	};
}
