import { credentialContent } from '../../dev/harness/credential.ts';
import type { CredentialTestResult, StoredCredential } from '../../dev/harness/n8n/api.ts';
import { names, node } from '../../dev/harness/workflows.ts';
import { enterStage } from './stage.ts';

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

	it('is refused with a wrong key, and the message says so', async () => {
		const wrongKey = 'acc_0123456789wrong';
		const { result } = await saveAndTest(stage.sandbox.url, wrongKey);

		expect(result.status).toBe('Error');
		expect(result.message).toMatch(/Check the API Key in the credential/);
		expect(JSON.stringify(result)).not.toContain(wrongKey);
		expect(await sandbox.requests()).toMatchObject([{ path: '/api/v1/Me', status: 401, keyId: null }]);
	});

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
