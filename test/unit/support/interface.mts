import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

import { endpointOf, schemas } from '../../../api/interface.mts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);
ajv.addVocabulary(['components', 'x-gap', 'x-gaps']);
ajv.addSchema({ $id: 'interface', components: { schemas } });

const bodyChecks = new Map<string, ValidateFunction>();

/** Everything in a call that the API does not define; empty if the call conforms. */
export function problemsOf(id: string, call: ApiCall): string[] {
	const { method, template, takesQuery, body } = endpointOf(id);
	const problems: string[] = [];
	if (call.method !== method) problems.push(`method ${call.method}`);
	if (!pathPattern(template).test(call.path)) problems.push(`path ${call.path}`);
	if (!takesQuery && call.query !== undefined) problems.push('query');
	for (const part of (call.query ?? []).flat()) {
		if (typeof part !== 'string') problems.push(`query ${String(part)}`);
	}
	if (body === undefined) return call.body === undefined ? problems : [...problems, 'body'];
	const check = bodyChecks.get(id) ?? ajv.compile({ $ref: `interface${body.$ref}` });
	bodyChecks.set(id, check);
	if (!check(wire(call.body)))
		problems.push(...(check.errors ?? []).map((error) => `body${error.instancePath} ${error.message}`));
	return problems;
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

/** Every id in a path of the API is a UUID. */
function pathPattern(template: string): RegExp {
	const uuid = '[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}';
	return new RegExp(`^${template.replace(/\{\w+\}/g, uuid)}$`);
}
