/** The targets for this node, and whether it met them. */
import type { ExpressionEngine } from '../engine/protocol.ts';
import { floorNode, thisNodeByDefault, thisNodeWithKeys } from './contestants.ts';
import { longestStall, type Cost } from './large-run.ts';
import type { PlanUse } from './plan-share.ts';
import type { SharedUse } from './shared-plan.ts';
import { percent, ratio } from './tables.ts';
import { pairedRatio, type Standing } from './throughput.ts';

/** One expectation. */
export interface Target {
	what: string;
	wanted: string;
	found: string;
	met: boolean;
}

const mostInFlight = 128;
/** The most time this node may take as a multiple of the floor's, by the server's latency in milliseconds. */
const shareOfFloor: Readonly<Record<number, number>> = { 0: 1.1, 20: 1.1, 100: 1.15 };
/** The same with a once key on every item, for any latency. */
const shareOfFloorWithKeys = 1.35;
const shareOfSeenPlan = 0.95;
const shareOfUnseenPlan = 0.85;
const longestTurnMs = 50;
const shared = { leastUsed: 0.85, leastEach: 0.2, mostRefused: 0.05, leastAlone: 0.95 };

/** Compares the time of this node, without and with a once key on every item, with that of the barest one. */
export function floorTargets(standings: readonly Standing[], expressions: ExpressionEngine): Target[] {
	const find = (name: string, latencyMs: number) =>
		standings.find((entry) => entry.name === name && entry.latencyMs === latencyMs);
	const most = Math.max(
		...standings.map(({ name, mostInFlight: own }) => (name === thisNodeByDefault.name ? own : 0)),
	);
	const bound = {
		what: `${expressions}: requests in flight`,
		wanted: `at most ${mostInFlight}`,
		found: String(most),
		met: most <= mostInFlight,
	};
	const times = Object.entries(shareOfFloor).flatMap(([latency, without]) => {
		const floor = find(floorNode.name, Number(latency));
		const limits = [
			[thisNodeByDefault, '', without],
			[thisNodeWithKeys, ' with a once key on every item', shareOfFloorWithKeys],
		] as const;
		return limits.flatMap(([contestant, how, share]) => {
			const own = find(contestant.name, Number(latency));
			if (own === undefined || floor === undefined) return [];
			const found = pairedRatio(own.durationsMs, floor.durationsMs);
			return [
				{
					what: `${expressions}: time${how} at ${latency} ms, beside the floor`,
					wanted: `at most ${ratio(share)}`,
					found: ratio(found),
					met: found <= share,
				},
			];
		});
	});
	return [...times, bound];
}

/** Compares the cost of the large run with what is expected. */
export function costTargets(costs: readonly Cost[], expressions: ExpressionEngine): Target[] {
	const own = costs.find(({ name }) => name === thisNodeByDefault.name);
	if (own === undefined) return [];
	const { longestStallMs: found } = longestStall(own.measures);
	return [
		{
			what: `${expressions}: longest turn of the event loop, large run`,
			wanted: `at most ${longestTurnMs} ms`,
			found: `${found.toFixed(0)} ms`,
			met: found <= longestTurnMs,
		},
	];
}

/** Compares the use of plans with what is expected. */
export function planTargets(uses: readonly PlanUse[]): Target[] {
	return uses.map(({ plan, share, refusals }) => {
		const least = plan.visible ? shareOfSeenPlan : shareOfUnseenPlan;
		const refused = plan.visible ? `, ${refusals} refused` : '';
		return {
			what: `${plan.limit} per ${plan.seconds} s, ${plan.algorithm} window, ${plan.visible ? 'shown' : 'not shown'}`,
			wanted: `at least ${percent(least)}${plan.visible ? ', 0 refused' : ''}`,
			found: `${percent(share)}${refused}`,
			met: share >= least && (!plan.visible || refusals === 0),
		};
	});
}

/** Compares how servers share a plan with what is expected. */
export function sharedPlanTargets(uses: readonly SharedUse[]): Target[] {
	return uses.flatMap(({ plan, each, used, refused, alone }) => {
		const name = `${each.length} servers, ${plan.limit} per ${plan.seconds} s, ${plan.algorithm} window`;
		const least = (what: string, found: number, wanted: number): Target => ({
			what: `${name}: ${what}`,
			wanted: `at least ${percent(wanted)}`,
			found: percent(found),
			met: found >= wanted,
		});
		return [
			least('used together', used, shared.leastUsed),
			least('used by each', Math.min(...each), shared.leastEach),
			{
				what: `${name}: refused`,
				wanted: `at most ${percent(shared.mostRefused)}`,
				found: percent(refused),
				met: refused <= shared.mostRefused,
			},
			least('used by the last one, alone again', alone, shared.leastAlone),
		];
	});
}
