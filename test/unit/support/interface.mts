import { loadContract } from '../../../dev/sandbox/interface/contract.mts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';

const contract = loadContract();

/** Everything in a call that the API does not define for this endpoint; empty if the call conforms. */
export function problemsOf(id: string, { body: given, method, path, query = [] }: ApiCall): string[] {
	const body = wire(given);
	const { operationId, problems } = contract.check({
		...{ method, path, body, query: Object.fromEntries(query) },
		bodyText: body === undefined ? '' : JSON.stringify(body),
		headers: { 'x-api-key': 'acc', ...(body !== undefined && { 'content-type': 'application/json; v=1.0' }) },
	});
	return operationId === id ? problems : [`it calls ${operationId}`, ...problems];
}

/** A value after a round trip through JSON. */
export function wire(value: unknown): unknown {
	const text = JSON.stringify(value) as string | undefined;
	return text === undefined ? undefined : JSON.parse(text);
}

/** The paths in a body whose values JSON cannot represent, and would lose. */
export function unwritable(value: unknown, place = ''): string[] {
	if (value === null || typeof value === 'string' || typeof value === 'boolean') return [];
	if (typeof value === 'number') return Number.isFinite(value) ? [] : [place];
	const prototypes: unknown[] = [null, Object.prototype, Array.prototype];
	if (typeof value !== 'object' || !prototypes.includes(Object.getPrototypeOf(value))) return [place];
	return Object.entries(value).flatMap(([name, member]) => unwritable(member, `${place}/${name}`));
}
