/** The page of a question, which n8n serves while the execution waits. */
import type { IDataObject, INodeExecutionData, IRunExecutionData, IWebhookFunctions } from 'n8n-workflow';
import type { PageRequest, PageVisit } from '../protocol.mts';
import { additionalData } from './additional-data.mts';
import { ExecutionCredentials } from './credentials.mts';
import { withExpressions } from './expressions.mts';
import { core, flatted, n8n } from './n8n.mts';
import type { Packages } from './packages.mts';

/** Has the waiting node serve a visit, as n8n's server does. It checks the signature of the link before, which this does not. */
export async function visitPage(
	packages: Packages,
	{ waiting, saved, node: name, ...visit }: PageRequest,
): Promise<PageVisit> {
	const workflow = new n8n.Workflow({ ...waiting, active: false, nodeTypes: packages });
	const node = workflow.getNode(name);
	if (node === null) throw new Error(`The workflow has no node "${name}"`);
	const seen: PageVisit = { status: 200, page: '' };
	const response = {
		setHeader: () => response,
		status: (code: number) => ((seen.status = code), response),
		send: (page: string) => void (seen.page = page),
	};
	const data = additionalData(new ExecutionCredentials(packages, []));
	const httpRequest = { ...visit, headers: { 'content-type': 'multipart/form-data; boundary=x' } };
	Object.assign(data, { httpRequest, httpResponse: response });
	const webhook = { ...{ httpMethod: visit.method, node: name, path: node.id }, workflowId: workflow.id };
	const run = flatted.parse(saved) as IRunExecutionData;
	const context = new core.WebhookContext(
		...([workflow, node, data, 'webhook', webhook, [], run] as unknown as ConstructorParameters<
			typeof core.WebhookContext
		>),
	);
	const { webhook: serve } = packages.getByNameAndVersion(node.type);
	const served = await withExpressions(
		workflow,
		async () => await serve?.call(context as unknown as IWebhookFunctions),
	);
	const answer = served?.workflowData as INodeExecutionData[][] | undefined;
	if (answer !== undefined) seen.answer = answer.flat().map(({ json }): IDataObject => json);
	return seen;
}
