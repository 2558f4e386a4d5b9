import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import { byId, once, useLab } from './lab.ts';

const lab = useLab();

/** Set FC_SEED and FC_RUNS to look further than the same few hundred parameters each time. */
const seed = Number(process.env['FC_SEED'] ?? 1);
const numRuns = Number(process.env['FC_RUNS'] ?? 8);
/** Looking for the smallest case that fails ends here, well before jest gives up. */
const interruptAfterTimeLimit = 40_000;

type Value = fc.Arbitrary<unknown>;

const emptiness = fc.constantFrom<unknown>(undefined, null, '', ' ', {}, []);
const anything = fc.oneof(
	emptiness,
	fc.string({ unit: 'binary' }),
	fc.jsonValue({ maxDepth: 3 }),
	fc.double(),
);
const mostly = (value: Value): Value =>
	fc.oneof({ weight: 8, arbitrary: value }, { weight: 1, arbitrary: anything });

const uuid = mostly(
	fc.oneof(
		fc.uuid(),
		fc.uuid().map((id) => ` ${id.toUpperCase()}\n`),
	),
);
const text = mostly(fc.string({ unit: 'grapheme', minLength: 1 }));
const email = mostly(
	fc.tuple(fc.stringMatching(/^\w{1,9}$/), fc.domain()).map(([name, host]) => `${name}@${host}`),
);
const int32 = mostly(fc.oneof(fc.integer(), fc.integer().map(String), fc.double()));
const flag = mostly(fc.oneof(fc.boolean(), fc.constantFrom('true', 'false')));
const timestamp = mostly(
	fc
		.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
		.chain((date) =>
			fc.constantFrom<unknown>(
				date,
				date.toISOString(),
				date.toISOString().slice(0, -1),
				date.toISOString().slice(0, 10),
				date.toISOString().replace('Z', '+05:45'),
			),
		),
);
const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
const json = mostly(
	fc.oneof(
		object,
		object.map((value) => JSON.stringify(value)),
	),
);

/** Objects with some of the fields, each of the right kind, most of the time. */
const some = (fields: Record<string, Value>): Value => fc.record(fields, { requiredKeys: [] });
const jsonOf = (fields: Record<string, Value>): Value =>
	mostly(fc.oneof(some(fields), some(fields).map(toJson)));
/** JSON text; what JSON can't say stays as it is. */
const toJson = (value: unknown): unknown => JSON.stringify(value) ?? value;

const address = { type: text, email, name: text, phone: anything };
const quotedMessage = {
	messageId: text,
	participant: text,
	body: text,
	type: text,
	thumbnail: text,
	isStatusReply: flag,
};
const referralAds = { sourceUrl: text, headline: text, ctwaClid: text };
const flags = {
	isFromMe: flag,
	isGroupMessage: flag,
	isForwarded: flag,
	isStatusMessage: flag,
	isHistoryMessage: flag,
	isNewsletter: flag,
	isBroadcast: flag,
	isAnnounceGroup: flag,
	isCommunityNotices: flag,
};
const packageFields = {
	packageId: uuid,
	correlationId: text,
	originPackageId: uuid,
	organizationID: uuid,
	organizationName: text,
	accountId: uuid,
	accountName: text,
	timestamp,
	echoMessage: flag,
	providerMetadata: json,
};
const contentFields = { ...flags, deliveryStrategy: int32, priority: int32, deliveryDeadline: timestamp };

interface Case {
	title: string;
	/** Parameters that stay as they are. */
	fixed: INodeParameters;
	/** Top-level parameters that come from the item; those that are locators. */
	fields?: Record<string, Value>;
	locators?: string[];
	/** Members of collections that come from the item, and which of them are locators. */
	collections?: Record<string, Record<string, Value>>;
}

const send = { resource: 'message', operation: 'send' };
const additionalFields = {
	...packageFields,
	...contentFields,
	from: jsonOf(address),
	contentMessageId: text,
	contentTimestamp: timestamp,
	quotedMessage: jsonOf(quotedMessage),
	referralAds: jsonOf(referralAds),
};
const channel = { fields: { channelId: uuid }, locators: ['channelId'] };
const sentMessage = {
	fields: { channelId: uuid, chatId: text, messageId: text },
	locators: ['channelId'],
	collections: { additionalFields: { correlationId: text } },
};
const list = {
	fields: { returnAll: flag, limit: int32, simplify: flag },
};

