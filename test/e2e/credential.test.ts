import { credentialContent } from '../../dev/harness/credential.ts';
import type { CredentialTestResult, StoredCredential } from '../../dev/harness/n8n/api.ts';
import { freePort } from '../../dev/harness/n8n/ports.ts';
import { names, node } from '../../dev/harness/workflows.ts';
import { emptyField } from './needs.ts';
import { enterStage } from './stage.ts';
import { otherwise } from './where.ts';

const { stage, n8n, sandbox } = enterStage();

/** Saves a credential and presses "Test" as the editor does. */
async function saveAndTest(
	baseUrl: string,
	apiKey: string,
): Promise<{ saved: StoredCredential; result: CredentialTestResult }> {
	const content = { ...credentialContent(baseUrl, apiKey), name: 'Credential under test' };
	const saved = await n8n.createCredential(content);
	return { saved, result: await n8n.testCredential(saved.id, content) };
}

describe('the credential, saved and tested as in the editor', () => {
	beforeEach(async () => {
		await sandbox.reset();
	});

	it('is accepted with a right key, after one request to /Me with the key in its header', async () => {
		const { result } = await saveAndTest(stage.sandbox.url, stage.sandbox.tokens.acc);

		expect(result).toEqual({ status: 'OK', message: 'Connection successful!' });
		const requests = await sandbox.requests();
		const { apiKeys } = await sandbox.state();
		const key = apiKeys.find(({ apiKey }) => apiKey === stage.sandbox.tokens.acc);
		expect(requests).toMatchObject([
			{ method: 'GET', path: '/api/v1/Me', bodyText: '', conforms: true, status: 200, keyId: key?.id },
		]);
	});

	it('does not mind a trailing slash and spaces around address and key', async () => {
		const { result } = await saveAndTest(` ${stage.sandbox.url}/ `, ` ${stage.sandbox.tokens.org} `);

		expect(result.status).toBe('OK');
		expect(await sandbox.requests()).toMatchObject([{ path: '/api/v1/Me', status: 200 }]);
	});

	it('is refused with a wrong key, and the message says so', async () => {
		const wrongKey = 'acc_0123456789wrong';
		const { result } = await saveAndTest(stage.sandbox.url, wrongKey);

		expect(result.status).toBe('Error');
		expect(result.message).toMatch(/Check the API Key in the credential/);
		expect(JSON.stringify(result)).not.toContain(wrongKey);
		expect(await sandbox.requests()).toMatchObject([{ path: '/api/v1/Me', status: 401, keyId: null }]);
	});

	it('does not mind what nobody sees in a pasted key', async () => {
		const { acc } = stage.sandbox.tokens;
		const { result } = await saveAndTest(
			stage.sandbox.url,
			`\uFEFF${acc.slice(0, 9)}\u200B\r\n${acc.slice(9)}\u00A0`,
		);

		expect(result.status).toBe('OK');
		expect(await sandbox.requests()).toMatchObject([{ path: '/api/v1/Me', status: 200 }]);
	});

	it.each([
		['a web page', { body: '<html></html>', contentType: 'text/html' }, /web page.*Base URL/],
		['text', { body: 'hello', contentType: 'text/plain' }, /not seem to be the messaging service.*Base URL/],
		['a list', { body: [] }, /not seem to be the messaging service.*Base URL/],
		['nothing', { body: null }, /not seem to be the messaging service.*Base URL/],
		[
			'a redirect',
			{ status: 307, headers: { location: 'http://127.0.0.1:1/' } },
			/redirects.*127\.0\.0\.1:1/,
		],
		['a failure', { status: 500, body: { title: 'Oops' } }, /^Oops\./],
	])('is refused where /Me answers with %s, and the message says so', async (_kind, answer, message) => {
		await sandbox.setFaults([{ kind: 'reply', path: '/Me$', ...answer }]);

		const { result } = await saveAndTest(stage.sandbox.url, stage.sandbox.tokens.org);

		expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(message) as string });
		expect(JSON.stringify(result)).not.toContain(stage.sandbox.tokens.org);
		expect(await sandbox.requests()).toHaveLength(1);
	});

	it('says that nothing answers at a wrong address', async () => {
		const { result } = await saveAndTest(`http://127.0.0.1:${await freePort()}`, stage.sandbox.tokens.org);

		expect(result.status).toBe('Error');
		expect(result.message).toMatch(/nothing answers at its address\. Check the Base URL.*ECONNREFUSED/);
		expect(await sandbox.requests()).toEqual([]);
	});

	const empty = otherwise(emptyField);
	it(`says that nothing is no address${empty.lacking}`, async () => {
		const saved = saveAndTest('', stage.sandbox.tokens.org);

		if (empty.lacks) return await expect(saved).rejects.toThrow(/baseUrl.* is mandatory/);
		expect((await saved).result).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/Base URL in the credential is not an http or https address/) as string,
		});
	});

	it.each(['messaging.example.com', 'https://', 'http://a b'])(
		'says that %j is no address',
		async (baseUrl) => {
			const { result } = await saveAndTest(baseUrl, stage.sandbox.tokens.org);

			expect(result.status).toBe('Error');
			expect(result.message).toMatch(/Base URL in the credential is not an http or https address/);
		},
	);

	it("serves n8n's HTTP Request node, which calls what this node does not offer", async () => {
		const { id } = await n8n.createWorkflow({
			name: 'HTTP Request with the credential',
			nodes: [
				node(names.start, 'n8n-nodes-base.manualTrigger', 0),
				{
					...node(
						'HTTP Request',
						'n8n-nodes-base.httpRequest',
						1,
						{
							url: `${stage.sandbox.url}/api/v1/Me`,
							authentication: 'predefinedCredentialType',
							nodeCredentialType: stage.credential.type,
						},
						4.2,
					),
					credentials: { [stage.credential.type]: { id: stage.credential.id, name: stage.credential.name } },
				},
			],
			connections: { [names.start]: { main: [[{ node: 'HTTP Request', type: 'main', index: 0 }]] } },
		});

		const execution = await n8n.runWorkflow(id, names.start);

		expect(execution.status).toBe('success');
		expect(await sandbox.requests()).toMatchObject([{ method: 'GET', path: '/api/v1/Me', status: 200 }]);
		expect(JSON.stringify(execution.data)).not.toContain(stage.sandbox.tokens.org);
	});
});
