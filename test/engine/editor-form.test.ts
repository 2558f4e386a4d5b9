import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { INodeParameters, ResourceMapperFields } from 'n8n-workflow';

import { fromList, once, useLab } from './lab.ts';

const lab = useLab();

/** Another origin, which schemas may live on. */
let elsewhere: Server;
let origin: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let received: IncomingMessage[];

beforeAll(async () => {
	elsewhere = createServer((request, response) => {
		received.push(request);
		answer(request, response);
	});
	await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
	origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});

beforeEach(() => {
	received = [];
	answer = (_request, response) => response.end(JSON.stringify({ properties: { a: { type: 'string' } } }));
});

afterAll(async () => {
	elsewhere.closeAllConnections();
	await new Promise((resolve) => elsewhere.close(resolve));
});

const form = async (parameters: INodeParameters): Promise<ResourceMapperFields> =>
	await lab.engine.resourceMapping('channelParameterFields', {
		credential: lab.credential,
		currentNodeParameters: { resource: 'channel', ...parameters },
	});

const update = (channelId: string): INodeParameters => ({
	operation: 'updateParameters',
	channelId: fromList(channelId),
});

/** The form of a channel whose type names this address for its schema. */
async function formFrom(configurationSchemaUrl: string): Promise<ResourceMapperFields> {
	const channelId = lab.channelId('Support E-mail');
	await lab.client.setFaults([
		{
			kind: 'reply',
			path: '/Admin/Channel',
			body: [{ channelId, channelType: { key: 'T', name: 'Test', configurationSchemaUrl }, parameters: {} }],
		},
	]);
	return await form(update(channelId));
}

test('a new channel has the fields and the defaults of its type', async () => {
	const { fields } = await form({ operation: 'create', channelType: fromList('EMAIL') });
	expect(fields.map(({ id, required, defaultValue }) => [id, required, defaultValue])).toEqual([
		['host', true, undefined],
		['port', false, 587],
		['security', false, 'starttls'],
		['fromAddress', true, undefined],
		['signature', false, undefined],
		['*', false, undefined],
	]);
});

test('an update has the present values', async () => {
	const { fields } = await form(update(lab.channelId('Support E-mail')));
	expect(fields.find(({ id }) => id === 'host')?.defaultValue).toBe('mail.acme.example');
});

test('what is entered reaches the service in the types of the schema', async () => {
	const channelId = lab.channelId('Support Ticket Hook');
	const { fields } = await form(update(channelId));
	const value = { url: 'https://new.acme.example/', timeoutSeconds: '={{ "20" }}', tags: '["a"]' };
	const run = await lab.execute({
		resource: 'channel',
		...update(channelId),
		parametersForm: { mappingMode: 'defineBelow', value, matchingColumns: [], schema: fields } as never,
		options: once,
	});
	expect(run.status).toBe('success');
	expect((await lab.requests()).at(-1)).toMatchObject({
		body: { parameters: { url: 'https://new.acme.example/', timeoutSeconds: 20, tags: ['a'] } },
		conforms: true,
	});
});

test('defaults and choices that look like expressions reach the service as the text that they are', async () => {
	const texts = ['={{ 1 + 1 }}', '=', '={{ "}}" + $env.HOME }}', '{{ 1 }}'];
	const names = texts.map((_, n) => `f${n}`);
	answer = (_request, response) =>
		response.end(
			JSON.stringify({
				properties: {
					...Object.fromEntries(
						texts.map((text, n) => [
							`f${n}`,
							{ type: 'string', title: text, description: text, default: text },
						]),
					),
					menu: { type: 'string', enum: texts },
				},
			}),
		);
	const channelId = lab.channelId('Support E-mail');
	const type = { key: 'T', name: 'Test', configurationSchemaUrl: `${origin}/schema.json` };
	await lab.client.setFaults([
		{ kind: 'reply', path: '/Admin/Channel', body: [{ channelId, channelType: type }] },
	]);
	const { fields } = await lab.engine.resourceMapping('channelParameterFields', {
		// An address of its own, as far as the cache of lists is concerned.
		credential: { ...lab.credential, baseUrl: `${lab.sandbox.url}///` },
		currentNodeParameters: { resource: 'channel', operation: 'create', channelType: fromList('T') },
	});
	expect(fields.map(({ id }) => id)).toEqual([...names, 'menu', '*']);
	for (const { displayName, options = [] } of fields) {
		for (const text of [displayName, ...options.flatMap(({ name, value }) => [name, String(value)])]) {
			expect(text).not.toMatch(/^=/);
		}
	}
	await lab.client.setFaults([]);
	const value = Object.fromEntries(fields.map(({ id, defaultValue }) => [id, defaultValue ?? null]));
	const run = await lab.execute({
		resource: 'channel',
		...update(channelId),
		parametersMode: 'form',
		parametersForm: { mappingMode: 'defineBelow', value, matchingColumns: [], schema: fields } as never,
		options: once,
	});
	expect(run.status).toBe('success');
	expect((await lab.requests()).at(-1)).toMatchObject({
		body: { parameters: Object.fromEntries(names.map((name, n) => [name, texts[n]])) },
	});
});

