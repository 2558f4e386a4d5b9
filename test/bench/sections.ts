/** The results as sections of the document: the method and the figures. */
import type { ExpressionEngine } from '../engine/protocol.ts';
import type { Cost } from './large-run.ts';
import { planLatencyMs, type PlanUse } from './plan-share.ts';
import { recoverySeconds, settlingSeconds, type SharedUse } from './shared-plan.ts';
import { costTable, planTable, sharedPlanTable, throughputTable } from './tables.ts';
import { costTargets, floorTargets, planTargets, sharedPlanTargets, type Target } from './targets.ts';
import type { Standing } from './throughput.ts';

/** A part of the results. */
export interface Section {
	title: string;
	text: string;
	table: string;
	targets: Target[];
}

const engineTitles: Readonly<Record<ExpressionEngine, string>> = {
	vm: 'expressions in an isolate ("vm")',
	legacy: 'expressions in n8n itself ("legacy")',
};

/** A thousand sends beside the barest node. */
export function floorSection(
	standings: readonly Standing[],
	rounds: number,
	expressions: ExpressionEngine,
): Section {
	return {
		title: `A thousand sends, beside the floor, ${engineTitles[expressions]}`,
		text: `1,000 messages to as many recipients; address and text are expressions. The floor is the barest node that n8n allows: 128 requests at once, the credential passed along, no check, no pace, no memory. "Once key": with one on every item, an expression of its own; what that costs in any node shows the floor that reads a key. Rounds in which they take turns: ${rounds}. "Beside" is the time, or the CPU time, divided by the floor's in the same round (median of the rounds).`,
		table: throughputTable(standings),
		targets: floorTargets(standings, expressions),
	};
}

/** Ten thousand sends. */
export function costSection(costs: readonly Cost[], sends: number, expressions: ExpressionEngine): Section {
	return {
		title: `Ten thousand sends, ${engineTitles[expressions]}`,
		text: "The text and the address of every message are expressions; the server answers after 20 ms. The stall is the longest time during which n8n's event loop did not turn, so that n8n served nobody else; where it collected garbage meanwhile, that took this much of it. Heap is what n8n held at most while the node ran, above what it held before the execution, and CPU is all of n8n's process. In brackets: beside the HTTP Request node, which looks its credential up for each message. The No Operation node shows what n8n itself takes for that many items.",
		table: costTable(costs, sends),
		targets: costTargets(costs, expressions),
	};
}

/** The use of plans. */
export function planSection(uses: readonly PlanUse[]): Section {
	return {
		title: 'How much of a plan is used',
		text: `Against the sandbox, which answers after ${planLatencyMs} ms and counts each key's requests: in windows side by side (fixed) or in the window that ends now (sliding). "Used" compares with a sender that begins with a whole window's worth and wastes nothing; the question for the plan (\`/Me\`) counts. A plan that \`/Me\` does not show is found by its refusals; where a fixed window happens to begin anew early in the run, that can come out above 100 %.`,
		table: planTable(uses),
		targets: planTargets(uses),
	};
}

/** A plan that several servers share. */
export function sharedPlanSection(uses: readonly SharedUse[]): Section {
	const servers = uses[0]?.each.length ?? 0;
	return {
		title: 'One plan, several servers',
		text: `${servers} n8n servers, processes of their own that know nothing of each other, send with one key to the sandbox, which answers after ${planLatencyMs} ms. Looked at from ${settlingSeconds} seconds after the last one began until the first one is done; then the rest leaves, and the last column begins ${recoverySeconds} seconds after that.`,
		table: sharedPlanTable(uses),
		targets: sharedPlanTargets(uses),
	};
}
