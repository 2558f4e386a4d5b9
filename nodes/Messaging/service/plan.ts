import { Effort } from '../json/effort';
import { isPlainObject } from '../json/plain-object';
import { apiCall } from './api-call';

/** A key's resource plan: at most `limit` requests in any window of `windowMs` milliseconds. */
export interface Plan {
	limit: number;
	windowMs: number;
}

/** The call that shows the key in use, and with it its plan. */
export const ME = apiCall('get', '/api/v1/Me', {});

/** How deep the plan may lie: the interface does not show the body of /Me. */
const MAX_DEPTH = 4;
/** How many members of the body are looked at for it. */
const MOST_MEMBERS = 10_000;

/** The names under which a plan stands. */
const PLAN_NAMES: ReadonlySet<string> = new Set(['resourcePlan', 'plan']);

/**
 * The resource plan in the body of /Me; `undefined` when there is none. It may stand at the top level, under its name,
 * or be told by its `resourcePlanId`, at any depth up to four: `limit` and `seconds` of something else are no plan.
 *
 * Source: ResourcePlan of the interface (`limit` requests, `seconds` window).
 */
export function planOf(body: unknown): Plan | undefined {
	return planIn(body, true, 0, new Effort(MOST_MEMBERS));
}

function planIn(value: unknown, isNamed: boolean, depth: number, effort: Effort): Plan | undefined {
	if (!isPlainObject(value) || depth > MAX_DEPTH) return undefined;
	const { limit, seconds } = value;
	if ((isNamed || value.resourcePlanId !== undefined) && isCount(limit) && isCount(seconds)) {
		return { limit, windowMs: seconds * 1000 };
	}
	const names = Object.keys(value);
	effort.spend(names.length);
	if (effort.spent) return undefined;
	// The key's own plan comes before one that stands deeper, in its account or organization.
	for (const name of names.sort((one, other) => rank(one) - rank(other))) {
		const plan = planIn(value[name], PLAN_NAMES.has(name), depth + 1, effort);
		if (plan !== undefined) return plan;
	}
	return undefined;
}

function rank(name: string): number {
	return PLAN_NAMES.has(name) ? 0 : 1;
}

function isCount(value: unknown): value is number {
	return typeof value === 'number' && Number.isInteger(value) && value > 0;
}