test('what is of another type is refused by the name of its field, and nothing is sent', async () => {
	const channelId = lab.channelId('Support Ticket Hook');
	const { fields } = await form(update(channelId));
	await lab.client.clearRequests();
	const value = { url: 'https://new.acme.example/', timeoutSeconds: '={{ "soon" }}' };
	const run = await lab.execute({
		resource: 'channel',
		...update(channelId),
		parametersForm: { mappingMode: 'defineBelow', value, matchingColumns: [], schema: fields } as never,
	});
	expect(run.error?.message).toMatch(/"Parameters > .+" needs a number, but it is text/);
	expect(await lab.requests()).toEqual([]);
});

test('a number that was rounded is refused by the name of its field', async () => {
	const channelId = lab.channelId('Support Ticket Hook');
	const { fields } = await form(update(channelId));
	await lab.client.clearRequests();
	const value = { url: 'https://new.acme.example/', timeoutSeconds: '12345678901234567890' };
	const run = await lab.execute({
		resource: 'channel',
		...update(channelId),
		parametersForm: { mappingMode: 'defineBelow', value, matchingColumns: [], schema: fields } as never,
	});
	expect(run.error?.message).toContain('"Parameters > timeoutSeconds" contains a rounded number');
	expect(await lab.requests()).toEqual([]);
});

test('what the service refuses is said in its words, with the name of the field', async () => {
	const channelId = lab.channelId('Support Ticket Hook');
	const { fields } = await form(update(channelId));
	const body = { title: 'Invalid', errors: { 'parameters.url': ['Needs https.'] } };
	await lab.client.setFaults([{ kind: 'status', status: 400, body }]);
	const run = await lab.execute({
		resource: 'channel',
		...update(channelId),
		parametersForm: {
			mappingMode: 'defineBelow',
			value: { url: 'nowhere' },
			matchingColumns: [],
			schema: fields,
		} as never,
	});
	expect(run.error?.description).toContain('Parameters > url: Needs https.');
});

describe('the schema is fetched', () => {
	test('from another origin, without the key', async () => {
		const { fields } = await formFrom(`${origin}/schema.json`);
		expect(fields.map(({ id }) => id)).toEqual(['a', '*']);
		expect(received).toHaveLength(1);
		expect(JSON.stringify(received[0]?.rawHeaders)).not.toMatch(/x-api-key|org_/i);
	});

	test('from an address relative to the Base URL', async () => {
		const { fields } = await formFrom('/_sandbox/schemas/email.json');
		expect(fields.map(({ id }) => id)).toContain('fromAddress');
	});

	test('at the own origin without the key first, then with it; one that repeats the key is not used', async () => {
		answer = (request, response) => {
			const key = request.headers['x-api-key'];
			if (key === undefined && request.url !== '/public.json') return void response.writeHead(401).end();
			if (request.url?.endsWith('.json') === true) {
				const title = request.url === '/repeats.json' ? String(key).replaceAll('_', '\\u005f') : 'A';
				return void response.end(`{"properties":{"a":{"type":"string","title":"${title}"}}}`);
			}
			const channels = ['public', 'protected', 'repeats'].map((name) => ({
				channelId: lab.channelId('Support E-mail'),
				channelType: { key: name, name, configurationSchemaUrl: `/${name}.json` },
			}));
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify(channels));
		};
		const formOf = async (type: string) => {
			received = [];
			return await lab.engine.resourceMapping('channelParameterFields', {
				credential: { ...lab.credential, baseUrl: origin },
				currentNodeParameters: { resource: 'channel', operation: 'create', channelType: fromList(type) },
			});
		};
		const withKey = (name: string) =>
			received
				.filter(({ url }) => url === `/${name}.json`)
				.map(({ headers }) => headers['x-api-key'] !== undefined);
		expect((await formOf('public')).fields[0]?.displayName).toBe('A');
		expect(withKey('public')).toEqual([false]);
		expect((await formOf('protected')).fields[0]?.displayName).toBe('A');
		expect(withKey('protected')).toEqual([false, true]);
		const { fields, emptyFieldsNotice } = await formOf('repeats');
		expect(fields).toEqual([]);
		expect(emptyFieldsNotice).toContain('it has the API key in it');
	});

	test.each<[string, (response: ServerResponse) => void, string]>([
		[
			'a redirect',
			(response) => response.writeHead(302, { location: '/other' }).end(),
			'leads on to another one',
		],
		['a refusal', (response) => response.writeHead(401).end(), 'answers with status 401'],
		['a page for people', (response) => response.end('<html>'), 'it is not JSON'],
		[
			'more than 256 KB',
			(response) => response.end(JSON.stringify({ properties: {}, filler: 'x'.repeat(300_000) })),
			'it is larger than 256 KB',
		],
		['an answer that breaks off', (response) => response.destroy(), 'could not be reached in time'],
	])('but %s gives no form, and the reason', async (_name, respond, reason) => {
		answer = (_request, response) => respond(response);
		const { fields, emptyFieldsNotice } = await formFrom(`${origin}/schema.json`);
		expect(fields).toEqual([]);
		expect(emptyFieldsNotice).toContain(reason);
		expect(emptyFieldsNotice).toContain('Set Parameters Mode to JSON');
		expect(received).toHaveLength(1);
	});

	test.each([
		['ftp://127.0.0.1/schema', 'not an http or https one'],
		['http://', 'not a valid one'],
		['', 'gives no schema'],
	])('not from %j', async (address, reason) => {
		expect((await formFrom(address)).emptyFieldsNotice).toContain(reason);
	});
});

