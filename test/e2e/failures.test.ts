import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeParameters, OnError } from 'n8n-workflow';

import { credentialContent } from '../../dev/harness/credential.ts';
import { errorOf, outputOf } from '../../dev/harness/n8n/api.ts';
import type { Execution, StoredCredential } from '../../dev/harness/n8n/api.ts';
import { freePort } from '../../dev/harness/n8n/ports.ts';
import { byId, messagingWorkflow, names } from '../../dev/harness/workflows.ts';
import type { WorkflowOptions } from '../../dev/harness/workflows.ts';
import { readWorld, receivedCalls } from '../../dev/harness/world.ts';
import { failedStart } from './needs.ts';
import { enterStage } from './stage.ts';
import { otherwise } from './where.ts';

const { stage, n8n, sandbox } = enterStage();

const recipients = [
	{ email: 'ada@example.com', order: 1 },
	{ email: 'grace@nowhere', order: 2 },
	{ email: 'bob@example.com', order: 3 },
];

/** Sends one message for each item; the sandbox refuses what is no e-mail address. */
async function send(
	options: Partial<WorkflowOptions> & { parameters?: INodeParameters },
): Promise<{ execution: Execution; workflowId: string }> {
	const { parameters, ...rest } = options;
	const { channelId } = (await readWorld(sandbox, stage)).channel('Support E-mail');
	const { id } = await n8n.createWorkflow(
		messagingWorkflow({
			name: 'Send to each',
			credential: stage.credential,
			items: recipients,
			parameters: {
				resource: 'message',
				operation: 'send',
				channelId: byId(channelId),
				toEmail: '={{ $json.email }}',
				text: '=Order {{ $json.order }}',
				...parameters,
			},
			...rest,
		}),
	);
	return { execution: await n8n.runWorkflow(id, names.start), workflowId: id };
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
		const { execution } = await send({ parameters: { options: { maxConcurrency: 1 } } });

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
		const { execution } = await send({ onError: 'continueErrorOutput' });

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

	it('puts error items in their place with On Error "Continue"', async () => {
		const { execution } = await send({ onError: 'continueRegularOutput' });

		expect(execution.status).toBe('success');
		const output = outputOf(execution, names.messaging);
		expect(output.map(({ json }) => Object.keys(json).includes('error'))).toEqual([false, true, false]);
		expect(output[1]).toMatchObject({ json: { error: refused }, pairedItem: { item: 1 } });
	});

	const kept = otherwise(failedStart);
	it.each<[string, INodeParameters, RegExp]>([
		['a channel id that is no UUID', { channelId: byId('12345') }, /UUID/],
		['a required field left empty', { text: '' }, /Text.*required/],
	])(`n8n itself does not start with %s${kept.lacking}`, async (_what, parameters, message) => {
		const sent = send({ parameters });

		if (kept.lacks) await expect(sent).rejects.toThrow(/The workflow has issues and cannot be executed/);
		else {
			const { execution } = await sent;
			expect(execution.status).toBe('error');
			expect(execution.data.resultData.error?.message).toMatch(message);
		}
		expect(await receivedCalls(sandbox)).toEqual([]);
	});

	it.each<[string, INodeParameters, RegExp]>([
		['a bad channel id', { channelId: byId('={{ $json.order }}') }, /channel.*UUID/i],
		['an empty text', { text: '={{ $json.nothing }}' }, /text.*empty/i],
		['a bad timestamp', { additionalFields: { deliveryDeadline: 'next week' } }, /delivery deadline.*date/i],
		['a package that is no JSON', { inputMode: 'json', package: '{ "content": ' }, /package.*JSON/i],
	])('refuses %s before anything is sent', async (_what, parameters, message) => {
		const { execution } = await send({ parameters, onError: 'continueErrorOutput' });

		const failed = outputOf(execution, names.messaging, 1);
		expect(failed.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		for (const { json } of failed) {
			expect(json.error).toEqual({
				message: expect.stringMatching(message),
				description: expect.any(String),
				statusCode: null,
				outcome: 'unsent',
				problem: null,
			});
		}
		expect(await receivedCalls(sandbox)).toEqual([]);
	});

	it('calls what never reached the service "unsent"', async () => {
		const content = {
			...credentialContent(`http://127.0.0.1:${await freePort()}`, 'acc_none'),
			name: 'Nowhere',
		};
		const credential: StoredCredential = await n8n.createCredential(content);

		const { execution } = await send({ credential, onError: 'continueErrorOutput' });

		expect(errorsOf(execution)).toEqual(
			recipients.map(() => expect.objectContaining({ outcome: 'unsent', statusCode: null, problem: null })),
		);
	});

	it('calls it "rejected" when the key is wrong, and says which part to mend', async () => {
		const wrongKey = 'acc_0123456789wrong';
		const content = { ...credentialContent(stage.sandbox.url, wrongKey), name: 'Wrong key' };
		const credential = await n8n.createCredential(content);

		const { execution } = await send({ credential, items: [recipients[0] ?? {}] });

		const error = errorOf(execution, names.messaging);
		expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '401' });
		expect(error?.description).toMatch(/API key/i);
		expect(JSON.stringify(execution.data)).not.toContain(wrongKey);
		expect(await receivedCalls(sandbox)).toHaveLength(1);
	});

	it.each<[string, Parameters<typeof sandbox.setFaults>[0], number | null]>([
		['answers 500', [{ kind: 'status', status: 500, path: 'SendMessage' }], 500],
		['takes the message and breaks the connection', [{ kind: 'lostResponse', path: 'SendMessage' }], null],
		['does not answer in time', [{ kind: 'hang', path: 'SendMessage' }], null],
	])('calls it "unknown" when the service %s', async (_what, faults, statusCode) => {
		await sandbox.setFaults(faults);

		const { execution } = await send({
			items: [recipients[0] ?? {}],
			onError: 'continueErrorOutput',
			parameters: { options: { timeout: 3 } },
		});

		expect(errorsOf(execution)).toEqual([expect.objectContaining({ outcome: 'unknown', statusCode })]);
	});

	it.each(['original', 'current'] as const)(
		'can be retried from the executions page with the %s workflow, once the cause is mended',
		async (workflow) => {
			await sandbox.setFaults([{ kind: 'status', status: 400, path: 'SendMessage', times: 1 }]);
			const { execution } = await send({ items: [recipients[0] ?? {}] });
			expect(execution.status).toBe('error');

			const retried = await n8n.retryExecution(execution.id, workflow);

			expect(retried).toMatchObject({ mode: 'retry', status: 'success', retryOf: execution.id });
			expect(outputOf(retried, names.success)).toHaveLength(1);
			expect((await sandbox.state()).messages).toHaveLength(1);
		},
	);

	it.each<OnError>(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'])(
		'ends soon when the execution is stopped (On Error: %s)',
		async (onError) => {
			await sandbox.setFaults([{ kind: 'hang' }]);
			const { channelId } = (await readWorld(sandbox, stage)).channel('Support E-mail');
			const items: IDataObject[] = Array.from({ length: 30 }, (_, order) => ({ order }));
			const { id } = await n8n.createWorkflow(
				messagingWorkflow({
					name: 'Stopped',
					credential: stage.credential,
					items,
					onError,
					parameters: {
						resource: 'message',
						operation: 'send',
						channelId: byId(channelId),
						toEmail: '=customer{{ $json.order }}@example.com',
						text: '={{ $json.order }}',
						options: { maxConcurrency: 2 },
					},
				}),
			);
			const { executionId } = await n8n.startWorkflow(id, names.start);
			const underWay = async (): Promise<number> => (await receivedCalls(sandbox)).length;
			const deadline = Date.now() + 20_000;
			while ((await underWay()) < 2 && Date.now() < deadline) continue;

			await n8n.stopExecution(executionId);

			expect((await n8n.waitForExecution(executionId, 10_000)).status).toBe('canceled');
			await sleep(500);
			expect(await underWay()).toBe(2);
		},
	);
});

/** The error objects on the node's error output. */
const errorsOf = (execution: Execution): unknown[] =>
	outputOf(execution, names.messaging, 1).map(({ json }) => json.error);
