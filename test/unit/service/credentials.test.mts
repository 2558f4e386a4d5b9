import type { IDataObject } from 'n8n-workflow';

import { execute } from '../../../nodes/Messaging/execute.ts';
import { bodyMask } from '../../../nodes/Messaging/service/secrets.ts';
import { cases } from '../../cases/index.mts';
import { fakeN8n } from '../support/fake-n8n.mts';
import { operationUnderTest } from '../support/operations.mts';

const dots = '••••••••';
const mask = bodyMask((text) => text);
/** What an outbox entry with these fields shows of them. */
const masked = (fields: object): unknown => {
	const { httpSenderOutboxEntryId: _, ...shown } = mask({ httpSenderOutboxEntryId: 'e', ...fields });
	return shown;
};

/** What stands between ‹ and › is a credential: it is given without these marks, and has to be masked. */
const given = (marked: string): string => marked.replace(/[‹›]/g, '');
const expected = (marked: string): string => marked.replace(/‹.*?›/g, dots);

test.each([
	`curl -X POST 'https://crm.example/in' -H 'Authorization: ‹Bearer s3cr3t›' -H 'Content-Type: text/plain'`,
	`curl -H "Authorization: ‹Digest username=\\"ada\\", response=\\"s3cr3t\\"›" -H "Accept: */*"`,
	`curl -H 'Authorization: ‹Digest username="ada", response="s3cr3t"›'`,
	`-H 'Cookie: ‹a=s3cr3t; b=s3cr3t›' -d 'x'`,
	`-H "X-Auth-Token: ‹s3cr3t›" -H "X-API-KEY: ‹s3cr3t›"`,
	`curl -u ‹ada:s3cr3t› https://crm.example`,
	`curl --user ‹'ada:s3 cr3t'› -b ‹"sid=s3cr3t"›`,
	`https://‹ada:s3cr3t›@crm.example/in`,
	`https://‹ada:s3@cr3t›@crm.example/in?to=a@b.example`,
	`https://crm.example/in?access_token=‹s3cr3t›&page=2&sig=‹s3cr3t›&key=‹s3cr3t#x›`,
	`-d '{"password":"‹s3cr3t›","text":"Hi"}'`,
	`-d '{"password":"‹s3\\"cr3t›","text":"Hi"}'`,
	`{"clientSecret": ‹5551234, ›"text":"Hi"}`,
	`{\\"apiKey\\":\\"‹s3cr3t›\\",\\"text\\":\\"Hi\\"}`,
	`--data 'user=ada&password=‹s3cr3t›&x=1'`,
	`Authorization: ‹Bearer s3cr3t›\r\nAccept: */*`,
	`<login><password>‹s3cr3t›</password><user>ada</user></login>`,
	// Without credentials:
	`curl -X POST 'https://crm.example/in' -H 'Content-Type: application/json' -d '{"to":"a@b.c","text":"It is late: go"}'`,
	'https://crm.example:8443/in/key?page=2#top',
])('in a text: %s', (text) => {
	const request = { curlCommand: given(text), url: given(text) };
	expect(masked(request)).toStrictEqual({ curlCommand: expected(text), url: expected(text) });
});

test('in the fields of a request, whichever way it holds its headers', () => {
	const marked = JSON.stringify({
		statusName: 'Failed',
		requestMetamodel: {
			method: 'POST',
			headers: { Authorization: '‹Bearer s3cr3t›', Accept: '*/*', 'x-api-key': '‹s3cr3t›' },
			list: [
				{ name: 'Authorization', value: '‹s3cr3t›' },
				{ name: 'A', value: 'b' },
			],
			pairs: [
				['Cookie', '‹s3cr3t›'],
				['Accept', '*/*'],
			],
			raw: ['Authorization: ‹s3cr3t›', 'Accept: */*'],
			auth: { username: 'ada', password: '‹s3cr3t›', token: null, secret: '' },
			uri: 'https://‹ada:s3cr3t›@crm.example/?token=‹s3cr3t›',
			body: { text: 'Hi', count: 3, nested: { client_secret: '‹s3cr3t›' } },
		},
	});
	expect(masked(JSON.parse(given(marked)) as object)).toStrictEqual(JSON.parse(expected(marked)));
});

