import { isPlainObject, valueAt } from '../shared/json';
import { apiCall } from './api-call';

/** A key's resource plan: at most `limit` requests in any window of `windowMs` milliseconds. */
export interface Plan {
	limit: number;
	windowMs: number;
}

/** The call that returns the key in use with its plan. */
export const ME = apiCall('get', '/api/v1/Me', {});

/** Whether the body of /Me describes the caller: an object, or a list with one. */
export function isCaller(body: unknown): boolean {
	return isPlainObject(Array.isArray(body) ? body[0] : body);
}

/**
 * The resource plan in the body of /Me; `undefined` if there is none. Without a plan, calls are not paced until the
 * service says "later".
 *
 * Source: ResourcePlan of the interface (`limit` requests, `seconds` window).
 */
export function planOf(body: unknown): Plan | undefined {
	// The interface does not describe this body.
	const plan = valueAt(body, 'resourcePlan') ?? valueAt(body, 'apiKey.resourcePlan');
	if (!isPlainObject(plan) || !isCount(plan.limit) || !isCount(plan.seconds)) return undefined;
	return { limit: plan.limit, windowMs: plan.seconds * 1000 };
}

function isCount(value: unknown): value is number {
	return typeof value === 'number' && Number.isInteger(value) && value > 0;
}
