import fc from 'fast-check';

import { cases, idsWhere, type Parameters } from '../../cases/index.ts';
import { sendExtras } from '../../cases/send-samples.ts';
import { ids } from '../../cases/values.ts';
import {
	addressFields,
	addressRows,
	email,
	instant,
	int32,
	jsonObject,
	otherContent,
	runs,
	text,
	valueOf,
} from '../support/arbitraries.ts';
import { endpointOf } from '../../../api/interface.ts';
import { wire } from '../support/interface.ts';
import { operationUnderTest } from '../support/operations.ts';

test.each(idsWhere(({ fromBody }) => fromBody !== null))('%s: what is given arrives unchanged', (id) => {
	const under = operationUnderTest(id);
	const { required = [], given } = cases[id].fromBody ?? {};
	fc.assert(
		fc.property(valueOf(endpointOf(id).body ?? {}, required), (body) => {
			expect(wire(under.body(given?.(body as Parameters)))).toStrictEqual(wire(body));
		}),
		runs(200),
	);
});

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
				if (name === 'otherContent') return [[name, otherContent]];
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
				Object.assign(expected.content, additionalFields['otherContent']);
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

test.each(idsWhere(({ reply }) => reply.list))('%s: query parameters arrive in their order', (id) => {
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
