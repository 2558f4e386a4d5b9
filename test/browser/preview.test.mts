/** A list is previewed, corrected and sent, as a user does it: each test continues where the previous one ended. */
import { names } from '../../dev/harness/workflows.mts';
import { useSavedNode } from './saved-node.mts';

const { editor, expectSaved, n8n, opened, reopen, sandbox } = useSavedNode();

const people = Array.from({ length: 50 }, (_, n) => ({
	...{ email: `p${n}@example.com`, name: `Person ${n}`, code: `c${n}` },
}));
/** What somebody has typed wrong, by the row. */
const mistakes = { 4: { email: 'p4@' }, 17: { name: '' }, 33: { code: '' } };
const list = people.map((person, n) => ({ ...person, ...mistakes[n as keyof typeof mistakes] }));

const fields = {
	toEmail: '={{ $json.email }}',
	text: '={{ $json.name }}',
	additionalFields: { correlationId: '={{ $json.code }}', priority: 3 },
	options: { onceKey: '=spring-sale {{ $json.code }}' },
	rareFields: { accountName: 'Acme' },
};

let workflow: string;

beforeAll(async () => {
	await sandbox.reset();
});

const sent = async () => (await sandbox.state()).messages.map(({ text }) => text).sort();

test('all mistakes of a list show in one run of Preview', async () => {
	workflow = await opened(fields, list);
	await sandbox.clearRequests();
	await editor().choose('operation', 'Preview');
	await editor().execute('Send would send 0 of 50; refused: items 4, 17, 33');
	// n8n says so if a node has a limit, and as many items come out.
	expect(await editor().outputText()).not.toContain('There may be more items');

	await editor().showOutputAs('table');
	await editor().searchOutput('false');
	const rows = editor().part('output-panel').locator('tbody tr');
	await rows.filter({ hasText: 'Send Only Once Per' }).waitFor();
	const refused = (await rows.allInnerTexts()).filter((row) => row.trim() !== '');
	expect(refused).toEqual([
		expect.stringMatching(/p4@\s[^]*"To Email"/),
		expect.stringMatching(/p17@example.com[^]*"Text"/),
		expect.stringMatching(/p33@example.com[^]*"Send Only Once Per"/),
	]);
	expect(await sandbox.requests()).toEqual([]);
	expect(await sent()).toEqual([]);
});

test('switched back to Send, the node has all that it had', async () => {
	await editor().choose('operation', 'Send a message to a recipient');
	await expectSaved(workflow, fields);
});

test('sent with its mistakes, nothing leaves, and the red pop-up says so', async () => {
	await sandbox.clearRequests();
	await reopen(workflow);
	await editor().part('node-execute-button').click();
	const title = '3 of 50 items are refused, so nothing was sent';
	await editor().page.locator('.el-notification', { hasText: title }).waitFor();
	expect(await sandbox.requests()).toEqual([]);
});

test('the corrected list goes out, each message once, however often it is sent', async () => {
	const pinData = { [names.start]: people.map((json) => ({ json })) };
	const saved = (await n8n.call('GET', `/rest/workflows/${workflow}`)) as object;
	await n8n.call('PATCH', `/rest/workflows/${workflow}`, { ...saved, pinData });
	await reopen(workflow);

	await editor().execute('packageId');
	const once = people.map(({ name }) => name).sort();
	expect(await sent()).toEqual(once);
	await editor().execute('alreadySent');
	expect(await sent()).toEqual(once);
});
