import type { IExecuteFunctions } from 'n8n-workflow';

import { keyStoreOf, marksOf, type KeyStore } from '../../../../nodes/Messaging/delivery/once/key-store.ts';
import { type Failure, isFailure } from '../../../../nodes/Messaging/service/endings.ts';

/** An execution of a saved workflow, reduced to what the store reads. */
function storeIn(change: Record<string, unknown> = {}): KeyStore | Failure {
	const context = {
		getWorkflow: () => ({ id: 'w' }),
		getNode: () => ({ id: 'n' }),
		helpers: {},
		...change,
	};
	return keyStoreOf(context as unknown as IExecuteFunctions, 'Create Only Once Per');
}

test.each([
	['a workflow without an id', { getWorkflow: () => ({}) }],
	['a workflow that was never saved', { getWorkflow: () => ({ id: '__EMPTY__' }) }],
	['a node without an ID, in a sub-workflow given as JSON', { getNode: () => ({}) }],
])('%s has no place for keys: it has to be saved first', (_what, change) => {
	const store = storeIn(change);
	expect(store).toMatchObject({ message: 'Save the workflow first', outcome: 'unsent' });
	expect(store).toHaveProperty('description', expect.stringContaining('"Create Only Once Per"'));
});

test('each node of each workflow has a place of its own', () => {
	const places = [
		storeIn(),
		storeIn({ getNode: () => ({ id: 'other' }) }),
		storeIn({ getWorkflow: () => ({ id: 'other' }) }),
	].map((store) => (isFailure(store) ? '' : store.place));
	expect(new Set(places).size).toBe(3);
});

test('the marks of a key are hashes, which hold nothing of it, and differ by scope', () => {
	const { inDoubt, known } = marksOf('message send', 'order-1042 ada@example.com');
	expect([known, inDoubt]).toEqual([
		expect.stringMatching(/^[\w-]{32} known$/),
		expect.stringMatching(/^[\w-]{32} open$/),
	]);
	expect(marksOf('message send', 'order-1042 ada@example.com').known).toBe(known);
	expect(marksOf('channel create', 'order-1042 ada@example.com').known).not.toBe(known);
});
