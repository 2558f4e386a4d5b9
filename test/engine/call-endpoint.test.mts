/** Service: Call an Endpoint, against a list that the sandbox has under a path of its own. */
import type { INodeParameters } from 'n8n-workflow';

import { useDeliveryLab } from './delivery-lab.mts';

const lab = useDeliveryLab();

const path = '/sandbox/outbox';
const call = (more: INodeParameters = {}) => ({ resource: 'service', operation: 'request', path, ...more });
const onward = { settings: { onError: 'continueRegularOutput' as const } };

test('a list that is cut is told, in an envelope too; whole, it is one item', async () => {
	const body = { data: [{ a: 1 }, { a: 2 }], total: 72 };
	await lab.client.setFaults([{ kind: 'reply', path, body }]);
	const split = await lab.execute(call());
	expect(split.json).toEqual([{ a: 1 }, { a: 2 }]);
	expect(split.hintTexts).toEqual([
		expect.stringMatching(/^The service sent 2 of 72 records\. Ask for larger pages/),
	]);
	expect((await lab.execute(call({ splitItems: false }))).json).toEqual([body]);
});

test.each([
	['a record with a list in it', { id: 7, items: [1, 2] }, [{ id: 7, items: [1, 2] }]],
	['nothing', null, [{}]],
	['an empty list', [], []],
	['texts', ['a'], [{ response: 'a' }]],
])('%s', async (_what, body, output) => {
	await lab.client.setFaults([{ kind: 'reply', path, body }]);
	expect((await lab.execute(call())).json).toEqual(output);
});

test('a retry reads again, and makes no call a second time that may have changed something', async () => {
	await lab.client.setFaults([{ kind: 'lostResponse', path, times: 1 }]);
	const failed = await lab.execute(call({ method: 'POST', sendBody: true, body: '{"a": 1}' }));
	expect(failed.error?.description).toContain('When Outcome Is Unknown');
	await lab.client.setFaults([{ kind: 'lostResponse', path, times: 1 }]);
	const read = await lab.execute(call({ options: { maxTries: 1 } }));
	expect(read.error?.description).not.toContain('When Outcome Is Unknown');
});

test.each([
	['={{ $json.path }}/7', { path: '/orders' }, '/orders/7'],
	['=/orders/{{ encodeURIComponent($json.id) }}', { id: 'a/b ü;' }, '/orders/a%2Fb%20%C3%BC%3B'],
	['=/orders/{{ encodeURIComponent($json.id) }}', { id: '42%2Fcancel' }, '/orders/42%252Fcancel'],
	['=/orders/a%2Fb/{{ $json.id }}', { id: 7 }, '/orders/a%2Fb/7'],
])('%s with %j goes to %s', async (template, item, to) => {
	await lab.execute(call({ path: template }), { items: [item], ...onward });
	expect((await lab.requests()).map((request) => request.path)).toContain(to);
});

test('a body that no method sends is refused, and the error names the method: a model forgets it', async () => {
	const { error } = await lab.execute(call({ sendBody: true, body: '{"a": 1}' }));
	expect(error?.message).toMatch(/^The field "Body" is switched off/);
	expect(error?.description).toContain('"method" to anything but "GET"');
	expect(await lab.calls()).toEqual([]);
});
