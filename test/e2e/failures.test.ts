import type { INodeParameters, OnError } from 'n8n-workflow';
import { errorOf, outputOf } from '../../dev/harness/n8n/api.ts';
import type { Execution } from '../../dev/harness/n8n/api.ts';
import { byId, names } from '../../dev/harness/workflows.ts';
import { receivedCalls } from '../../dev/harness/world.ts';
import { failedStart, otherwise } from './needs.ts';
import { enterStage } from './stage.ts';

const { stage, n8n, sandbox, store, sendEach } = enterStage();

const recipients = ['ada@example.com', 'grace@nowhere', 'bob@example.com'].map((to, n) => ({
	to,
	text: `Order ${n}`,
}));

/** Sends one message for each item; the sandbox refuses invalid e-mail addresses. */
async function send(parameters: INodeParameters = {}, onError?: OnError): Promise<Execution> {
	const more = { items: recipients, ...(onError === undefined ? {} : { onError }) };
	const { id } = await store(await sendEach(parameters), more);
	return await n8n.runWorkflow(id, names.start);
}

const refused = {
	message: expect.stringContaining('content.to.email: must be an e-mail address'),
	description: expect.any(String),
	statusCode: 400,
	outcome: 'rejected',
	problem: expect.objectContaining({ status: 400 }),
};

describe('failures, as n8n shows them', () => {
	beforeEach(async () => {
		await sandbox.reset();
	});

	it('stops the workflow with the words of the service, the item and what went out', async () => {
		const execution = await send({ options: { maxConcurrency: 1 } });

		expect(execution.status).toBe('error');
		const error = errorOf(execution, names.messaging);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: refused.message,
			httpCode: '400',
			context: expect.objectContaining({ itemIndex: 1 }),
		});
		expect(error?.description).toMatch(/item 1\b/i);
		expect(error?.description).toMatch(/1 went out/);
		expect(outputOf(execution, names.success)).toEqual([]);
		expect(JSON.stringify(execution.data)).not.toContain(stage.sandbox.tokens.org);
	});

	it('sends failed items to the error output, paired and with the input item beside the error', async () => {
		const execution = await send({}, 'continueErrorOutput');

		expect(execution.status).toBe('success');
		expect(outputOf(execution, names.messaging)).toMatchObject([
			{ json: { packageId: expect.any(String) }, pairedItem: { item: 0 } },
			{ json: { packageId: expect.any(String) }, pairedItem: { item: 2 } },
		]);
		expect(outputOf(execution, names.messaging, 1)).toEqual([
			expect.objectContaining({ json: { ...recipients[1], error: refused }, pairedItem: { item: 1 } }),
		]);
		expect(outputOf(execution, names.failure)).toMatchObject([{ json: { error: { outcome: 'rejected' } } }]);
		expect((await receivedCalls(sandbox)).map(({ accepted }) => accepted).sort()).toEqual([
			false,
			true,
			true,
		]);
	});

	const kept = otherwise(failedStart);
	it.each<[string, INodeParameters, RegExp]>([
		['a channel id that is no UUID', { channelId: byId('12345') }, /UUID/],
		['a required field left empty', { text: '' }, /Text.*required/],
	])(`n8n itself does not start with %s${kept.lacking}`, async (_what, parameters, message) => {
		const sent = send(parameters);

		if (kept.lacks) await expect(sent).rejects.toThrow(/The workflow has issues and cannot be executed/);
		else {
			const execution = await sent;
			expect(execution.status).toBe('error');
			expect(execution.data.resultData.error?.message).toMatch(message);
		}
		expect(await receivedCalls(sandbox)).toEqual([]);
	});
});