test('as a whole, where it is a list or an object', () => {
	const headers = { 'Set-Cookie': ['s3cr3t'] };
	const list = [{ Key: 'X-Token', Values: ['s3cr3t'] }];
	const request = { requestMetamodel: { headers, list, body: { credentials: { a: 's3cr3t' } } } };
	expect(masked(request)).toStrictEqual({
		requestMetamodel: {
			headers: { 'Set-Cookie': dots },
			list: [{ Key: 'X-Token', Values: dots }],
			body: { credentials: dots },
		},
	});
});

test.each(['://', 'token', '"token":"', 'Authorization: ', '-u ', 'a@', '\\', '<token>', `'token: \\`])(
	'a long text of %j is dealt with as a short one',
	(part) => {
		const { url } = masked({ url: part.repeat(200_000) }) as { url: string };
		expect(url.length).toBeLessThan(5_000_000);
	},
);

test('only where a record has a request to another system, or the settings for one, and not in what is said of them', () => {
	const elsewhere = { url: 'https://cdn.example/a.png?token=abc', password: 'a', note: 'Authorization: b' };
	expect(mask(elsewhere)).toStrictEqual(elsewhere);
	const errors = { parameters: ['The password: too short'], 'parameters.password': ['It is too short'] };
	expect(mask({ errors, parameters: { password: 's3cr3t' } })).toStrictEqual({
		errors,
		parameters: { password: dots },
	});
});

const request = "curl 'https://ada:s3cr3t@crm.example' -H 'Authorization: Bearer s3cr3t'";
const parameters = { port: 25, smtpPassword: 's3cr3t', hook: { url: 'https://ada:s3cr3t@crm.example' } };

describe.each([
	['channel.create', { parameters }],
	['channel.getAll', { parameters }],
	['channel.updateParameters', { parameters }],
	[
		'outbox.get',
		{
			httpSenderOutboxEntryId: 'e',
			url: 'https://ada:s3cr3t@crm.example',
			curlCommand: request,
			requestMetamodel: parameters,
		},
	],
] as const)('%s', (id, record) => {
	const { operation } = operationUnderTest(id);
	/** The output of the operation if the service answers so. */
	const outputOf = async (given: IDataObject, statusCode = 200): Promise<unknown> => {
		const { least, reply } = cases[id];
		const body = JSON.stringify(reply.list && statusCode === 200 ? [record] : record);
		const answer = { statusCode, headers: { 'content-type': 'application/json' }, body };
		const { context } = fakeN8n(answer, { parameters: { ...(least.given as IDataObject), ...given } });
		const [items] = await execute(context, operation);
		return items?.map(({ json }) => json);
	};
	const raw = { simplify: false };
	const options = { keepToPlan: false, maxTries: 1 };

	test.each([
		raw,
		{ ...raw, options: { ...options, includeToken: false } },
		{ output: 'raw' },
		{ output: 'selected', outputFields: Object.keys(record) },
	])('masks the credentials of other systems: %j', async (given) => {
		const text = JSON.stringify(await outputOf({ options, ...given }));
		expect(text).not.toContain('s3cr3t');
		expect(text).toContain(`https://${dots}@crm.example`);
		expect(text).toContain('"port":25');
	});

	test('shows them if it is told to, but never in an error', async () => {
		const given = { ...raw, options: { ...options, includeToken: true } };
		expect(await outputOf(given)).toMatchObject([record]);
		const error = JSON.stringify(await outputOf(given, 422));
		expect(error).toContain('"port":25');
		expect(error).not.toContain('s3cr3t');
	});
});
