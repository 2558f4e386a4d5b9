import { operations } from '../../../nodes/Messaging/operations/index.ts';
import { ACCOUNT } from '../../../nodes/Messaging/operations/account/getAll.ts';
import { SIMPLE_API_KEY } from '../../../nodes/Messaging/operations/apiKey/getCurrent.ts';
import { CHANNEL } from '../../../nodes/Messaging/operations/channel/getAll.ts';
import { OUTBOX_ENTRY } from '../../../nodes/Messaging/operations/outbox/get.ts';
import { cases, idsWhere, operationIds, type OperationId, type RecordForms } from '../../cases/index.ts';
import { membersOf, operationUnderTest } from '../support/operations.ts';
import { fullRecord } from '../../../api/interface.ts';
import { withSecrets } from '../support/records.ts';

const recordOf = (id: OperationId): RecordForms => {
	const { record } = cases[id];
	if (record === null) throw new Error(`${id} gives no record`);
	return record;
};

/** The fields that an operation lets the user select, by label. */
const selectable = (id: OperationId): Array<[label: string, value: string]> => {
	const field = operationUnderTest(id).operation.fields.find(({ name }) => name === 'outputFields');
	return (field?.options ?? []).map((option) => [option.name, 'value' in option ? String(option.value) : '']);
};

const withRecord = idsWhere(({ record }) => record !== null);
const selecting = operationIds.filter((id) => selectable(id).length > 0);

describe.each(withRecord)('%s, simplified', (id) => {
	const under = operationUnderTest(id);
	const { schema, fields, simplified, raw, example } = recordOf(id);
	const { known } = cases[id].reply;
	const record = fullRecord(schema);
	const itemOf = (reply: unknown) =>
		under.output(cases[id].reply.list ? [reply] : reply, simplified)[0] ?? {};

	test('gives at most ten fields, the most useful first', () => {
		expect(Object.keys(itemOf(record))).toStrictEqual(fields);
		expect(fields.length).toBeLessThanOrEqual(10);
	});

	test('finds each of them in a record as the interface describes it, flat', () => {
		for (const value of Object.values(itemOf(record))) {
			expect(['string', 'number', 'boolean']).toContain(typeof value);
		}
	});

	test.each([
		['without any field', {}],
		['of nulls', Object.fromEntries(Object.keys(record).map((name) => [name, null]))],
	])('a record %s gives the same fields, null but for what the node knows', (_kind, reply) => {
		const nulls = Object.fromEntries(fields.map((name) => [name, null]));
		expect(itemOf(reply)).toStrictEqual({ ...nulls, ...known });
	});

	test('takes each value from its place', () => {
		expect(itemOf(example.record)).toMatchObject(example.gives);
	});

	test('is not when the record is wanted as it is', () => {
		expect(under.output(record, raw)).toStrictEqual([record]);
	});
});

describe.each(selecting)('%s: fields that are selected', (id) => {
	const under = operationUnderTest(id);
	const { schema, fields } = recordOf(id);
	const record = fullRecord(schema);
	const [idField = '', , other = ''] = fields;

	test.each([{ output: 'raw' }, { output: 'raw', simplify: false }])('none with %j', (given) => {
		expect(under.output(record, given)).toStrictEqual([record]);
	});

	test('come with the id, and no others', () => {
		const [simplified = {}] = under.output(record);
		const given = { output: 'selected', outputFields: [other] };
		expect(under.output(record, given)).toStrictEqual([{ [idField]: 'text', [other]: simplified[other] }]);
		for (const nothing of [[], '', null, 5, ['no such field']]) {
			expect(under.output(record, { ...given, outputFields: nothing })).toStrictEqual([
				{ [idField]: 'text' },
			]);
		}
	});

	test('are found in the record, each of them', () => {
		const all = selectable(id).map(([, value]) => value);
		expect(all).toEqual(expect.arrayContaining(fields.slice(1)));
		const [item = {}] = under.output(record, { output: 'selected', outputFields: all });
		expect(Object.keys(item).sort()).toStrictEqual([...all, fields[0]].sort());
		for (const name of all) expect({ name, value: item[name] }).not.toStrictEqual({ name, value: null });
	});

	test('are labelled in words', () => {
		const labels = Object.fromEntries(selectable(id).map(([label, value]) => [value, label]));
		expect(labels).toMatchObject({ createdAt: 'Created At' });
		const spelt = { organizationId: 'Organization ID', statusName: 'Status Name' };
		for (const [name, label] of Object.entries(spelt)) {
			if (name in labels) expect(labels[name]).toBe(label);
		}
		expect(Object.values(labels).filter((label) => !/^[A-Z]/.test(label))).toStrictEqual([]);
	});
});

describe.each(withRecord.filter((id) => !cases[id].reply.list))(
	'%s, simplified: an answer that is no record',
	(id) => {
		const { simplified } = recordOf(id);
		const forms = selecting.includes(id) ? [simplified, { output: 'selected' }] : [simplified];

		test.each<[kind: string, reply: unknown, adds: object]>([
			['nothing', undefined, {}],
			['null', null, {}],
			['text', 'Created', { response: 'Created' }],
			['a list', [{ name: 'a' }], { response: [{ name: 'a' }] }],
			['a number', 0, { response: 0 }],
		])('%s', (_kind, reply, adds) => {
			for (const form of forms) {
				expect(operationUnderTest(id).output(reply, form)).toStrictEqual([
					{ ...cases[id].reply.known, ...adds },
				]);
			}
		});
	},
);

describe('no token and no command line is a column', () => {
	const secret = 'acc_secret';
	const secretName = /^(curlCommand|apiKey|token|secret|password)$|token$/i;

	test.each(operations.map(({ resource, name }) => `${resource}.${name}` as OperationId))('%s', (id) => {
		const under = operationUnderTest(id);
		const offers = (name: string) => {
			const { fields } = under.operation;
			return [...fields, ...fields.filter((field) => field.name === 'options').flatMap(membersOf)].some(
				(field) => field.name === name,
			);
		};
		// Every operation with a simplified output must be covered by its case.
		expect(cases[id].record !== null).toBe(offers('simplify') || offers('outputFields'));
		if (cases[id].record === null) return;

		const { schema, simplified } = recordOf(id);
		const record = withSecrets(fullRecord(schema), secret);
		const names = selectable(id).map(([, value]) => value);
		expect(names.filter((name) => secretName.test(name))).toStrictEqual([]);
		const everything = [...names, 'apiKey', 'token', 'curlCommand', 'resourcePlan.apiKey'];
		const forms = [simplified, { output: 'selected', outputFields: everything }];
		for (const form of names.length > 0 ? forms : [simplified]) {
			const output = under.output(cases[id].reply.list ? [record] : record, form);
			expect(output).toHaveLength(1);
			expect(JSON.stringify(output)).not.toContain(secret);
		}
	});

	test('by its name or its place in the record, in no list of columns', () => {
		/** The columns of a list and their paths, at any depth. */
		const columnsOf = (value: unknown): Array<[name: string, path: string]> =>
			Object.entries(value as object).flatMap(([name, member]) =>
				typeof member === 'string' ? [[name, member] as [string, string]] : columnsOf(member),
			);
		const columns = columnsOf({ ACCOUNT, CHANNEL, OUTBOX_ENTRY, SIMPLE_API_KEY });
		expect(columns.length).toBeGreaterThan(0);
		const secrets = columns.filter(
			([name, path]) => secretName.test(name) || path.split('.').some((part) => secretName.test(part)),
		);
		expect(secrets).toStrictEqual([]);
	});
});
