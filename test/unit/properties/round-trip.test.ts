import fc from 'fast-check';

import {
	addressFields,
	addressRows,
	email,
	instant,
	int32,
	jsonObject,
	runs,
	text,
	valueOf,
} from '../support/arbitraries.ts';
import { wire } from '../support/interface.ts';
import { operationUnderTest } from '../support/operations.ts';
import { ids, sendExtras, type Parameters } from '../support/samples.ts';

/** A body of the interface with these fields at least, and the parameters that must make it. */
interface RoundTrip {
	schema: string;
	required: string[];
	parametersFor: (body: Parameters) => Parameters;
}

const roundTrips: Record<string, RoundTrip> = {
	'account.create': {
		schema: 'CreateAccount',
		required: ['name'],
		parametersFor: ({ name, ...additionalFields }) => ({ name, additionalFields }),
	},
	'channel.create': {
		schema: 'CreateChannel',
		required: ['name', 'channelType', 'providerId', 'accountId', 'parameters'],
		parametersFor: ({ description, feedbackChannelId, channelStatusId, ...fields }) => ({
			...fields,
			parametersMode: 'json',
			additionalFields: { description, feedbackChannelId, channelStatusId },
		}),
	},
	'channel.updateParameters': {
		schema: 'UpdateChannelParameters',
		required: ['channelId', 'parameters'],
		parametersFor: (body) => ({ ...body, parametersMode: 'json' }),
	},
	'apiKey.update': {
		schema: 'UpdateApiKey',
		required: ['apiKeyId', 'name'],
		parametersFor: ({ apiKeyId, ...updateFields }) => ({ apiKeyId, updateFields }),
	},
	'outbox.requeue': {
		schema: 'RequeueOutbox',
		required: ['ids', 'channelId', 'organizationId', 'accountId'],
		parametersFor: ({ ids: entryIds, ...fields }) => ({ ...fields, entryIds }),
	},
	'message.edit': {
		schema: 'EditMessage',
		required: ['messageId', 'chatId', 'newText', 'channelId'],
		parametersFor: ({ correlationId, ...fields }) => ({ ...fields, additionalFields: { correlationId } }),
	},
	'message.delete': {
		schema: 'DeleteMessage',
		required: ['messageId', 'chatId', 'channelId'],
		parametersFor: ({ correlationId, ...fields }) => ({ ...fields, additionalFields: { correlationId } }),
	},
	'message.send': {
		schema: 'MessagePackage',
		required: ['packageId', 'channelId', 'content'],
		parametersFor: (body) => ({ inputMode: 'json', package: JSON.stringify(body) }),
	},
};

test.each(Object.entries(roundTrips))(
	'%s: what is given arrives unchanged',
	(id, { schema, required, parametersFor }) => {
		const under = operationUnderTest(id);
		fc.assert(
			fc.property(valueOf({ $ref: schema }, required), (body) => {
				expect(wire(under.body(parametersFor(body as Parameters)))).toStrictEqual(wire(body));
			}),
			runs(200),
		);
	},
);

describe('message.send in fields', () => {
	const send = operationUnderTest('message.send');
	const byType: Record<string, fc.Arbitrary<unknown>> = {
		string: text,
		number: int32,
		boolean: fc.boolean(),
		dateTime: instant.map((date) => date.toISOString()),
	};
	const schemas: Record<string, string> = {
		from: 'Address',
		quotedMessage: 'QuotedMessage',
		referralAds: 'ReferralAds',
	};
	const options = send.operation.fields.find(({ name }) => name === 'additionalFields')?.options ?? [];
	const extras = fc.record(
		Object.fromEntries(
			options.flatMap((option) => {
				if (!('type' in option)) return [];
				const { name, type, placeholder = '' } = option;
				if (/-\w{4}-\w{4}-/.test(placeholder)) return [[name, fc.uuid()]];
				const json =
					schemas[name] === undefined
						? jsonObject.filter((object) => Object.keys(object).length > 0)
						: valueOf({ $ref: schemas[name] });
				return [[name, byType[type] ?? json]];
			}),
		),
		{ requiredKeys: [] },
	);

	test('every additional field arrives unchanged, in its place', () => {
		fc.assert(
			fc.property(text, email, extras, (message, toEmail, additionalFields) => {
				const expected: { content: Parameters } & Parameters = {
					packageId: ids.call,
					channelId: ids.channel,
					content: { text: message, type: 'TEXT', to: { type: 'EMAIL', email: toEmail } },
				};
				const { toName, contentType } = additionalFields as Record<string, string | undefined>;
				if (toName !== undefined)
					expected.content.to = { type: 'EMAIL', email: toEmail, name: toName.trim() };
				if (contentType !== undefined) expected.content.type = contentType.trim();
				for (const [name, , where, wireName] of sendExtras) {
					if (!Object.hasOwn(additionalFields, name)) continue;
					(where === 'content' ? expected.content : expected)[wireName] = additionalFields[name];
				}
				expect(wire(send.body({ text: message, toEmail, additionalFields }))).toStrictEqual(wire(expected));
			}),
			runs(300),
		);
	});

	test('every field of an address of another kind arrives unchanged, but for its type', () => {
		fc.assert(
			fc.property(text, addressFields, (toType, toFields) => {
				const { content } = send.body({
					addressType: 'other',
					toType,
					toFieldsMode: 'json',
					toFields,
				}) as { content: { to: unknown } };
				expect(wire(content.to)).toStrictEqual(wire({ ...(toFields as object), type: toType.trim() }));
			}),
			runs(200),
		);
	});

	test('every row of an address arrives as the text that it is', () => {
		fc.assert(
			fc.property(text, addressRows, (toType, rows) => {
				const { content } = send.body({
					addressType: 'other',
					toType,
					toRows: { values: [{ name: '', value: '' }, ...rows, { name: 'type', value: 'loses' }] },
				}) as { content: { to: unknown } };
				const fields = Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value]));
				expect(wire(content.to)).toStrictEqual(wire({ ...fields, type: toType.trim() }));
			}),
			runs(200),
		);
	});
});

test.each(['account.getAll', 'channel.getAll'])('%s: query parameters arrive in their order', (id) => {
	const list = operationUnderTest(id);
	const rows = fc.array(fc.record({ name: text, value: fc.string({ unit: 'grapheme' }) }), {
		minLength: 1,
		maxLength: 5,
	});
	fc.assert(
		fc.property(rows, (parameters) => {
			const { call } = list.compile({ options: { queryParameters: { parameters } } });
			expect(call.query).toStrictEqual(parameters.map(({ name, value }) => [name.trim(), value]));
		}),
		runs(200),
	);
});
