/** No answer holds n8n up: what it is made of makes little difference. */
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { ask, type Service, serviceOf } from '../../../nodes/Messaging/service/connect.ts';
import { ids } from '../../cases/values.mts';

const BYTES = 400_000;
const body = { packageId: ids.call };
const calls: Record<string, ApiCall> = {
	send: { method: 'POST', path: '/api/v1/message/SendMessage', body },
	list: { method: 'GET', path: '/api/v1/Admin/Channel' },
};

/** The same number of bytes in each. */
const texts = {
	'combining marks': '\u0300\u0323'.repeat(BYTES / 4),
	'digits of another script': '٣'.repeat(BYTES / 2),
	'signs that begin a tag': '<'.repeat(BYTES),
	'beginnings of keys': 'acc_'.repeat(BYTES / 4),
};
const letters = 'abcdefghij'.repeat(BYTES / 10);

/** An answer with a text in one of its parts. */
const parts: Record<string, (text: string) => unknown> = {
	'a title': (text) => ({ title: text, detail: 'Why' }),
	'what is said of a field': (text) => ({ errors: { [text]: [text] } }),
	'a list of errors': (text) => ({ errors: [{ pointer: text, detail: text }] }),
	'a member': (text) => ({ data: { [text]: text } }),
	'a parameter': (text) => [{ parameters: { headers: [{ name: text, value: text }], url: text } }],
	'the whole': (text) => text,
};

/** The CPU time of some work, in milliseconds: the least of several, because others use the machine, too. */
async function cpuOf(work: () => unknown): Promise<number> {
	const times: number[] = [];
	for (let n = 0; n < 3; n++) {
		const before = process.cpuUsage();
		await work();
		const { user, system } = process.cpuUsage(before);
		times.push((user + system) / 1000);
	}
	return Math.min(...times);
}

async function cpuOfAnswer(statusCode: number, call: ApiCall, text: string): Promise<number> {
	const response = { statusCode, headers: { 'content-type': 'application/json' }, body: text };
	const credential = { baseUrl: 'https://service.example', apiKey: 'acc_0123456789abcdef' };
	const service = serviceOf(credential, () => Promise.resolve(response)) as Service;
	return await cpuOf(async () => await ask(service, call, { timeoutMs: 60_000 }));
}

describe.each([200, 400, 503])('an answer with %i', (status) => {
	test.each(Object.entries(parts))('whose text is in %s', async (_part, answerWith) => {
		for (const call of Object.values(calls)) {
			const ofLetters = await cpuOfAnswer(status, call, JSON.stringify(answerWith(letters)));
			for (const text of Object.values(texts)) {
				const cpu = await cpuOfAnswer(status, call, JSON.stringify(answerWith(text)));
				// A millisecond is as exact as it gets.
				expect(cpu).toBeLessThanOrEqual(3 * ofLetters + 3);
			}
		}
	});

	test('with 100,000 names costs little more than to parse and write it, and a refusal as much as one of letters', async () => {
		const names = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [n.toString(36), 1]));
		for (const answer of [names, { parameters: names }]) {
			const text = JSON.stringify(answer);
			const ofLetters = await cpuOfAnswer(status, calls.send!, JSON.stringify('a'.repeat(text.length)));
			const ofCopy = await cpuOf(() => JSON.stringify(JSON.parse(text)));
			// Of a success, each name is kept. JSON.parse alone takes more than ten times as long as for letters.
			const most = 3 * (status === 200 ? ofCopy : ofLetters) + 3;
			expect(await cpuOfAnswer(status, calls.send!, text)).toBeLessThanOrEqual(most);
		}
	});
});
