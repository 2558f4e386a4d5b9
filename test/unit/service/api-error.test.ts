import { apiError } from '../../../nodes/Messaging/service/api-error.ts';
import { Counted } from '../support/counted.ts';
import { sendingNode as node } from '../support/sending-node.ts';

const words = { message: 'No such channel', description: 'Pick one that is there.', statusCode: 404 };

test('n8n shows the words, the way out, the status and the problem', () => {
	const problem = { title: 'Not Found', detail: 'No such channel' };
	const error = apiError(node, { ...words, problem });
	expect(error).toMatchObject({
		message: words.message,
		description: words.description,
		httpCode: '404',
		context: { data: problem },
	});
	expect(apiError(node, { ...words, statusCode: null, problem: null })).toMatchObject({
		message: words.message,
		description: words.description,
		httpCode: null,
		context: {},
	});
});

test.each([
	'connect ECONNREFUSED 127.0.0.1',
	'EPERM: ask your administrator',
	'getaddrinfo ENOTFOUND',
	'429',
])('the words stay as they are, also where n8n has some of its own for them: %s', (message) => {
	for (const statusCode of [null, 401, 429, 500]) {
		expect(apiError(node, { ...words, message, statusCode, problem: null }).message).toBe(message);
	}
});

test('n8n does not search the problem for what it is told: that takes seconds where one is long', () => {
	const counted = new Counted(0);
	const problem = counted.watch({ errors: [{ message: 'another' }], error: { message: 'one more' } });
	const error = apiError(node, { ...words, problem });
	expect(error.message).toBe(words.message);
	expect(error.description).toBe(words.description);
	expect(error.context.data).toBe(problem);
});
