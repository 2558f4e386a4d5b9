import { keyInUse } from '../../../nodes/Messaging/operations/apiKey/key-in-use.ts';

const key = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const other = '3f2504e0-4f89-41d3-9a0c-0305e82c3302';

test.each<[what: string, me: unknown]>([
	['as its ID', { id: key }],
	['in upper case, in braces', { id: `{${key.toUpperCase()}}` }],
	['without hyphens', { apiKeyId: key.replaceAll('-', '') }],
	['in the record of the key', { id: other, apiKey: { id: key } }],
])('the key in use is the one that /Me shows %s', (_what, me) => {
	expect(keyInUse(me, key)).toBe('same');
	expect(keyInUse(me, key.toUpperCase())).toBe('same');
});

test.each([
	{ id: other },
	{ apiKeyId: other, name: 'Orders' },
	{ apiKey: { id: other }, account: { id: other } },
])('another key is another: %j', (me) => {
	expect(keyInUse(me, key)).toBe('other');
});

test.each<[what: string, me: unknown]>([
	['nothing', undefined],
	['null', null],
	['text', 'hello'],
	['a list', [{ id: other }]],
	['no ID', { name: 'Orders' }],
	['an ID that is no UUID', { id: 7 }],
	['the ID of its account only', { account: { id: other } }],
	['an ID in a wrapper of its own', { data: { caller: { id: other } } }],
	['the ID in a place that is not known', { data: { id: key } }],
	[
		'the ID in a place that is not known, and another one',
		{ id: other, caller: { keys: [{ id: key.toUpperCase() }] } },
	],
])('it may be the key in use when /Me shows %s', (_what, me) => {
	expect(keyInUse(me, key)).toBe('unclear');
});
