import type { INodeParameters } from 'n8n-workflow';

import { endsSoon } from '../waiting.mts';
import { endsOf, letters, useDeliveryLab } from './delivery-lab.mts';
import type { RunHandle } from './engine.mts';

const lab = useDeliveryLab();

/** The parameters of a send through a channel that is connected: the first, the second, ... */
function through(n: number, options: INodeParameters = {}): INodeParameters {
	const { channelId } = lab.state.channels.filter(({ isConnected }) => isConnected)[n] ?? {};
	if (channelId === undefined) throw new Error(`The sandbox has no channel ${n}`);
	return lab.send(options, { channelId: { __rl: true, mode: 'id', value: channelId } });
}

/** The channel of such parameters, as the body of a request names it. */
const channelIn = ({ channelId }: INodeParameters): string => String((channelId as { value: string }).value);

const single = (n: number) => [{ to: `single${n}@example.com`, text: `single ${n}.` }];

describe('a channel that never answers', () => {
	/** A run to it, of which as many calls as may be are in flight. Nothing ends it but the test. */
	async function hang(options: INodeParameters): Promise<{ handle: RunHandle; channelId: string }> {
		const parameters = through(0, options);
		const channelId = channelIn(parameters);
		await lab.client.setFaults([{ kind: 'hang', bodyContains: channelId }]);
		const handle = lab.start(parameters, { items: letters(40) });
		await lab.received(17);
		return { handle, channelId };
	}

	test.each([30, 3600])(
		'holds up no message to another one, after a refusal, with a Timeout of %i seconds',
		async (timeout) => {
			await lab.client.setFaults([
				{ kind: 'status', status: 429, headers: { 'retry-after': '0' }, method: 'POST', times: 1 },
			]);
			await lab.execute(through(2), { items: single(0) });
			const { handle } = await hang({ timeout });
			for (let n = 1; n <= 3; n++) {
				const run = lab.execute(through(1, { maxWait: 2 }), { items: single(n) });
				expect(endsOf(await endsSoon(run, 'The single message'))).toEqual(['done']);
				expect((await run).hintTexts.join(' ')).not.toMatch(/plan/);
			}
			await handle.cancel();
			await handle.finished;
		},
	);
});

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