describe('without a choice there is no form, and the editor says why', () => {
	test.each<[INodeParameters, string]>([
		[{ operation: 'create', channelType: fromList('') }, 'Choose a channel type first'],
		[{ operation: 'create', channelType: '={{ $json.type }}' }, 'not one from an expression'],
		[{ operation: 'create', channelType: 'FAX' }, 'None of your channels is of the type &#34;FAX&#34; yet'],
		[{ operation: 'updateParameters', channelId: fromList('') }, 'Choose a channel first'],
	])('%j', async (parameters, reason) => {
		expect(await form(parameters)).toEqual({
			fields: [],
			emptyFieldsNotice: expect.stringContaining(reason) as unknown,
		});
	});

	test('a form that is there already stays when it can not be loaded anew', async () => {
		const channelId = lab.channelId('Support E-mail');
		const { fields } = await form(update(channelId));
		await lab.client.setFaults([{ kind: 'status', status: 503 }]);
		const parametersForm = { mappingMode: 'defineBelow', value: { host: 'h' }, schema: fields } as never;
		expect((await form({ ...update(channelId), parametersForm })).fields).toHaveLength(fields.length);
	});
});

test('a secret that lies deep in the present parameters is not in the form', async () => {
	answer = (_request, response) =>
		response.end(
			JSON.stringify({
				properties: {
					smtp: { type: 'object', properties: { password: { type: 'string', format: 'password' } } },
				},
			}),
		);
	const channelId = lab.channelId('Support E-mail');
	const channelType = { key: 'T', name: 'Test', configurationSchemaUrl: `${origin}/schema.json` };
	const parameters = { smtp: { host: 'mail', password: 'open sesame' } };
	await lab.client.setFaults([
		{ kind: 'reply', path: '/Admin/Channel', body: [{ channelId, channelType, parameters }] },
	]);
	const { fields } = await form(update(channelId));
	const smtp = fields.find(({ id }) => id === 'smtp')?.defaultValue;
	expect(smtp).toBe('{\n  "••••••••": "••••••••"\n}');
	expect(JSON.stringify(fields)).not.toContain('sesame');

	await lab.client.clearRequests();
	const parametersForm = { mappingMode: 'defineBelow', value: { smtp }, matchingColumns: [], schema: fields };
	const run = await lab.execute({
		resource: 'channel',
		...update(channelId),
		parametersForm: parametersForm as never,
	});
	expect(run.error?.message).toContain('contains a hidden secret');
	expect(await lab.requests()).toEqual([]);
});

test('API keys in the present parameters are masked in the form, and what is masked does not go out', async () => {
	const properties = { apiKey: { type: 'string' }, headers: { type: 'array' }, host: { type: 'string' } };
	answer = (_request, response) => response.end(JSON.stringify({ properties }));
	const channelId = lab.channelId('Support E-mail');
	const channelType = { key: 'T', name: 'Test', configurationSchemaUrl: `${origin}/schema.json` };
	const parameters = {
		apiKey: 'of-no-known-shape-WXYZ',
		headers: ['X-API-KEY: acc_1234567890abcdefghijWXYZ'],
		old: { 'x-api-key': 'acc_1234567890abcdefghijWXYZ' },
		host: 'mail',
	};
	await lab.client.setFaults([
		{ kind: 'reply', path: '/Admin/Channel', body: [{ channelId, channelType, parameters }] },
	]);
	const { fields } = await form(update(channelId));
	expect(JSON.stringify(fields)).not.toMatch(/1234567890abc|no-known-shape/);
	expect(fields.find(({ id }) => id === 'host')?.defaultValue).toBe('mail');

	await lab.client.clearRequests();
	for (const id of ['apiKey', 'headers', '*']) {
		const shown = fields.find((field) => field.id === id)?.defaultValue;
		const parametersForm = {
			mappingMode: 'defineBelow',
			value: { [id]: shown },
			matchingColumns: [],
			schema: fields,
		};
		const run = await lab.execute({
			resource: 'channel',
			...update(channelId),
			parametersForm: parametersForm as never,
		});
		expect(run.error?.message).toContain('contains a masked API key');
	}
	expect(await lab.requests()).toEqual([]);
});
