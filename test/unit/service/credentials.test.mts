import type { IDataObject } from 'n8n-workflow';

import { execute } from '../../../nodes/Messaging/execute.ts';
import { bodyMask } from '../../../nodes/Messaging/service/secrets.ts';
import { cases } from '../../cases/index.mts';
import { fakeN8n } from '../support/fake-n8n.mts';
import { operationUnderTest } from '../support/operations.mts';

const dots = '••••••••';
const mask = bodyMask((text) => text);
/** What stands between ‹ and › is a credential: it is given without these marks, and has to be masked. */
const given = (marked: string): string => marked.replace(/[‹›]/g, '');
const expected = (marked: string): string => marked.replace(/‹.*?›/g, dots);

const hidden = expect.stringContaining('Include Token') as unknown;

test.each<[string, unknown]>([
	['a text', 'curl -uada:s3cr3t <wsse:Password Type="x">s3cr3t</wsse:Password>'],
	['an object', { method: 'POST', rawHeaders: ['X', 's3cr3t'], header: 'A', value: 's3cr3t' }],
	['a list', [{ field: 'A', value: 's3cr3t' }]],
	['a number', 5],
])('a request to a receiver is hidden as a whole: %s', (_what, value) => {
	const entry = { statusName: 'Failed', curlCommand: value, nested: [{ requestMetamodel: value }] };
	expect(mask(entry)).toStrictEqual({
		statusName: 'Failed',
		curlCommand: hidden,
		nested: [{ requestMetamodel: hidden }],
	});
	expect(bodyMask((text) => text, false)(entry)).toStrictEqual(entry);
});

test('what an entry lacks is not hidden', () => {
	const entry = { curlCommand: '', requestMetamodel: null };
	expect(mask(entry)).toStrictEqual(entry);
});

test.each([
	`https://‹ada:s3cr3t›@crm.example/in`,
	`https://‹ada:s3@cr3t›@crm.example/in?to=a@b.example`,
	`two: smtp://‹ada›@one.example, https://‹:s3cr3t›@two.example`,
	'https://crm.example:8443/in/key?page=2#top',
	'mail of ada@crm.example',
])('the login in an address: %s', (text) => {
	const record = { url: given(text), parameters: { hook: given(text), more: [given(text)] } };
	const masked = expected(text);
	expect(mask(record)).toStrictEqual({ url: masked, parameters: { hook: masked, more: [masked] } });
});

test('settings named after a secret, whichever way they hold their headers', () => {
	const marked = JSON.stringify({
		headers: { Authorization: '‹Bearer s3cr3t›', Accept: '*/*', 'x-api-key': '‹s3cr3t›' },
		list: [
			{ name: 'Authorization', value: '‹s3cr3t›' },
			{ header: 'X-Token', value: '‹s3cr3t›' },
			{ field: 'password', value: '‹s3cr3t›' },
			{ name: 'A', value: 'b' },
		],
		pairs: [
			['Cookie', '‹s3cr3t›'],
			['Accept', '*/*'],
		],
		rawHeaders: ['Accept', '*/*', 'Authorization', '‹s3cr3t›'],
		auth: { username: 'ada', password: '‹s3cr3t›', token: null, secret: '', isSecret: true },
		body: { text: 'Hi', count: 3, nested: { client_secret: '‹s3cr3t›' } },
		words: ['the password is', 'no name'],
	});
	const parameters = JSON.parse(given(marked)) as object;
	expect(mask({ parameters })).toStrictEqual({ parameters: JSON.parse(expected(marked)) });
});

test.each([
	...[
		'password',
		'smtp_passwd',
		'pwd',
		'dbPwd',
		'pass',
		'smtpPass',
		'smtp_pass',
		'pass-2',
		'passphrase',
		'passwordHash',
	],
	...[
		'apiKey',
		'apiKeyId',
		'api_key_2',
		'encryptionKey',
		'signingKey',
		'authKey',
		'accountKey',
		'X-Auth-Key',
		'key1Key',
	],
])('the setting %s is hidden, also beside its value', (name) => {
	const parameters = {
		smtp: { [name]: 's3cr3t' },
		list: [
			{ name, value: 's3cr3t' },
			{ key: name, value: 's3cr3t' },
		],
	};
	expect(mask({ parameters })).toStrictEqual({
		parameters: {
			smtp: { [name]: dots },
			list: [
				{ name, value: dots },
				{ key: name, value: dots },
			],
		},
	});
});

test.each(['key', 'Key', 'keys', 'keyId', 'passive', 'passThrough', 'keyword', 'optOutKeyword', 'keyboard'])(
	'the setting %s shows, also beside its value',
	(name) => {
		const parameters = { [name]: 'START', list: [{ name, value: 'START' }] };
		expect(mask({ parameters })).toStrictEqual({ parameters });
	},
);

test.each(['value', 'values', 'Value', 'Values', 'VALUE', 'VALUES'])(
	'beside its name, under %s',
	(spelling) => {
		const parameters = { Name: 'Cookie', [spelling]: 's3cr3t' };
		expect(mask({ parameters })).toStrictEqual({ parameters: { Name: 'Cookie', [spelling]: dots } });
	},
);

test('an object with many spellings of "values" is read a few times only, not once for each', () => {
	const spelt = Array.from({ length: 64 }, (_, n) =>
		[...'values'].map((letter, at) => ((n >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
	);
	let reads = 0;
	const parameters = new Proxy(Object.fromEntries(spelt.map((name) => [name, 'x'])), {
		ownKeys: (target) => {
			reads += 1;
			return Reflect.ownKeys(target);
		},
	});
	mask({ parameters });
	expect(reads).toBeGreaterThan(0);
	expect(reads).toBeLessThan(10);
});

test('as a whole, where it is a list or an object', () => {
	const parameters = { 'Set-Cookie': ['s3cr3t'], hooks: [{ Key: 'X-Token', Values: ['s3cr3t'] }] };
	expect(mask({ parameters: { ...parameters, credentials: { a: 's3cr3t' } } })).toStrictEqual({
		parameters: { 'Set-Cookie': dots, hooks: [{ Key: 'X-Token', Values: dots }], credentials: dots },
	});
});

test('only in settings, and not in what is said of them', () => {
	const elsewhere = { link: 'https://ada:b@cdn.example', password: 'a', note: 'Authorization: b' };
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

	test.each([raw, { ...raw, options: { ...options, includeToken: false } }])(
		'masks the credentials of other systems: %j',
		async (given) => {
			const text = JSON.stringify(await outputOf({ options, ...given }));
			expect(text).not.toContain('s3cr3t');
			expect(text).toContain(`https://${dots}@crm.example`);
			if ('curlCommand' in record) expect(text).toContain('Turn on the option Include Token');
			else expect(text).toContain('"port":25');
		},
	);

	test('shows them if it is told to, but never in an error', async () => {
		const given = { ...raw, options: { ...options, includeToken: true } };
		expect(await outputOf(given)).toMatchObject([record]);
		const error = JSON.stringify(await outputOf(given, 422));
		expect(error).not.toContain('s3cr3t');
	});
});
