import { isDeepStrictEqual } from 'node:util';
import type { INodeParameters } from 'n8n-workflow';
import { byId, ids } from '../cases/values.ts';
import { useLab } from './lab.ts';
import { refusals } from './refusals.ts';

const lab = useLab();

const send: INodeParameters = {
	resource: 'message',
	operation: 'send',
	channelId: byId(ids.channel),
	toEmail: 'ada@example.com',
	text: 'Hello',
};
const edit: INodeParameters = {
	resource: 'message',
	operation: 'edit',
	channelId: byId(ids.channel),
	chatId: 'chat',
	messageId: 'message',
	newText: 'New',
};
const other: INodeParameters = { ...send, addressType: 'other', toType: 'SMS' };
const rowsOf = (...rows: Array<[name: string, value: string]>): INodeParameters => ({
	toRows: { values: rows.map(([name, cell]) => ({ name, value: cell })) },
});

test.each(refusals)(
	'$id: $field in $at is refused before anything is sent',
	async ({ field, parameters, values }) => {
		const items = values.map((value) => ({ value: value as string }));

		const run = await lab.execute(parameters, { items, settings: { onError: 'continueRegularOutput' } });

		expect(run.error).toBeUndefined();
		const wrong = run.main[0].flatMap(({ json: { error }, pairedItem }, item) => {
			const { message, outcome } = (error ?? {}) as Record<string, unknown>;
			const named =
				String(message).startsWith(`The field "${field}" `) && isDeepStrictEqual(pairedItem, { item });
			return outcome === 'unsent' && named ? [] : [{ value: values[item], error, pairedItem }];
		});
		expect(wrong).toEqual([]);
		expect(run.main[0]).toHaveLength(values.length);

		const stopped = await lab.execute(parameters, { items: items.slice(0, 1) });
		expect(stopped.status).toBe('error');
		expect(stopped.error).toMatchObject({ name: 'NodeOperationError', context: { itemIndex: 0 } });
		expect(stopped.error?.message).toContain(field);

		expect(await lab.requests()).toEqual([]);
	},
);

test('an empty required field that is no expression is refused by n8n before the node runs', async () => {
	const run = await lab.execute({ ...edit, newText: '' });

	expect(run.status).toBe('error');
	expect(run.error?.message).toMatch(/New Text|The workflow has issues/);
	expect(await lab.requests()).toEqual([]);
});

test.each([{}, { contentType: 'TEXT' }, { contentType: ' TEXT ' }])(
	'an empty text is refused before anything is sent with %j',
	async (additionalFields) => {
		const run = await lab.execute({ ...send, text: '', additionalFields });

		expect(run.status).toBe('error');
		expect(run.error?.message).toMatch(/"Text"|The workflow has issues/);
		expect(await lab.requests()).toEqual([]);
	},
);

test.each([
	['IMAGE', { type: 'IMAGE' }],
	['={{ "IMAGE" }}', { type: 'IMAGE' }],
	['', {}],
])('the text may be empty when the content type is %j', async (contentType, type) => {
	const run = await lab.execute({
		...send,
		channelId: byId(lab.channelId('Support E-mail')),
		text: '',
		additionalFields: { contentType },
	});

	expect(run.error).toBeUndefined();
	const [request] = await lab.requests();
	expect(request?.conforms).toBe(true);
	const to = { type: 'EMAIL', email: 'ada@example.com' };
	expect((request?.body as { content: object }).content).toEqual({ ...type, to });
});

test('a text beside another content type goes out too', async () => {
	await lab.execute({
		...send,
		channelId: byId(lab.channelId('Support E-mail')),
		additionalFields: { contentType: 'IMAGE' },
	});

	const [request] = await lab.requests();
	expect(request).toMatchObject({ body: { content: { type: 'IMAGE', text: 'Hello' } } });
});

test('the name of a recipient belongs to e-mail addresses', async () => {
	const channelId = byId(lab.channelId('Support WhatsApp'));
	const additionalFields = { toName: 'Ada' };
	await lab.execute({ ...other, ...rowsOf(['phone', '1']), channelId, additionalFields });

	const [request] = await lab.requests();
	expect((request?.body as { content: { to: object } }).content.to).toEqual({ type: 'SMS', phone: '1' });
});

test('a package that names its channel needs no other', async () => {
	const channelId = lab.channelId('Support E-mail');
	const run = await lab.execute({
		resource: 'message',
		operation: 'send',
		inputMode: 'json',
		package: JSON.stringify({
			channelId,
			content: { text: 'Hi', to: { type: 'EMAIL', email: 'a@example.com' } },
		}),
	});

	expect(run.error?.message).toBeUndefined();
	expect(run.json[0]).toMatchObject({ channelId });
});

test('a body that can not be written as JSON is not sent, and the items after it are', async () => {
	const channelId = byId(lab.channelId('Support E-mail'));
	const providerMetadata = '={{ $json.deep ? \'{"a":\'.repeat(20000) + "1" + "}".repeat(20000) : "{}" }}';
	const run = await lab.execute(
		{ ...send, channelId, additionalFields: { providerMetadata } },
		{ items: [{ deep: true }, { deep: false }], settings: { onError: 'continueRegularOutput' } },
	);

	expect(run.main[0][0]?.json.error).toMatchObject({
		message: 'The request could not be written as JSON',
		outcome: 'unsent',
	});
	expect(run.main[0][1]?.json.error).toBeUndefined();
	expect(await lab.requests()).toHaveLength(1);
});
