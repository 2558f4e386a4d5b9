import type { IncomingMessage } from 'node:http';

import type { INodeParameters } from 'n8n-workflow';

import { fromList, once, useLab } from './lab.mts';
import { serve } from '../serve.mts';

const lab = useLab({ fastClock: 20 });

const dots = '••••••••';
const shown = {
	phoneNumber: '+15550100200',
	pin: dots,
	recovery: { mail: 'ops@acme.example', phrase: dots },
};
const getMany: INodeParameters = {
	...{ resource: 'channel', operation: 'getAll', simplify: false, returnAll: true },
	options: once,
};
const whatsApp = (): string => lab.channelId('Support WhatsApp');

test.each<[string, () => INodeParameters, unknown]>([
	['Get Many', () => ({ ...getMany, options: { nameContains: 'support whatsapp' } }), shown],
	[
		'Update Parameters',
		() => ({
			...{ resource: 'channel', operation: 'updateParameters', channelId: fromList(whatsApp()) },
			...{ parametersMode: 'json', parameters: '{ "pin": "314159", "phoneNumber": "+15550100200" }' },
		}),
		`{"pin":"${dots}","phoneNumber":"+15550100200"}`,
	],
	[
		'Call an Endpoint',
		() => ({ resource: 'service', operation: 'request', method: 'GET', path: '/api/v1/Admin/Channel' }),
		shown,
	],
])('%s hides the secrets of a channel that only its schema knows', async (_name, parameters, expected) => {
	const channelId = whatsApp();
	const run = await lab.execute(parameters());
	expect(run.json.find((json) => json['channelId'] === channelId)).toMatchObject({ parameters: expected });
	// What the user entered stands in the workflow, as ever.
	const output = JSON.stringify(run.json);
	expect(output).not.toMatch(/271828|314159|correct horse/);
	const { parameters: entered } = parameters();
	if (entered === undefined) expect(run.saved).not.toMatch(/271828|correct horse/);
});

test('all of it is shown with Include Token', async () => {
	const run = await lab.execute({ ...getMany, options: { includeToken: true } });
	expect(JSON.stringify(run.json)).toMatch(/271828.*correct horse/);
});

describe('a schema server of another origin', () => {
	let asked: IncomingMessage[];

	/** A service with two channels, whose schemas are on another server, which hangs. */
	async function serviceWithSchemas(): Promise<string> {
		asked = [];
		const { url: schemas } = await serve((request) => void asked.push(request));
		const channel = (name: string) => ({
			...{ channelId: whatsApp(), name, parameters: { pin: '4711', password: 's3cr3t' } },
			channelType: { key: name, name, configurationSchemaUrl: `${schemas}/${name}.json` },
		});
		const { url } = await serve((request, response) => {
			response.setHeader('content-type', 'application/json');
			response.end(
				JSON.stringify(request.method === 'GET' ? [channel('one'), channel('two')] : channel('one')),
			);
		});
		return url;
	}

	test('that hangs is waited for once in a run, and changes no outcome; it gets no key', async () => {
		const credential = { ...lab.credential, baseUrl: await serviceWithSchemas() };
		const run = await lab.execute(getMany, { credential, items: [{}, {}, {}] });
		expect(run.status).toBe('success');
		expect(run.json).toMatchObject(Array(6).fill({ parameters: { pin: '4711', password: dots } }));
		expect(asked.map(({ url }) => url)).toEqual(['/one.json', '/two.json']);
		expect(JSON.stringify(asked.map(({ rawHeaders }) => rawHeaders))).not.toMatch(/x-api-key|org_/i);
	});
});
