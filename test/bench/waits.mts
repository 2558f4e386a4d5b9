/** How long a single message waits behind bulk sends with the same key, in one n8n, against the sandbox. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchServer, ReadyShipment } from './bench-server.mts';
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
/** More than are sent while the single messages are. */
const bulkMessages = 1000;
const singles = 6;
/** The plan is used as fully as by one bulk send. */
const shareOfPlan = 0.95;

/** Sends single messages at equal distances, the first right behind the bulk sends, all with one key. */
async function waitsBehind(n8n: BenchServer, { limit, lookSeconds, seconds }: Case, bulks: number) {
	const waits: number[] = [];
	const plan = { limit, seconds, algorithm: 'sliding', visible: true } as const;
	const requests = await underPlan(plan, async (target) => {
		const ready = async (shipments: number, messages: number, name: string): Promise<ReadyShipment[]> => {
			const all: ReadyShipment[] = [];
			for (let n = 0; n < shipments; n++) {
				const shipment = { ...target, messages: messagesTo(messages, `${name}-${n}`) };
				all.push(await n8n.ready(thisNodeByDefault, shipment));
			}
			return all;
		};
		const bulkSends = await ready(bulks, bulkMessages, 'bulk');
		const singleSends = await ready(singles, 1, 'single');
		const ends = Promise.allSettled(bulkSends.map(async (bulk) => await bulk.send()));
		await sleep(500);
		for (const single of singleSends) {
			const pause = sleep((lookSeconds * 1000) / singles);
			waits.push(await single.send());
			await pause;
		}
		await Promise.all(bulkSends.map(async (bulk) => await bulk.stop()));
		await ends;
	});
	const taken = requests.filter(({ accepted }) => accepted).map(({ startedMs }) => startedMs);
	const lastedMs = Math.max(...taken) - Math.min(...taken);
	const share = taken.length / limit / (lastedMs / (seconds * 1000));
	return { waits, share, refused: requests.filter(({ status }) => status === 429).length };
}

/** One run that is not measured, so that the code is compiled. */
async function warmUp(n8n: BenchServer): Promise<void> {
	const plan = { limit: 1000, seconds: 1, algorithm: 'sliding', visible: true } as const;
	await underPlan(plan, async (target) => {
		await (await n8n.ready(thisNodeByDefault, { ...target, messages: messagesTo(300) })).send();
	});
}

/** What a single message waits behind one bulk send, and behind several; only with a short plan if quick. */
export async function measureWaits(
	n8n: BenchServer,
	quick: boolean,
	progress: (line: string) => void,
): Promise<Section> {
	await warmUp(n8n);
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
