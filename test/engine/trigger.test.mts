import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { asText } from '../../dev/harness/as-text.mts';
import { useLab } from './lab.mts';
import { startName, triggeredWorkflow } from './workflow.mts';

const lab = useLab();

/** Activates a workflow with the trigger, and returns how it is polled. */
async function activate(
	parameters: INodeParameters = {},
): Promise<() => Promise<INodeExecutionData[][] | null>> {
	const events = ['channelConnected', 'channelDisconnected'];
	return await lab.engine.activate({ events, ...parameters }, lab.credential);
}

const reported = (output: INodeExecutionData[][] | null) =>
	output?.[0]?.map(({ json }) => `${asText(json['event'])} ${asText(json['name'])}`);
const drop = async (name: string, isConnected = false) =>
	await lab.client.changeChannel(lab.channelId(name), { isConnected });

test('a drop and a return are reported once each, with one request for each poll', async () => {
	const poll = await activate();
	expect(await poll()).toBeNull();
	await drop('Support E-mail');
	const dropped = await poll();
	const { stateUpdatedAt } = await drop('Support E-mail');
	expect(dropped).toEqual([
		[
			{
				json: {
					event: 'channelDisconnected',
					channelId: lab.channelId('Support E-mail'),
					name: 'Support E-mail',
					channelType: expect.any(String),
					accountId: lab.accountId('Acme Support'),
					isConnected: false,
					status: 'Active',
					before: { isConnected: true },
					after: { isConnected: false },
					since: expect.any(String),
				},
			},
		],
	]);
	expect(Date.parse(asText(dropped?.[0]?.[0]?.json['since']))).toBeLessThanOrEqual(
		Date.parse(String(stateUpdatedAt)),
	);
	expect(reported(await poll())).toBeUndefined();
	await drop('Support E-mail', true);
	expect(reported(await poll())).toEqual(['channelConnected Support E-mail']);
	const requests = await lab.requests();
	expect(requests.map(({ operationId, conforms }) => [operationId, conforms])).toEqual(
		Array.from({ length: 4 }, () => ['channel.getAll', true]),
	);
});

test('the test in the editor shows a real channel as a sample', async () => {
	const run = await lab.engine.run({
		workflow: triggeredWorkflow({ events: ['channelDisconnected'] }),
		credential: lab.credential,
		mode: 'manual',
		watch: startName,
	});
	expect(run.status).toBe('success');
	const names = lab.state.channels.map(({ name }) => name);
	expect(run.json).toMatchObject([{ event: 'channelDisconnected', isConnected: false }]);
	expect(names).toContain(run.json[0]?.['name']);
});

test.each<[INodeParameters, refused: string]>([
	[{ event: 'channelRemoved' }, '"event" does not exist'],
	[{ events: ['channelDropped'] }, '"Trigger On" needs a list of its events'],
	[{ options: { holdFor: 3, pollInterval: 5 } }, '"Options > pollInterval" does not exist'],
	[
		{ options: { queryParameters: { parameters: [{ key: 'q' }] } } },
		'"Query Parameters > 1 > key" does not exist',
	],
	[{ filters: { channelType: 'EMAIL' } }, '"filters" does not exist'],
])('a trigger that can not be meant is not published, and asks nothing: %j', async (parameters, refused) => {
	const publish = async () => await (await activate(parameters))();
	await expect(publish()).rejects.toThrow(refused);
	expect(await lab.requests()).toEqual([]);
});
