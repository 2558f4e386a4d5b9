import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { byId, errorOf, once, useLab, type ExecuteOptions } from './lab.mts';

const lab = useLab();

/** Items 0 and 3 are sent, 1 is refused by the node, 2 by the service. */
const items = [
	{ channel: 'Support E-mail', to: 'ada@example.com' },
	{ channel: 'Support E-mail', to: '' },
	{ channel: 'Globex E-mail', to: 'grace@example.com' },
	{ channel: 'Support E-mail', to: 'edsger@example.com' },
];

function send(options: ExecuteOptions) {
	return lab.execute(lab.send(once, { channelId: byId('={{ $json.id }}'), text: 'Hello' }), {
		items: items.map((item) => ({ ...item, id: lab.channelId(item.channel) })),
		...options,
	});
}

const unsentShape = {
	message: expect.any(String) as string,
	description: expect.any(String) as string,
	statusCode: null,
	outcome: 'unsent',
	retryable: expect.any(Boolean) as boolean,
	problem: null,
	requestId: null,
};
const rejectedShape = {
	message: expect.any(String) as string,
	description: expect.any(String) as string,
	statusCode: 404,
	outcome: 'rejected',
	retryable: false,
	problem: expect.objectContaining({ status: 404, title: expect.any(String) as string }) as IDataObject,
	requestId: null,
};

test('Continue: every item leaves by the one output, in order, the failed ones with nothing but their error', async () => {
	const run = await send({ settings: { onError: 'continueRegularOutput' } });

	expect(run.status).toBe('success');
	expect(run.error).toBeUndefined();
	expect(run.main[0].map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 3].map((item) => ({ item })));
	expect(run.json[0]).toHaveProperty('packageId');
	expect(run.json[1]).toEqual({ error: unsentShape });
	expect(run.json[2]).toEqual({ error: rejectedShape });
	expect(run.json[3]).toHaveProperty('packageId');
	expect(errorOf(run.main[0][1]).message).toMatch(/To Email/);
	const rejected = errorOf(run.main[0][2]);
	expect(rejected.message).toContain(rejected.problem?.['title']);
	expect(rejected.message).toContain(rejected.problem?.['detail']);
});

test('Continue (using error output): failed items leave by it, with their input', async () => {
	const run = await send({ settings: { onError: 'continueErrorOutput' } });

	expect(run.status).toBe('success');
	expect(run.main[0].map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 3 }]);
	expect(run.json.every((json) => 'packageId' in json && !('error' in json))).toBe(true);
	expect(run.main[1]).toEqual([
		{
			json: { ...items[1], id: lab.channelId('Support E-mail'), error: unsentShape },
			pairedItem: { item: 1 },
		},
		{
			json: { ...items[2], id: lab.channelId('Globex E-mail'), error: rejectedShape },
			pairedItem: { item: 2 },
		},
	]);
});

test('Stop Workflow: an error ends the execution and names the item', async () => {
	const good = { id: lab.channelId('Support E-mail'), to: 'ada@example.com' };
	const run = await send({ items: [good, { id: lab.channelId('Globex E-mail'), to: 'a@example.com' }] });

	expect(run.status).toBe('error');
	expect(run.error).toMatchObject({ name: 'NodeApiError', httpCode: '404', context: { itemIndex: 1 } });
	expect(run.error?.message).toMatch(/not found/i);
});

describe.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'%s: nothing is thrown',
	(onError) => {
		const output = onError === 'continueRegularOutput' ? 0 : 1;
		const items = [{ text: 'a' }, { text: 'b' }, { text: 'c' }];
		const getCurrent = { resource: 'apiKey', operation: 'getCurrent' };
		const badText = { toEmail: 'ada@example.com', text: "={{ $('No such node').item.json.text }}" };

		test.each<[why: string, words: RegExp, given: () => [INodeParameters, ExecuteOptions?]]>([
			[
				'the node has no credential',
				/credential/i,
				() => [getCurrent, { settings: { onError, credentials: {} } }],
			],
			[
				'the base URL is none of a service',
				/Base URL/,
				() => [getCurrent, { credential: { ...lab.credential, baseUrl: 'ftp://example.com' } }],
			],
			['the operation is not known', /operation/i, () => [{ resource: 'message', operation: 'shout' }]],
			['an expression fails', /No such node|expression/i, () => [lab.send({}, badText)]],
		])('when %s', async (_why, words, given) => {
			const [parameters, options] = given();
			const run = await lab.execute(parameters, { items, settings: { onError }, ...options });
			expect(run.error).toBeUndefined();
			expect(run.runsOf(run.nodeName).at(-1)?.error).toBeUndefined();
			expect(run.main[1 - output]).toEqual([]);
			expect(run.main[output]).toEqual(
				items.map((input, item) => ({
					json: { ...(output === 1 ? input : {}), error: unsentShape },
					pairedItem: { item },
				})),
			);
			for (const item of run.main[output] ?? []) {
				expect(`${errorOf(item).message} ${errorOf(item).description}`).toMatch(words);
			}
			expect(await lab.requests()).toEqual([]);
		});
	},
);
