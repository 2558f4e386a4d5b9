/**
 * A service that says no with a status that says yes, or sends only a part. What counts as that is tested in
 * test/unit/service/answer.test.mts, and how other calls end in the fault matrix.
 */
import type { FaultRule } from '../../dev/sandbox/types.mts';
import { unaskedParameters } from '../cases/index.mts';
import { orders, useDeliveryLab } from './delivery-lab.mts';
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

test('nobody waits for an answer to a question that was refused', async () => {
	await lab.client.setFaults([no]);
	const run = await lab.execute(lab.ask(), { items: orders(1), settings });
	expect(run.status).toBe('success');
	expect(errorOf(run.main[0][0])).toMatchObject({ message, outcome: 'rejected' });
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
		expect(run.hintTexts).toEqual([
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
