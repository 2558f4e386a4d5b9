import { cases, idsWhere, operationIds, type OperationId, type RecordForms } from '../../cases/index.mts';
import { membersOf, operationUnderTest } from '../support/operations.mts';
import { fullRecord } from '../../../api/interface.mts';

const recordOf = (id: OperationId): RecordForms => {
	const { record } = cases[id];
	if (record === null) throw new Error(`${id} gives no record`);
	return record;
};

const withRecord = idsWhere(({ record }) => record !== null);

describe.each(withRecord)('%s, simplified', (id) => {
	const under = operationUnderTest(id);
	const { schema, fields, simplified, example } = recordOf(id);
	const { ownFields } = cases[id].reply;
	const record = fullRecord(schema);
	const itemOf = (reply: unknown) =>
		under.output(cases[id].reply.list ? [reply] : reply, simplified)[0] ?? {};

	test('gives at most ten fields that the interface describes, flat, the most useful first', () => {
		const item = itemOf(record);
		expect(Object.keys(item)).toStrictEqual(fields);
		expect(fields.length).toBeLessThanOrEqual(10);
		for (const value of Object.values(item)) expect(['string', 'number', 'boolean']).toContain(typeof value);
	});

	test('a record of nulls gives the same fields, null but for what the node knows', () => {
		const nulls = Object.fromEntries(fields.map((name) => [name, null]));
		const reply = Object.fromEntries(Object.keys(record).map((name) => [name, null]));
		expect(itemOf(reply)).toStrictEqual({ ...nulls, ...ownFields });
	});

	test.each([{}, { payload: { deep: [1] }, code: 0 }])('anything else passes on as it came: %j', (reply) => {
		expect(itemOf(reply)).toStrictEqual({ ...ownFields, ...reply });
	});

	test('takes each value from its place', () => {
		expect(itemOf(example.record)).toMatchObject(example.gives);
	});
});

/** The same record with a secret in every object that the API describes, under each name that secrets have. */
function withSecrets(record: unknown, secret: string): unknown {
	if (Array.isArray(record)) return record.map((member) => withSecrets(member, secret));
	// The user's own objects, such as a channel's parameters, are empty here and stay so.
	if (typeof record !== 'object' || record === null || Object.keys(record).length === 0) return record;
	const members = Object.entries(record).map(([name, member]) => [name, withSecrets(member, secret)]);
	return { ...Object.fromEntries(members), apiKey: secret, token: secret, curlCommand: secret } as object;
}

describe('no token and no command line is a column', () => {
	const secret = 'acc_secret';

	test.each(operationIds)('%s', (id) => {
		const under = operationUnderTest(id);
		const { fields } = under.operation;
		const options = fields.filter(({ name }) => name === 'options').flatMap(membersOf);
		const offered = [...fields, ...options].map(({ name }) => name);
		// Every operation with a simplified output must be covered by its case.
		expect(cases[id].record !== null).toBe(offered.includes('simplify'));
		if (cases[id].record === null) return;

		const { schema, simplified } = recordOf(id);
		const record = withSecrets(fullRecord(schema), secret);
		const output = under.output(cases[id].reply.list ? [record] : record, simplified);
		expect(output).toHaveLength(1);
		expect(JSON.stringify(output)).not.toContain(secret);
	});
});
