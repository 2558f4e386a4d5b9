import type { INodeParameters } from 'n8n-workflow';

import { soon } from '../soon.mts';
import { endsOf, letters, textOf, useDeliveryLab } from './delivery-lab.mts';
import { errorOf } from './lab.mts';
import type { Run } from './run.mts';

const lab = useDeliveryLab();

/** The parameters of a send through a channel that is connected: the first, the second, ... */
function through(n: number, options: INodeParameters = {}): INodeParameters {
	const { channelId } = lab.state.channels.filter(({ isConnected }) => isConnected)[n] ?? {};
	if (channelId === undefined) throw new Error(`The sandbox has no channel ${n}`);
	return lab.send(options, { channelId: { __rl: true, mode: 'id', value: channelId } });
}

/** The channel of such parameters, as the body of a request names it. */
const channelIn = ({ channelId }: INodeParameters): string => String((channelId as { value: string }).value);

describe('a channel that never answers', () => {
	test('holds up no message of the same run to another one', async () => {
		const parameters = through(0);
		const [hangs, fine] = [channelIn(parameters), channelIn(through(1))];
		await lab.client.setFaults([{ kind: 'hang', bodyContains: hangs }]);
		const items = letters(200).map((letter, n) => ({ ...letter, via: n >= 150 ? fine : hangs }));
		const channelId = { __rl: true, mode: 'id', value: '={{ $json.via }}' };
		const handle = lab.start({ ...parameters, channelId }, { items });
		const sent = async () => Object.keys(await lab.accepted()).length;
		while ((await sent()) < 50) await soon(lab.received(51), 'A healthy message');
		await handle.cancel();
		expect((await handle.finished).status).toBe('canceled');
	});
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

	test('later than Max Wait allows, ends its own items only: the others of the run are sent', async () => {
		const parameters = await refused('86400');
		const [limited, fine] = [channelIn(parameters), channelIn(through(1))];
		const items = letters(60).map((letter, n) => ({ ...letter, via: n % 2 === 0 ? limited : fine }));
		const channelId = { __rl: true, mode: 'id', value: '={{ $json.via }}' };
		const run: Run = await lab.execute(
			{ ...parameters, channelId },
			{ items, settings: { onError: 'continueRegularOutput' } },
		);
		expect(endsOf(run)).toEqual(items.map((_, n) => (n % 2 === 0 ? 'unsent' : 'done')));
		const failed = run.main.flat().find(({ json }) => json['error'] !== undefined);
		expect(failed && errorOf(failed).message).toMatch(/^The service asks to come back at /);
		const texts = (await lab.calls()).map(({ body }) => textOf(body));
		expect(texts.length).toBeLessThan(60);
	});
});
