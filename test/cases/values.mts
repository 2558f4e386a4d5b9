/** Building blocks of the cases. */
import type { ApiCall } from '../../nodes/Messaging/service/api-call.ts';
import type { World } from '../../dev/harness/world.mts';
import type {
	ExpectedRequest,
	OperationCase,
	Parameters,
	Prepared,
	Refusal,
	Reply,
	Sample,
} from './case.mts';

/** UUIDs that are easy to tell apart. */
export const ids = {
	channel: 'c0c0c0c0-0000-4000-8000-000000000001',
	account: 'aaaaaaaa-0000-4000-8000-000000000002',
	organization: '0a0a0a0a-0000-4000-8000-000000000003',
	provider: 'b0b0b0b0-0000-4000-8000-000000000004',
	entry: 'e0e0e0e0-0000-4000-8000-000000000005',
	otherEntry: 'e0e0e0e0-0000-4000-8000-000000000006',
	key: 'f0f0f0f0-0000-4000-8000-000000000007',
	package: 'dadadada-0000-4000-8000-000000000008',
	feedback: 'fbfbfbfb-0000-4000-8000-000000000009',
	/** The id that a run gives an item. */
	call: 'ca11ca11-0000-5000-8000-00000000000a',
} as const;

/** The answer link that a run gives an item. */
export const ANSWER_LINK = 'https://n8n.example/webhook-waiting/7?signature=0f/node&question=abc';

/** An id in a locator that was typed in or comes from an expression. */
export function byId<Value>(value: Value) {
	return { __rl: true, mode: 'id', value } as const;
}

/** An id in a locator that was picked from the list. */
export function fromList<Value>(value: Value) {
	return { __rl: true, mode: 'list', value, cachedResultName: 'Support Inbox' } as const;
}

/** A parameter that an AI agent's model fills in. */
export function fromAI(name: string, about: string, type = 'string'): string {
	return `={{ $fromAI('${name}', '${about}', '${type}') }}`;
}

/** Any UUID, in lower case as the node and the sandbox make them. */
export function anyUuid(): unknown {
	return expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
}

/** Output items with these fields, each paired with its input item. */
export function paired(...jsons: readonly object[]): Prepared['output'] {
	return jsons.map((json, item) => ({ json, pairedItem: { item } }));
}

/**
 * Values that an operation refuses in a field.
 *
 * @param at the parameter, such as `additionalFields.priority`, or the parameters that hold a value
 */
export function refuses(
	field: string,
	at: string | ((value: unknown) => Parameters),
	...values: readonly unknown[]
): Refusal {
	return { field, at: typeof at === 'string' ? (value) => nested(at.split('.'), value) : at, values };
}

function nested([name = '', ...inside]: readonly string[], value: unknown): Parameters {
	return { [name]: inside.length === 0 ? value : nested(inside, value) };
}

/** A scenario's request: its method, and unless it has one of its own, its path are those of the case. */
type RequestParts = Pick<ExpectedRequest, 'query' | 'body'> & { readonly path?: string };
type PreparedParts = Omit<Prepared, 'requests'> & { readonly requests: readonly RequestParts[] };

/** Ways to use an operation, by title. */
export type Scenarios = Readonly<Record<string, (world: World) => PreparedParts | Promise<PreparedParts>>>;

/** The parts of a case that differ from one operation to the next. */
type CaseParts = Partial<Omit<OperationCase, 'reply' | 'scenarios'>> & {
	/** The minimal parameters, and all that its call can carry; with the call's body or query. */
	calls: Record<'least' | 'most', { given: Parameters } & Pick<ApiCall, 'body' | 'lists' | 'query'>>;
	reply?: Partial<Reply>;
	scenarios: Scenarios;
};

/** A case whose calls have this method and path; parts that are left out are empty. */
export function operationCase(
	method: ApiCall['method'],
	path: string,
	{ calls, reply, scenarios, ...parts }: CaseParts,
): OperationCase {
	const sample = ({ given, ...more }: CaseParts['calls']['least']): Sample => ({
		given,
		call: { method, path, ...more },
	});
	const [first, ...others] = Object.entries(scenarios).map(([title, prepare]) => ({
		title,
		prepare: async (world: World) => {
			const { requests, ...prepared } = await prepare(world);
			return { ...prepared, requests: requests.map((request) => ({ method, path, ...request })) };
		},
	}));
	if (first === undefined) throw new Error(`${method} ${path} has no scenario`);
	return {
		least: sample(calls.least),
		most: sample(calls.most),
		required: [],
		refused: [],
		lane: null,
		fromBody: null,
		reply: { list: false, ownFields: {}, settled: {}, ...reply },
		record: null,
		traits: [],
		scenarios: [first, ...others],
		...parts,
	};
}

/** Names that are separated by spaces. */
export function words(names: string): string[] {
	return names.split(' ');
}

/** Values that are no UUID: one that anything may be, and one that would change the path. */
export const badUuids = ['no id', `${ids.entry}/cancel`];

/** Values that are no JSON object. */
export const badJson = ['{bad', [1]];
