import type { IExecuteFunctions } from 'n8n-workflow';

import { type KeyStore, keyStoreOf } from '../../../../nodes/Messaging/delivery/once/key-store.ts';
import { type Failure, isFailure } from '../../../../nodes/Messaging/service/endings.ts';

/** An execution of a saved workflow, reduced to what the store reads. */
function storeIn(change: Record<string, unknown> = {}): KeyStore | Failure {
	const context = {
		getWorkflow: () => ({ id: 'w' }),
		getNode: () => ({ id: 'n' }),
		helpers: {
			checkProcessedAndRecord: async () => ({ new: [], processed: [] }),
			removeProcessed: async () => {},
		},
		...change,
	};
	return keyStoreOf(context as unknown as IExecuteFunctions, 'Send Only Once Per');
}

const failureIn = (change: Record<string, unknown>): Failure => {
	const store = storeIn(change);
	if (!isFailure(store)) throw new Error('There is a store');
	return store;
};

test.each([
	['a workflow without an id', { getWorkflow: () => ({}) }],
	['a workflow that was never saved', { getWorkflow: () => ({ id: '__EMPTY__' }) }],
	['a node without an id', { getNode: () => ({}) }],
])('%s has to be saved first', (_what, change) => {
	const { message, outcome } = failureIn(change);
	expect({ message, outcome }).toEqual({ message: 'Save the workflow first', outcome: 'unsent' });
});

test('each node of each workflow has a place of its own', () => {
	const places = [
		storeIn(),
		storeIn({ getNode: () => ({ id: 'other' }) }),
		storeIn({ getWorkflow: () => ({ id: 'other' }) }),
	].map((store) => (isFailure(store) ? '' : store.place));
	expect(new Set(places).size).toBe(3);
});

test('it asks for the entries of this node, and gives those that were recorded before', async () => {
	const asked: unknown[] = [];
	const store = storeIn({
		helpers: {
			checkProcessedAndRecord: async (...given: unknown[]) => {
				asked.push(given);
				return { new: ['a'], processed: ['b'] };
			},
			removeProcessed: async (...given: unknown[]) => void asked.push(given),
		},
	});
	if (isFailure(store)) throw new Error(store.message);
	expect(await store.record(['a', 'b'], 10)).toEqual(new Set(['b']));
	await store.remove(['a']);
	expect(asked).toEqual([
		[['a', 'b'], 'node', { mode: 'entries', maxEntries: 10 }],
		[['a'], 'node', { mode: 'entries' }],
	]);
});
