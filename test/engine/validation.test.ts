import { isDeepStrictEqual } from 'node:util';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { findOperation } from '../../nodes/Messaging/operations/index.ts';
import { cases, operationIds, type Parameters } from '../cases/index.ts';
import { byId, ids } from '../cases/values.ts';
import { membersOf } from '../unit/support/operations.ts';
import { useLab } from './lab.ts';

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

/** Stands for the value of an item while its parameters are made. */
const marker = '={{ $json.value }}';

/** Parameters that hold the item's value, JSON among them as an expression that makes it. */
function expressionsOf(given: Parameters, fields: readonly INodeProperties[]): INodeParameters {
	const expressed = Object.entries(given).map(([name, value]) => {
		const field = fields.find((candidate) => candidate.name === name);
		if (field?.type === 'json' && typeof value === 'object') {
			const json = JSON.stringify(value, null, ' ').replaceAll(JSON.stringify(marker), '$json.value');
			return [name, `={{ (${json}) }}`];
		}
		const isCollection = field?.type === 'collection' && typeof value === 'object' && value !== null;
		return [name, isCollection ? expressionsOf(value as Parameters, membersOf(field)) : value];
	});
	return Object.fromEntries(expressed) as INodeParameters;
}

const rows = operationIds.flatMap((id) => {
	const [resource = '', operation = ''] = id.split('.');
	const { least, refused } = cases[id];
	const fields = findOperation(resource, operation)?.fields ?? [];
	return refused.map(({ field, at, values }) => ({
		id,
		field,
		at: JSON.stringify(at('…')),
		values,
		parameters: {
			resource,
			operation,
			...expressionsOf({ ...least.given, ...at(marker) }, fields),
		} as INodeParameters,
	}));
});

test.each(rows)(
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
	expect(run.error?.message).toContain('New Text');
	expect(await lab.requests()).toEqual([]);
});

test.each([{}, { contentType: 'TEXT' }, { contentType: ' TEXT ' }])(
	'an empty text is refused before anything is sent with %j',
	async (additionalFields) => {
		const run = await lab.execute({ ...send, text: '', additionalFields });

		expect(run.status).toBe('error');
		expect(run.error?.message).toContain('"Text"');
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
