import type { INodeParameters } from 'n8n-workflow';
import { byId, errorOf, once, useLab } from './lab.ts';

const lab = useLab();

const problem = {
	title: 'One or more validation errors occurred.',
	errors: { 'content.to.email': ['is no address.'], 'Content.Text': ['is too long'], unheardOf: ['is odd'] },
};
const said = 'To Email: is no address. Text: is too long. unheardOf: is odd. Correct these fields.';

const send = (): INodeParameters => ({
	resource: 'message',
	operation: 'send',
	channelId: byId(lab.channelId('Support E-mail')),
	toEmail: 'ada@example.com',
	text: 'Hello',
	options: once,
});

beforeEach(async () => {
	await lab.client.setFaults([{ kind: 'status', status: 400, body: problem }]);
});

test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'an error item names the fields that the service refuses, as the form does (%s)',
	async (onError) => {
		const run = await lab.execute(send(), { settings: { onError } });

		const error = errorOf(run.main.flat()[0]);
		expect(error.message).toBe(problem.title);
		expect(error.description).toContain(said);
		expect(Object.keys(error).sort()).toEqual(['description', 'message', 'outcome', 'problem', 'statusCode']);
	},
);

test('so does the error that stops a workflow', async () => {
	const run = await lab.execute(send());

	expect(run.status).toBe('error');
	expect(run.error?.description).toContain(said);
});

test('where the service names none, the error does not say that it does', async () => {
	await lab.client.setFaults([{ kind: 'status', status: 400, body: { title: 'Bad Request' } }]);

	const run = await lab.execute(send(), { settings: { onError: 'continueRegularOutput' } });

	expect(errorOf(run.main[0][0]).description).not.toMatch(/message (names|says)|these fields/i);
});

test('what the service says of a field that the interface does not show, it says of Other Content Fields', async () => {
	await lab.client.setFaults([
		{ kind: 'status', status: 400, body: { title: 'No', errors: { 'content.subject': ['is too long.'] } } },
	]);
	const additionalFields = { otherContent: '={{ { subject: "Order", parts: [null, "a"] } }}' };

	const run = await lab.execute({ ...send(), additionalFields });

	expect(run.error?.description).toContain('Other Content Fields: is too long.');
	const [request] = (await lab.requests()).filter(({ path }) => path.endsWith('/SendMessage'));
	expect(request?.body).toMatchObject({ content: { text: 'Hello', subject: 'Order', parts: [null, 'a'] } });
});
