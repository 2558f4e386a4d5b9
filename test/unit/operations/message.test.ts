import { ids } from '../../cases/values.ts';
import { operationUnderTest } from '../support/operations.ts';

test('edit keeps texts as they were entered', () => {
	const given = { chatId: ' ada@example.com/…', messageId: '<id>', newText: ' a\n"b" ' };
	expect(operationUnderTest('message.edit').body(given)).toStrictEqual({ ...given, channelId: ids.channel });
});
