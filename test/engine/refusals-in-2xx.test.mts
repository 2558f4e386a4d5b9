/** A service that says no with a status that says yes. What counts as no is tested in test/unit/service/answer.test.mts. */
import type { INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../dev/sandbox/types.mts';
import { cases, unaskedParameters } from '../cases/index.mts';
import { endsOf, onceEach, orders, useDeliveryLab } from './delivery-lab.mts';
import { byId, errorOf } from './lab.mts';

const lab = useDeliveryLab();

const message = 'Channel is not connected';
const settings = { onError: 'continueRegularOutput' } as const;

/** The request is not processed, and answered with this. */
const no: FaultRule = {
	kind: 'status',
	status: 200,
	path: 'v1/(message|admin)/',
	body: { success: false, message },
};

test('a message is not sent, and its once key is free', async () => {
	const items = orders(2);
	await lab.client.setFaults([{ ...no, times: 1 }]);
	const options = { maxConcurrency: 1 };
	const first = await lab.execute(lab.once(options), { items, settings });

	expect(endsOf(first)).toEqual(['rejected', 'done']);
	expect(errorOf(first.main[0][0])).toMatchObject({
		message,
		statusCode: 200,
		problem: { success: false, message },
	});

	const second = await lab.execute(lab.once(options), { items, settings });
	expect(second.json.map(({ alreadySent }) => alreadySent)).toEqual([undefined, true]);
	expect(await lab.accepted()).toEqual(onceEach(items));
});

test.each(['message.edit', 'message.delete', 'outbox.cancel', 'outbox.requeue'] as const)(
	'%s has failed, and does not say "success"',
	async (id) => {
		await lab.client.setFaults([no]);
		const run = await lab.execute(unaskedParameters(id, cases[id].record?.raw), { settings });
		expect(run.json).toEqual([
			{ error: expect.objectContaining({ message, outcome: 'rejected' }) as unknown },
		]);
		expect(await lab.calls()).toHaveLength(1);
	},
);

test('nobody waits for an answer to a question that was refused', async () => {
	await lab.client.setFaults([no]);
	const ask: INodeParameters = {
		resource: 'message',
		operation: 'sendAndWait',
		channelId: byId(lab.channel().channelId),
		toEmail: 'ada@example.com',
		message: 'May I?',
	};
	const run = await lab.execute(ask, { items: orders(1), settings });
	expect(run.status).toBe('success');
	expect(errorOf(run.main[0][0])).toMatchObject({ message, outcome: 'rejected' });
});

test('a message in doubt stays in doubt when a repetition is refused', async () => {
	await lab.client.setFaults([{ kind: 'lostResponse', path: 'SendMessage', times: 1 }, no]);
	const items = orders(1);
	const run = await lab.execute(lab.send({ whenUnknown: 'sendAgain' }), { items, settings });

	expect(await lab.calls()).toHaveLength(2);
	expect(errorOf(run.main[0][0])).toMatchObject({
		outcome: 'unknown',
		message: `Failed now, but an earlier try may have been processed: ${message}`,
	});
});

test('after a try without an answer, a 409 says that the message has probably arrived', async () => {
	await lab.client.setFaults([
		{ kind: 'lostResponse', path: 'SendMessage', times: 1 },
		{ kind: 'status', status: 409, path: 'SendMessage' },
	]);
	const items = orders(1);
	const run = await lab.execute(lab.send({ whenUnknown: 'sendAgain' }), { items, settings });

	const { description, outcome } = errorOf(run.main[0][0]);
	expect(outcome).toBe('unknown');
	expect(description).toMatch(/has probably arrived: check, then choose Count as Sent/);
	expect(description).not.toMatch(/Package ID of its own/);
});

describe('a list that is cut', () => {
	const headers = { 'x-total-count': '120' };
	const cut: FaultRule = { kind: 'reply', path: 'Admin/Channel$', headers };
	const count = async () => {
		const { json } = await lab.execute({ resource: 'channel', operation: 'getAll', returnAll: true });
		return json.length;
	};

	test('gives what came, and a hint', async () => {
		const came = await count();
		await lab.client.setFaults([cut]);
		const run = await lab.execute({ resource: 'channel', operation: 'getAll', returnAll: true });
		expect(run.json).toHaveLength(came);
		expect(run.hints.map((hint) => hint.message)).toEqual([
			`The service sent ${came} of 120 channels. Add its parameter for the page size under Options > Query Parameters.`,
		]);
	});

	test('is not searched for the owners of a channel: nothing is requeued', async () => {
		const came = await count();
		await lab.client.setFaults([cut]);
		const parameters = {
			...unaskedParameters('outbox.requeue'),
			organizationId: byId(''),
			accountId: byId(''),
		};
		const run = await lab.execute(parameters, { settings });
		expect(errorOf(run.main[0][0])).toMatchObject({
			outcome: 'unsent',
			message: `Nothing was changed, because what had to be looked up first could not be: The service sent ${came} of 120 channels`,
			description: expect.stringMatching(/Fill in the empty fields/) as string,
		});
	});
});
