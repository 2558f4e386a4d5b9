/** A service that sends only a part of a list. What counts as that is in unit/service/answer, the hint in call-endpoint. */
import { byId } from '../../dev/harness/workflows.mts';
import type { FaultRule } from '../../dev/sandbox/types.mts';
import { useDeliveryLab } from './delivery-lab.mts';

const lab = useDeliveryLab();

const cut: FaultRule = { kind: 'reply', path: 'Admin/Channel$', headers: { 'x-total-count': '120' } };

test('is enough for the update of a channel that it shows', async () => {
	await lab.client.setFaults([cut]);
	const parametersForm = { mappingMode: 'defineBelow', value: { host: 'new.example' }, schema: [] };
	const channelId = byId(lab.channelId('Support E-mail'));
	const run = await lab.execute({
		resource: 'channel',
		operation: 'updateParameters',
		channelId,
		parametersForm: parametersForm as never,
	});
	expect(run.status).toBe('success');
	expect((await lab.requests()).at(-1)).toMatchObject({
		method: 'PUT',
		body: { parameters: { host: 'new.example' } },
	});
});
