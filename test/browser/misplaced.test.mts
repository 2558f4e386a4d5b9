/** In the editor, nothing is left of another operation, which the node would refuse; what it refuses is named. */
import { useSavedNode } from './saved-node.mts';

const { editor, opened, expectSaved, sandbox } = useSavedNode();

test('an operation that is chosen in place of another one has nothing of it', async () => {
	const id = await opened({ additionalFields: { priority: 3 }, options: { onceKey: 'k1' } });
	await editor().choose('operation', 'Edit');
	await editor().type('newText', 'Changed');
	await expectSaved(id, { operation: 'edit', newText: 'Changed' });
});

test('what both have stays', async () => {
	const additionalFields = { correlationId: 'c-1', priority: 3 };
	const id = await opened({ additionalFields, options: { onceKey: 'k1', timeout: 20 } });
	await editor().choose('operation', 'Edit');
	await editor().type('newText', 'Changed');
	await expectSaved(id, {
		operation: 'edit',
		newText: 'Changed',
		additionalFields: { correlationId: 'c-1' },
		options: { timeout: 20 },
	});
});

test('JSON that is switched off is gone', async () => {
	const id = await opened({ inputMode: 'json', package: '{"content": {"text": "x"}}' });
	await editor().choose('inputMode', 'Fields');
	await editor().type('toEmail', 'grace@example.com');
	await editor().type('text', 'Hello');
	await expectSaved(id, { toEmail: 'grace@example.com', text: 'Hello' });
});

test('a name that no field has does no harm to the editor, and the error says where it belongs', async () => {
	await opened({ options: { sendOnlyOncePer: 'k1', timeout: 5 }, additionalFields: { foo: 1 } });
	await editor().type('text', 'Hello');
	expect(await editor().page.getByText('Timeout').count()).toBeGreaterThan(0);
	await sandbox.clearRequests();
	await editor().execute('does not exist here');
	expect((await sandbox.requests()).filter(({ path }) => path.endsWith('/SendMessage'))).toEqual([]);
	await editor().closeNode();
});
