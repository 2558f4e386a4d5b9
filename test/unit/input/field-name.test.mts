import { editorName } from '../../../nodes/Messaging/input/field-name.ts';
import { cases, operationIds, type OperationId, type Parameters } from '../../cases/index.mts';
import { operationUnderTest } from '../support/operations.mts';

/** The labels of the service's fields for an item with these parameters. */
function namesFor(id: OperationId, given: Parameters = {}): (path: string) => string {
	const { operation, compile } = operationUnderTest(id);
	const { sources } = compile(given);
	return (path) => editorName(operation.fields, path, sources);
}

describe('what the service refuses is called as the form calls it', () => {
	const labels = operationIds.flatMap((id) =>
		Object.entries(cases[id].labels).map(([path, name]) => ({ id, path, name })),
	);

	test.each(labels)('$id: $path is $name', ({ id, path, name }) => {
		expect(namesFor(id)(path)).toBe(name);
	});

	test.each(['timeout', 'content', 'whatever.else', '', 'constructor', '__proto__', 'toString.length'])(
		'what no field is for stays as it is: %j',
		(path) => {
			expect(namesFor('message.send')(path)).toBe(path);
		},
	);

	test.each([
		['content.to.type', 'To Type'],
		['content.to', 'To Fields'],
		['content.to.phone', 'To Fields > phone'],
		['content.text', 'Text'],
	])('send to another address: %s is %s', (path, name) => {
		const given = { addressType: 'other', toType: 'PHONE', toFieldsMode: 'json', toFields: { phone: '+43' } };
		expect(namesFor('message.send', given)(path)).toBe(name);
	});

	test('send as JSON: all of it stands in the package', () => {
		const given = { inputMode: 'json', package: { content: { text: 'x', to: { phone: '1' } } } };
		expect(namesFor('message.send', given)('content.to.email')).toBe('Package > content.to.email');
	});
});
