import type { INodeParameters } from 'n8n-workflow';

import { endsOf, letters, useDeliveryLab } from './delivery-lab.mts';

const lab = useDeliveryLab();

/** The parameters of a send through a channel that is connected: the first, the second, ... */
function through(n: number, options: INodeParameters = {}): INodeParameters {
	const { channelId } = lab.state.channels.filter(({ isConnected }) => isConnected)[n] ?? {};
	if (channelId === undefined) throw new Error(`The sandbox has no channel ${n}`);
	return lab.send(options, { channelId: { __rl: true, mode: 'id', value: channelId } });
}

/** The channel of such parameters, as the body of a request names it. */
const channelIn = ({ channelId }: INodeParameters): string => String((channelId as { value: string }).value);

describe('a channel that is told to come back later', () => {
	const refused = async (retryAfter: string): Promise<INodeParameters> => {
		const parameters = through(0);
		const headers = { 'retry-after': retryAfter };
		await lab.client.setFaults([
			{ kind: 'status', status: 429, headers, bodyContains: channelIn(parameters) },
		]);
		return parameters;
	};

	test('holds up no other channel, in another run', async () => {
		const handle = lab.start(await refused('10'), { items: letters(60) });
		await lab.answered(1, 429);
		const items = letters(60).map(({ text, to }) => ({ to: `b-${to}`, text: `b ${text}` }));
		const run = await lab.execute(through(1, { maxWait: 5 }), { items });
		expect(endsOf(run)).toEqual(Array(60).fill('done'));
		await handle.cancel();
		await handle.finished;
	});
});
