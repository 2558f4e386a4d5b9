import { METHODS } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';
import { readWorld } from '../../dev/harness/world.mts';
import { scenarios } from '../cases/index.mts';
import type { Run } from './run.mts';
import { letters, useDeliveryLab } from './delivery-lab.mts';
import { eventually } from '../waiting.mts';
import { byId, everyMode, once, useLab } from './lab.mts';
import { serve } from '../serve.mts';

const lab = useLab({ logLevel: 'debug' });

function expectNoKey(run: Run): void {
	const { apiKey } = lab.credential;
	expect(run.saved).not.toContain(apiKey);
	expect(lab.engine.log).not.toContain(apiKey);
}

const sendOnce = () => lab.send({ ...once, timeout: 1 }, { toEmail: 'ada@example.com', text: 'Hello' });

describe('the key stands in no output, error, hint or log', () => {
	test.each(scenarios)('$title', async ({ prepare, resource, operation }) => {
		const { items, parameters } = await prepare(await readWorld(lab.client, lab));

		expectNoKey(await lab.execute({ resource, operation, ...parameters }, { items: [...items] }));
	});

	test.each(everyMode)('when the service repeats it in everything it answers (%s)', async (onError) => {
		const { apiKey } = lab.credential;
		const said = { title: `No ${apiKey}`, detail: `Key ${apiKey}`, [apiKey]: apiKey, list: [{ apiKey }] };
		for (const [status, body] of [
			[200, said],
			[200, `text with ${apiKey}`],
			[400, said],
			[401, `text with ${apiKey}`],
			[500, said],
			[302, ''],
		] as const) {
			const { url: baseUrl } = await serve((_request, response) => {
				response.writeHead(status, {
					'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
					location: `http://127.0.0.1:1/?key=${apiKey}`,
					'retry-after': apiKey,
				});
				response.end(typeof body === 'string' ? body : JSON.stringify(body));
			});

			const run = await lab.execute(sendOnce(), {
				credential: { ...lab.credential, baseUrl },
				settings: { onError },
			});

			expectNoKey(run);
		}
	});

	test.each(everyMode)('when it is entered in the wrong place (%s)', async (onError) => {
		const { apiKey } = lab.credential;
		const channelId = byId(lab.channelId('Support E-mail'));
		const send = sendOnce();
		const key = '={{ $json.key }}';
		const wrong: INodeParameters[] = [
			{ resource: 'apiKey', operation: 'delete', apiKeyId: key },
			{ ...send, channelId: byId(key) },
			{ ...send, toEmail: '={{ $json.key }} ada@example.com' },
			{ ...send, options: { timeout: key } },
			{ ...send, rareFields: { timestamp: key } },
			{ ...send, options: { ordering: key } },
			{ resource: 'outbox', operation: 'requeue', channelId, entryIds: '={{ $json.key }},{{ $json.key }}' },
		];
		for (const parameters of wrong) {
			const run = await lab.execute(parameters, { items: [{ key: apiKey }], settings: { onError } });

			// On the error output n8n merges in the input.
			const errors = run.main.flat().map(({ json: { error } }) => error);
			const said = JSON.stringify([run.error, errors]);
			expect(said).toMatch(/needs /);
			expect(said).not.toContain(apiKey);
			expect(lab.engine.log).not.toContain(apiKey);
		}
	});

	test('when it is entered as the address of a message in doubt', async () => {
		await lab.client.setFaults([{ kind: 'lostResponse', path: 'SendMessage' }]);
		const { apiKey } = lab.credential;
		const toRows = { values: [{ name: 'phone', value: apiKey }] };
		const { error } = await lab.execute({ ...sendOnce(), addressType: 'other', toType: 'PHONE', toRows });

		expect(error?.description).toMatch(/In doubt: item 0 \(to /);
		expect(error?.description).not.toContain(apiKey);
	});
});

describe('the custom header of the credential', () => {
	const headerValue = 'Bearer gateway/secret+1234';
	const custom = { header: true, headerName: 'X-Gateway-Key', headerValue };

	test('goes with operations, menus and polls', async () => {
		const credential = { ...lab.credential, ...custom };
		expect((await lab.execute(sendOnce(), { credential })).status).toBe('success');
		await lab.execute({ resource: 'apiKey', operation: 'getCurrent' }, { credential });
		await lab.engine.listSearch('searchChannels', {
			credential,
			currentNodeParameters: { resource: 'message', operation: 'send' },
		});
		await (
			await lab.engine.activate({ events: ['channelConnected'] }, credential)
		)();
		const requests = await lab.requests();
		const asked = ['/api/v1/Me', '/api/v1/message/SendMessage', '/api/v1/Admin/Channel'];
		expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(asked));
		expect(requests.map(({ headers }) => headers['x-gateway-key'])).toEqual(requests.map(() => headerValue));
	});
});

