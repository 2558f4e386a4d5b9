import { operationUnderTest } from '../support/operations.ts';
import { testReplies } from '../support/replies.ts';
import { testRequired } from '../support/required.ts';
import { ids } from '../support/samples.ts';

describe('create', () => {
	const create = operationUnderTest('account.create');

	test('posts the name alone when nothing else is given', () => {
		expect(create.compile().call).toStrictEqual({
			method: 'POST',
			path: '/api/v1/Admin/Account',
			body: { name: 'Support' },
		});
	});

	test.each([
		['description', 'For customers'],
		['organizationId', ids.organization],
	])('additional field %s goes out', (name, value) => {
		expect(create.body({ additionalFields: { [name]: value } })).toStrictEqual({
			name: 'Support',
			[name]: value,
		});
	});

	test.each(['description', 'organizationId'])(
		'additional field %s is not on the wire when empty',
		(name) => {
			for (const empty of ['', null, undefined]) {
				expect(create.body({ additionalFields: { [name]: empty } })).toStrictEqual({ name: 'Support' });
			}
		},
	);

	testRequired(create, ['name']);

	test.each([
		['organizationId', 'acme'],
		['description', ['a']],
	])('refuses a wrong %s', (name, value) => {
		const { field } = create.refusal({ additionalFields: { [name]: value } });
		expect(field).toBe(create.label(`additionalFields.${name}`));
	});

	testReplies({ ...create, output: (reply) => create.output(reply, { simplify: false }) }, {});
});