const cases: Case[] = [
	{
		title: 'send, e-mail',
		fixed: send,
		fields: { channelId: uuid, toEmail: email, text },
		locators: ['channelId'],
		collections: {
			additionalFields: { ...additionalFields, toName: text, contentType: mostly(fc.constant('TEXT')) },
		},
	},
	{
		title: 'send, another address in JSON',
		fixed: { ...send, addressType: 'other', toFieldsMode: 'json' },
		fields: { channelId: uuid, toType: text, toFields: jsonOf(address), text },
		locators: ['channelId'],
		collections: { additionalFields: { ...additionalFields, contentType: text } },
	},
	{
		title: 'send, another address in rows',
		fixed: {
			...send,
			addressType: 'other',
			toRows: {
				values: [
					{ name: '={{ $json.name }}', value: '={{ $json.value }}' },
					{ name: 'email', value: '={{ $json.email }}' },
				],
			},
		},
		fields: { channelId: uuid, toType: text, text, name: text, value: text, email },
		locators: ['channelId'],
	},
	{
		title: 'send, package',
		fixed: { ...send, inputMode: 'json' },
		fields: {
			channelId: uuid,
			package: jsonOf({
				...packageFields,
				channelId: uuid,
				content: some({
					...contentFields,
					text,
					to: some(address),
					type: text,
					from: some(address),
					messageId: text,
					timestamp,
					quotedMessage: some(quotedMessage),
					referralAds: some(referralAds),
				}),
			}),
		},
		locators: ['channelId'],
	},
	{
		title: 'edit',
		fixed: { resource: 'message', operation: 'edit' },
		...sentMessage,
		fields: { ...sentMessage.fields, newText: text },
	},
	{ title: 'delete a message', fixed: { resource: 'message', operation: 'delete' }, ...sentMessage },
	{
		title: 'create a channel',
		fixed: { resource: 'channel', operation: 'create', parametersMode: 'json' },
		fields: { name: text, channelType: text, providerId: uuid, accountId: uuid, parameters: json },
		locators: ['accountId'],
		collections: { additionalFields: { description: text, channelStatusId: int32 } },
	},
	{ title: 'list channels', fixed: { resource: 'channel', operation: 'getAll' }, ...list },
	{
		title: 'update the parameters of a channel',
		fixed: { resource: 'channel', operation: 'updateParameters', parametersMode: 'json' },
		...channel,
		fields: { ...channel.fields, parameters: json },
	},
	{
		title: 'get an outbox entry',
		fixed: { resource: 'outbox', operation: 'get' },
		...channel,
		fields: { ...channel.fields, entryId: uuid, simplify: flag },
	},
	{
		title: 'cancel an outbox entry',
		fixed: { resource: 'outbox', operation: 'cancel' },
		...channel,
		fields: { ...channel.fields, entryId: uuid },
	},
	{
		title: 'requeue outbox entries',
		fixed: { resource: 'outbox', operation: 'requeue', options: { grouping: 'perItem' } },
		fields: {
			channelId: uuid,
			organizationId: uuid,
			accountId: uuid,
			entryIds: fc.oneof(
				uuid,
				fc.array(uuid, { maxLength: 3 }),
				fc.array(uuid, { maxLength: 3 }).map((ids) => ids.map(String).join(',')),
			),
		},
		locators: ['channelId', 'accountId'],
	},
	{
		title: 'create an account',
		fixed: { resource: 'account', operation: 'create' },
		fields: { name: text },
		collections: { additionalFields: { description: text, organizationId: uuid } },
	},
	{ title: 'list accounts', fixed: { resource: 'account', operation: 'getAll' }, ...list },
	{
		title: 'update a key',
		fixed: { resource: 'apiKey', operation: 'update' },
		fields: { apiKeyId: uuid },
		collections: { updateFields: { name: text, description: text } },
	},
	{
		title: 'delete a key',
		fixed: { resource: 'apiKey', operation: 'delete' },
		fields: { apiKeyId: uuid },
	},
	{
		title: 'get the current key',
		fixed: { resource: 'apiKey', operation: 'getCurrent' },
		collections: { options: { includeToken: flag } },
	},
];

/** The node's parameters, each read from the item by an expression. */
function parametersOf({ fixed, fields = {}, locators = [], collections = {} }: Case): INodeParameters {
	const own = Object.keys(fields).map((name) => {
		const expression = `={{ $json.${name} }}`;
		return [name, locators.includes(name) ? byId(expression) : expression] as const;
	});
	const inside = Object.entries(collections).map(([collection, members]) => {
		const expressions = Object.keys(members).map(
			(name) => [name, `={{ $json.${collection}.${name} }}`] as const,
		);
		return [collection, Object.fromEntries(expressions)] as const;
	});
	return { options: once, ...fixed, ...Object.fromEntries(own), ...Object.fromEntries(inside) };
}

function itemsOf({ fields = {}, collections = {} }: Case): fc.Arbitrary<Array<Record<string, unknown>>> {
	const inside = Object.entries(collections).map(([name, members]) => [name, some(members)] as const);
	const item = fc.record({ ...fields, ...Object.fromEntries(inside) });
	return fc.array(item, { minLength: 1, maxLength: 25, size: 'max' });
}

test.each(cases)('$title: a request that conforms, or a clear error and none', async (oneCase) => {
	const parameters = parametersOf(oneCase);
	const operationId = `${String(parameters['resource'])}.${String(parameters['operation'])}`;
	await fc.assert(
		fc.asyncProperty(itemsOf(oneCase), async (items) => {
			await lab.client.clearRequests();

			const run = await lab.execute(parameters, {
				items: items as Array<Record<string, never>>,
				settings: { onError: 'continueRegularOutput' },
				timezone: 'Europe/Berlin',
			});

			expect(run.error).toBeUndefined();
			const requests = await lab.requestsOf(operationId);
			expect(
				requests.flatMap(({ problems, bodyText }) => problems.map((problem) => ({ problem, bodyText }))),
			).toEqual([]);
			const errors = run.json.flatMap(({ error }) =>
				error === undefined ? [] : [error as Record<string, unknown>],
			);
			const unsent = errors.filter(({ outcome }) => outcome === 'unsent');
			expect(requests).toHaveLength(items.length - unsent.length);
			for (const { message, description } of unsent) {
				// Some values can't even be handed over by n8n's expressions.
				expect(message).toMatch(/^(The field ".+" |Expression evaluation failed)/);
				expect(description).toMatch(/\S/);
			}
			for (const { outcome, statusCode } of errors.filter((error) => !unsent.includes(error))) {
				expect({ outcome, statusCode }).toEqual({
					outcome: 'rejected',
					statusCode: expect.any(Number) as number,
				});
			}
		}),
		{ seed, numRuns, interruptAfterTimeLimit },
	);
});
