/** Building blocks of the cases. */
import type { INodeParameterResourceLocator } from 'n8n-workflow';

import type { Parameters, Prepared, Refusal } from './case.ts';

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
export const ANSWER_LINK = 'https://n8n.example/webhook-waiting/7/node?question=abc&signature=0f';

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

/** A locator's id that an AI agent's model fills in. */
export function idFromAI(name: string, about: string): INodeParameterResourceLocator {
	return byId(fromAI(name, about));
}

/** Any UUID, in lower case as the node and the sandbox make them. */
export function anyUuid(): unknown {
	return expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
}

/** Output items with these fields, each paired with its input item. */
export function paired(...jsons: readonly object[]): Prepared['output'] {
	return jsons.map((json, item) => ({ json, pairedItem: { item } }));
}

/** Values that an operation refuses in a field. */
export function refuses(
	field: string,
	at: (value: unknown) => Parameters,
	...values: readonly unknown[]
): Refusal {
	return { field, at, values };
}

/** A value in a field of Additional Fields. */
export function additional(name: string): (value: unknown) => Parameters {
	return (value) => ({ additionalFields: { [name]: value } });
}

/** Values that are no UUID. */
export const badUuids = [
	'no id',
	ids.entry.slice(0, -1),
	'../../Me',
	'..',
	`${ids.entry}/cancel`,
	'%2e%2e',
	`{${ids.entry}}`,
	'acc_0123456789',
];

/** Values that are no 32-bit integer. */
export const badInts = [2147483648, -2147483649, 1.5, 'abc', '1e400', [1], { a: 1 }, true];

/** Values that are no timestamp. */
export const badTimestamps = [
	'tomorrow',
	'2030-13-45T00:00:00',
	'12',
	5,
	1893456000000,
	'31.01.2030',
	'2030-01-31T25:00:00Z',
	{},
];

/** Values that are no JSON object. */
export const badJson = ['{bad', '{host: 1}', '{', '[1]', '[]', '"text"', 'null', '5', [1], [], 5, true];

/** Values that are no boolean. */
export const badBooleans = ['maybe', 'yes', 'no', 1, 3, {}];

/** Values that are no e-mail address. */
export const badEmails = [
	'ada',
	'ada@',
	'@',
	'@example.com',
	'ada@b@c',
	'ada lovelace@example.com',
	'Ada <ada@example.com>',
	'a@b.c, d@e.f',
];

/** Values that are no text, and blank text. */
export const noText = ['', ' ', null, {}];
