import type { IncomingMessage, ServerResponse } from 'node:http';

import type { INodeParameters, ResourceMapperFields } from 'n8n-workflow';

import { fromList, once, useLab } from './lab.mts';
import { serve } from '../serve.mts';

const lab = useLab();

/** Another origin, from which schemas may be loaded. */
let origin: string;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
let received: IncomingMessage[];

beforeEach(async () => {
	received = [];
	answer = (_request, response) => response.end(JSON.stringify({ properties: { a: { type: 'string' } } }));
	({ url: origin } = await serve((request, response) => {
		received.push(request);
		void answer(request, response);
	}));
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

/** The form of a channel whose type has its schema at this address. */
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

test('what is entered reaches the service in the types of the schema', async () => {
	const channelId = lab.channelId('Support Ticket Hook');
	const { fields } = await form({
		...update(channelId),
		channelId: { __rl: true, mode: 'name', value: 'Support Ticket Hook' },
	});
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

describe('the schema is fetched', () => {
	test('from another origin, without the key', async () => {
		const { fields } = await formFrom(`${origin}/schema.json`);
		expect(fields.map(({ id }) => id)).toEqual(['a', '*']);
		expect(received).toHaveLength(1);
		expect(JSON.stringify(received[0]?.rawHeaders)).not.toMatch(/x-api-key|org_/i);
	});

	test('never with the key from another origin, even if that asks for one', async () => {
		answer = (_request, response) => response.writeHead(401).end();
		const { emptyFieldsNotice } = await formFrom(`${origin}/schema.json`);
		expect(emptyFieldsNotice).toContain('answers with status 401');
		expect(received.map(({ headers }) => headers['x-api-key'])).toEqual([undefined]);
	});

	test('at the own origin with the key; a key that it repeats is masked', async () => {
		answer = (request, response) => {
			const key = request.headers['x-api-key'];
			if (key === undefined) return void response.writeHead(401).end();
			if (request.url?.endsWith('.json') === true) {
				const title = request.url === '/repeats.json' ? String(key).replaceAll('_', '\\u005f') : 'A';
				return void response.end(`{"properties":{"a":{"type":"string","title":"${title}"}}}`);
			}
			const channels = ['protected', 'repeats'].map((name) => ({
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
		expect((await formOf('protected')).fields[0]?.displayName).toBe('A');
		expect(received.filter(({ url }) => url === '/protected.json')).toHaveLength(1);
		expect((await formOf('repeats')).fields[0]?.displayName).toMatch(/^org_…\w{4}$/);
	});

	test.each<[string, (response: ServerResponse) => void, string]>([
		[
			'a redirect',
			(response) => response.writeHead(302, { location: '/other' }).end(),
			'answers with status 302',
		],
		[
			'more than 256 KB',
			(response) => response.end(JSON.stringify({ properties: {}, filler: 'x'.repeat(300_000) })),
			'it is larger than 256 KB',
		],
		['an answer that breaks off', (response) => response.destroy(), 'could not be loaded within 10 seconds'],
	])('but %s gives no form, and the reason', async (_name, respond, reason) => {
		answer = (_request, response) => respond(response);
		const { fields, emptyFieldsNotice } = await formFrom(`${origin}/schema.json`);
		expect(fields).toEqual([]);
		expect(emptyFieldsNotice).toContain(reason);
		expect(emptyFieldsNotice).toContain('set Parameters Mode to JSON');
		expect(received).toHaveLength(1);
	});
});

test('a form that is there already stays when it can not be loaded anew', async () => {
	const channelId = lab.channelId('Support E-mail');
	const { fields } = await form(update(channelId));
	await lab.client.setFaults([{ kind: 'status', status: 503 }]);
	const parametersForm = { mappingMode: 'defineBelow', value: { host: 'h' }, schema: fields } as never;
	expect((await form({ ...update(channelId), parametersForm })).fields).toHaveLength(fields.length);
});

describe('an update of a channel', () => {
	const secret = 'open-sesame';
	const key = 'acc_1234567890abcdefghijWXYZ';
	const parameters = {
		host: 'mail.example',
		port: 25,
		password: secret,
		login: { user: 'ada', password: secret },
		url: `https://ada:${secret}@mail.example`,
		headers: [`X-API-KEY: ${key}`],
		'smtp.password': secret,
	};
	const properties = { host: { type: 'string' }, password: { type: 'string' }, login: { type: 'object' } };

	/** The channels as the service lists them, and the parameters that it was sent last for each. */
	const stored = new Map<string, unknown>();
	let credential: typeof lab.credential;
	let own: string;

	beforeEach(async () => {
		own = lab.channelId('Support E-mail');
		stored.clear();
		stored.set(own, parameters);
		answer = async (request, response) => {
			response.setHeader('content-type', 'application/json');
			if (request.url?.endsWith('.json') === true) {
				return void response.end(JSON.stringify({ properties, required: ['host', 'password'] }));
			}
			if (request.method === 'PUT') {
				const chunks: Buffer[] = [];
				for await (const chunk of request) chunks.push(chunk as Buffer);
				const sent = JSON.parse(Buffer.concat(chunks).toString()) as {
					channelId: string;
					parameters: unknown;
				};
				stored.set(sent.channelId, sent.parameters);
				return void response.end(JSON.stringify(sent));
			}
			const channelType = { key: 'T', name: 'Test', configurationSchemaUrl: '/schema.json' };
			const channels = [...stored].map(([channelId, present]) => ({
				channelId,
				channelType,
				parameters: present,
			}));
			return void response.end(JSON.stringify(channels));
		};
		credential = { ...lab.credential, baseUrl: origin };
	});

	const fieldsOf = async (channelId: string): Promise<ResourceMapperFields['fields']> => {
		const currentNodeParameters = { resource: 'channel', ...update(channelId) };
		return (await lab.engine.resourceMapping('channelParameterFields', { credential, currentNodeParameters }))
			.fields;
	};

	/** Updates a channel for each item, with these entries in the form. */
	async function updated(
		value: INodeParameters,
		schema: ResourceMapperFields['fields'],
		items: Array<{ channelId: string }>,
	) {
		return await lab.execute(
			{
				...{ resource: 'channel', operation: 'updateParameters', simplify: false },
				channelId: { __rl: true, mode: 'id', value: '={{ $json.channelId }}' },
				parametersForm: { mappingMode: 'defineBelow', value, matchingColumns: [], schema } as never,
				options: { ...once, maxTries: 1 },
			},
			{ credential, items },
		);
	}

	test('changes what was entered: all else stays as it is now, and its secrets stand nowhere in the execution', async () => {
		const fields = await fieldsOf(own);
		stored.set(own, { ...parameters, port: 587 });
		const run = await updated({ host: 'new.example' }, fields, [{ channelId: own }]);
		expect(run.status).toBe('success');
		expect(stored.get(own)).toEqual({ ...parameters, port: 587, host: 'new.example' });
		expect(run.saved).not.toMatch(/sesame|1234567890/);
		expect(run.json).toMatchObject([{ parameters: { host: 'new.example', password: '••••••••' } }]);
	});
});
