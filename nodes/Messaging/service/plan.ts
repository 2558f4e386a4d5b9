import { isPlainObject, valueAt } from '../shared/json';
import { apiCall } from './api-call';

/** A key's resource plan: at most `limit` requests in any window of `windowMs` milliseconds. */
export interface Plan {
	limit: number;
	windowMs: number;
}

/** The call that returns the key in use with its plan. */
export const ME = apiCall('get', '/api/v1/Me', {});

/** Where the plan may be in the body of /Me, which the interface does not describe. */
const PLACES = ['resourcePlan', 'apiKey.resourcePlan'];

/**
 * The resource plan in the body of /Me; `undefined` if there is none. Without a plan, calls are not paced until the
 * service says "later".
 *
 * Source: ResourcePlan of the interface (`limit` requests, `seconds` window).
 */
export function planOf(body: unknown): Plan | undefined {
	const plan = PLACES.map((place) => valueAt(body, place)).find(isPlainObject);
	if (plan === undefined || !isCount(plan.limit) || !isCount(plan.seconds)) return undefined;
	return { limit: plan.limit, windowMs: plan.seconds * 1000 };
}

function isCount(value: unknown): value is number {
	return typeof value === 'number' && Number.isInteger(value) && value > 0;
}
