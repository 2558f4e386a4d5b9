import { credentialContent } from '../../dev/harness/credential.mts';
import { inARow, names, node, withCredential } from '../../dev/harness/workflows.mts';
import { enterStage } from './stage.mts';

const { stage, n8n, sandbox } = enterStage();

it("the credential serves n8n's HTTP Request node, which calls what this node does not offer", async () => {
	await sandbox.reset();
	const content = credentialContent(stage.sandbox.url, stage.sandbox.tokens.org);
	const headerValue = 'gateway-secret';
	const custom = { header: true, headerName: 'X-Gateway-Key', headerValue };
	const credential = await n8n.createCredential({
		...content,
		name: 'With a header',
		data: { ...content.data, ...custom },
	});
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
						nodeCredentialType: credential.type,
					},
					4.2,
				),
				...withCredential(credential),
			},
		],
		connections: inARow(names.start, 'HTTP Request'),
	});

	const execution = await n8n.runWorkflow(id, names.start);

	expect(execution.status).toBe('success');
	expect(await sandbox.requests()).toMatchObject([
		{ method: 'GET', path: '/api/v1/Me', status: 200, headers: { 'x-gateway-key': headerValue } },
	]);
	for (const secret of [stage.sandbox.tokens.org, headerValue]) {
		expect(JSON.stringify(execution.data)).not.toContain(secret);
	}
});
