import type { OperationCase } from './case.mts';
import { sendCase } from './send.mts';

const [{ prepare: prepareSend }] = sendCase.scenarios;

/** Test cases of Preview: the parameters and the call of Send, which is shown and not made. */
export const previewCase: OperationCase = {
	...sendCase,
	endpoint: 'message.send',
	traits: ['makes no call'],
	scenarios: [
		{
			title: 'what Send would do',
			prepare: async (world) => {
				const { items, parameters, requests } = await prepareSend(world);
				const output = requests.map(({ method, path, body }, item) => {
					const { packageId: _madeWhenSent, ...shown } = body as { packageId: unknown };
					return {
						json: {
							wouldSend: true,
							...(items[item]?.text !== undefined && { text: items[item].text }),
							request: { method, path, body: shown },
						},
						pairedItem: { item },
					};
				});
				const options = { ...(parameters['options'] as object), showRequest: true };
				return { items, parameters: { ...parameters, options }, requests: [], output };
			},
		},
	],
};