test('a custom header of any name arrives, or is refused before anything is sent', async () => {
	const names = [
		...Object.getOwnPropertyNames(Object.prototype),
		...METHODS.flatMap((method) => [method.toLowerCase(), method]),
		...'common set get has clear concat normalize toJSON query prototype then url data Trailer Expect TE'.split(
			' ',
		),
		...'Upgrade Keep-Alive Cookie Set-Cookie User-Agent Authorization Accept-Encoding apikey'.split(' '),
	];
	for (const headerName of names) {
		const before = (await lab.requests()).length;
		const credential = { ...lab.credential, header: true, headerName, headerValue: 'v4lue' };
		const run = await lab.execute(sendOnce(), { credential });
		const requests = (await lab.requests()).slice(before);
		const arrived = new Set(requests.map(({ headers }) => headers[headerName.toLowerCase()]));
		if (run.status === 'success') expect([headerName, arrived]).toEqual([headerName, new Set(['v4lue'])]);
		else {
			expect([headerName, requests]).toEqual([headerName, []]);
			expect(run.error?.description).toContain('Outcome: unsent');
		}
	}
});

test.each([301, 302, 303, 307, 308])('the key follows no redirect (%i)', async (status) => {
	const { apiKey } = lab.credential;
	const asked: string[] = [];
	const elsewhere = await serve((request, response) => {
		asked.push(String(request.url));
		response.end('{}');
	});
	const service = await serve((request, response) => {
		if (request.url?.startsWith('/other') === true) asked.push(request.url);
		const location = request.method === 'GET' ? '/other' : `${elsewhere.url}/api/v1/message/SendMessage`;
		response.writeHead(status, { location }).end();
	});
	const credential = { baseUrl: service.url, apiKey };
	for (const parameters of [sendOnce(), { resource: 'channel', operation: 'getAll', options: once }]) {
		expect((await lab.execute(parameters, { credential })).status).toBe('error');
	}
	expect(asked).toEqual([]);
});

test('n8n itself logs the whole error at level debug, with the recipient, but no key', async () => {
	await lab.client.setFaults([{ kind: 'lostResponse', path: 'SendMessage' }]);
	const { apiKey } = lab.credential;
	const send = { ...sendOnce(), toEmail: 'ada.of.the.log@example.com' };
	await lab.execute(send);

	expect(lab.engine.log).toMatch(/In doubt: item 0 \(to ada\.of\.the\.log@example\.com/);
	expect(lab.engine.log).not.toContain(apiKey);
});

/** In an engine in which a minute takes a second. */
describe("n8n's log", () => {
	const lab = useDeliveryLab({ logLevel: 'info', fastClock: 60 });

	/** Long enough for a service that makes a minute out of each second. */
	const options = { timeout: 3600 };

	/** What the node has logged, without n8n's own prefix. */
	function lines(): string[] {
		return lab.engine.log.split('\n').flatMap((line) => /Unified Messaging, .*$/.exec(line) ?? []);
	}

	test('a long run says how far it is; no text, no address and no key of it', async () => {
		await lab.client.setFaults([
			{ kind: 'status', status: 422, bodyContains: 'text 3.', body: { title: 'No room for text 3.' } },
			{ kind: 'hold', path: 'SendMessage', bodyContains: 'text 7.' },
		]);
		const items = letters(10);
		const settings = { onError: 'continueRegularOutput' } as const;
		const { finished } = lab.start(lab.send(options), { items, settings });
		await lab.answered(9);
		const before = lines().length;
		await eventually(async () => lines().length >= before + 2, 'two lines');
		await lab.client.clearFaults();
		const run = await finished;

		const whose = `Unified Messaging, message send, execution ${run.report.executionId}: `;
		const said = lines();
		expect(said[before + 1]).toMatch(/: 8 of 10 items done, 1 failed$/);
		for (const line of said) expect(line.startsWith(whose)).toBe(true);
		const { log } = lab.engine;
		for (const secret of ['text', 'example.com', lab.credential.apiKey, lab.credential.baseUrl, 'No room']) {
			expect(log).not.toContain(secret);
		}
	});
});
