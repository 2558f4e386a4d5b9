import { fieldName } from '../../../nodes/Messaging/fields/field-name.ts';
import { operations } from '../../../nodes/Messaging/operations/index.ts';
import { operationUnderTest } from '../support/operations.ts';
import { leastParameters, type Parameters } from '../support/samples.ts';

/** What the service's fields are called for an item with these parameters. */
function namesFor(id: string, given: Parameters = {}): (path: string) => string {
	const { operation, compile } = operationUnderTest(id);
	const { sources } = compile(given);
	return (path) => fieldName(operation.fields, path, sources);
}

describe('what the service refuses is called as the form calls it', () => {
	test.each([
		['content.to.email', 'To Email'],
		['Content.To.Email', 'To Email'],
		['message.content.to.email', 'message.content.to.email'],
		['content.to', 'To Email'],
		['content.to.name', 'To Name'],
		['content.to.type', 'Address Type'],
		['content.text', 'Text'],
		['Content.Text', 'Text'],
		['text', 'Text'],
		['content.messageId', 'Content Message ID'],
		['content.timestamp', 'Content Timestamp'],
		['timestamp', 'Timestamp'],
		['content.type', 'Content Type'],
		['content.priority', 'Priority'],
		['content.quotedMessage.body', 'Quoted Message > body'],
		['providerMetadata.text', 'Provider Metadata > text'],
		['channelId', 'Channel'],
		['organizationID', 'Organization ID'],
		['timeout', 'timeout'],
		['content', 'content'],
		['whatever.else', 'whatever.else'],
		['', ''],
	])('send to an e-mail address: %s is %s', (path, name) => {
		expect(namesFor('message.send')(path)).toBe(name);
	});

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
		const given = { inputMode: 'json', package: { content: { text: 'x' } } };
		const { label } = operationUnderTest('message.send');
		expect(namesFor('message.send', given)('content.to.email')).toBe(
			`${label('package')} > content.to.email`,
		);
	});

	test.each([
		['message.edit', 'newText', 'New Text'],
		['message.edit', 'messageId', 'Message ID'],
		['message.edit', 'correlationId', 'Correlation ID'],
		['channel.create', 'Name', 'Name'],
		['channel.create', 'parameters.host', 'Parameters > host'],
		['channel.create', 'providerId', 'Provider'],
		['channel.updateParameters', 'id', 'Channel'],
		['outbox.get', 'id', 'Entry ID'],
		['outbox.cancel', 'id', 'Entry ID'],
		['outbox.requeue', 'ids.0', 'Entry IDs'],
		['apiKey.update', 'id', 'API Key ID'],
		['apiKey.delete', 'id', 'API Key ID'],
		['account.create', 'organizationId', 'Organization'],
	])('%s: %s is %s', (id, path, name) => {
		expect(namesFor(id)(path)).toBe(name);
	});
});

test.each(operations.map(({ resource, name }) => `${resource}.${name}`))(
	'%s: every source is a parameter of its own',
	(id) => {
		const cases: Parameters[] = [
			leastParameters[id] ?? {},
			...(id === 'message.send'
				? [
						{ addressType: 'other', toType: 'PHONE', toFieldsMode: 'json', toFields: { phone: '+43' } },
						{ inputMode: 'json', package: { content: { text: 'x' } } },
					]
				: []),
		];
		for (const given of cases) {
			const { operation, compile } = operationUnderTest(id);
			for (const source of Object.values(compile(given).sources ?? {})) {
				expect(fieldName(operation.fields, source)).not.toBe(source);
			}
		}
	},
);
