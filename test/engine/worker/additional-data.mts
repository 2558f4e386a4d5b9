/** What n8n's server passes to an execution besides the workflow. */
import type { ICredentialsHelper, IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import type { ExecutionCredentials } from './credentials.mts';
import { core } from './n8n.mts';

/** This n8n's address; nothing listens there. */
const instanceUrl = 'http://localhost:5678';
const webhookUrl = process.env['WEBHOOK_URL'] ?? instanceUrl;

async function notHere(): Promise<never> {
	throw new Error('Sub-workflows, runners and other executions have no place in this engine');
}

/** Additional data for one execution or one lookup of the editor. */
export function additionalData(credentialsHelper: ExecutionCredentials): IWorkflowExecuteAdditionalData {
	return {
		credentialsHelper: credentialsHelper as unknown as ICredentialsHelper,
		currentNodeExecutionIndex: 0,
		externalSecretsProxy: new core.ExternalSecretsProxy(),
		executeWorkflow: notHere,
		getRunExecutionData: notHere,
		getRuntimeCredential: notHere,
		startRunnerTask: notHere,
		logAiEvent: () => {},
		restApiUrl: `${instanceUrl}/rest`,
		instanceBaseUrl: `${instanceUrl}/`,
		formBaseUrl: `${webhookUrl}/form`,
		formWaitingBaseUrl: `${webhookUrl}/form-waiting`,
		formTestBaseUrl: `${instanceUrl}/form-test`,
		webhookBaseUrl: `${webhookUrl}/webhook`,
		webhookWaitingBaseUrl: `${webhookUrl}/webhook-waiting`,
		webhookTestBaseUrl: `${instanceUrl}/webhook-test`,
		mcpBaseUrl: `${instanceUrl}/mcp`,
		mcpTestBaseUrl: `${instanceUrl}/mcp-test`,
		variables: {},
	};
}
