import { callSettings } from '../../../nodes/Messaging/delivery/settings.ts';
import type { ParameterSource } from '../../../nodes/Messaging/input/parameter-source.ts';
import type { Properties } from '../../../nodes/Messaging/input/parameter-types.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { valueAt } from '../../../nodes/Messaging/shared/json.ts';
import { cases, type OperationId, type Parameters } from '../../cases/index.mts';
import { sourceOf } from '../../cases/source.mts';

/** A value that stands alone: n8n refuses a function. */
const alone = (value: unknown) => (typeof value === 'function' ? undefined : value);

/** What n8n makes of an expression: an error is nothing. */
function evaluated(code: string, data: object): unknown {
	try {
		// eslint-disable-next-line @typescript-eslint/no-implied-eval
		const run = new Function('$json', '$', '$itemIndex', `return (${code});`) as (
			...values: unknown[]
		) => unknown;
		return run(data, () => ({ item: { json: data } }), 0);
	} catch {
		return undefined;
	}
}

/** A parameter as n8n resolves it: a single expression keeps its type; in a text, nothing and NaN become an empty text. */
export function resolvedBy(data: object, saved: unknown): unknown {
	if (Array.isArray(saved)) return saved.map((member) => resolvedBy(data, member));
	if (typeof saved === 'object' && saved !== null) {
		return Object.fromEntries(
			Object.entries(saved).map(([name, member]) => [name, resolvedBy(data, member)]),
		);
	}
	if (typeof saved !== 'string' || !saved.startsWith('=')) return saved;
	const parts = saved.slice(1).split(/\{\{([^]*?)\}\}/);
	const values = parts.map((part, n) => (n % 2 === 0 ? part : evaluated(part, data)));
	return values.length === 3 && values[0] === '' && values[2] === ''
		? alone(values[1])
		: values.map((value) => (Number.isNaN(value) ? '' : `${(value ?? '') as string}`)).join('');
}

/** The parameters of an item with these data, as saved in a workflow: what begins with "=" is in Expression mode. */
export function savedSource(fields: Properties, saved: Parameters, data: object = {}): ParameterSource {
	const resolved = resolvedBy(data, saved) as Parameters;
	return {
		...sourceOf(fields, resolved),
		unresolved: (path) =>
			path
				.split('.')
				.reduce<unknown>(
					(value, name) => (Array.isArray(value) ? value[Number(name)] : valueAt(value, [name])),
					saved,
				),
		resolve: (text) => resolvedBy(data, `=${text}`),
		itemFields: Object.keys(data),
	};
}

/** The body that an operation sends for parameters as saved in a workflow, for an item with these data. */
export function bodyOf(id: OperationId, saved: Parameters, data: object): unknown {
	const [resource, name] = id.split('.');
	const operation = findOperation(resource, name);
	if (operation === undefined) throw new Error(id);
	const source = savedSource(operation.fields, { ...cases[id].least.given, ...saved }, data);
	callSettings(source, operation);
	return operation.compile(source).call.body;
}
