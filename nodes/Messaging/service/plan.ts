import { isPlainObject } from '../fields/values';
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

/**
 * The resource plan in the body of /Me, at its top level or nested; `undefined` when there is none.
 *
 * Source: ResourcePlan of the interface (`limit` requests, `seconds` window).
 */
export function planOf(body: unknown, depth = 0): Plan | undefined {
	if (!isPlainObject(body) || depth > MAX_DEPTH) return undefined;
	const { limit, seconds } = body;
	if (isCount(limit) && isCount(seconds)) return { limit, windowMs: seconds * 1000 };
	// The key's own plan comes before one that stands deeper, in its account or organization.
	for (const member of [body.resourcePlan, ...Object.values(body)]) {
		const plan = planOf(member, depth + 1);
		if (plan !== undefined) return plan;
	}
	return undefined;
}

function isCount(value: unknown): value is number {
	return typeof value === 'number' && Number.isInteger(value) && value > 0;
}
