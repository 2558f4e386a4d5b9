/** Active workflows that begin with a polling node. */
import type { INodeExecutionData, IPollFunctions, Workflow } from 'n8n-workflow';
import type { ActivationRequest } from '../protocol.mts';
import { additionalData } from './additional-data.mts';
import { ExecutionCredentials } from './credentials.mts';
import { withExpressions } from './expressions.mts';
import { core, n8n } from './n8n.mts';
import type { Packages } from './packages.mts';

/** Polls an active workflow, always with the same context, as n8n does. */
export type Poll = () => Promise<INodeExecutionData[][] | null>;

/** Activates a workflow as n8n's server does. Its static data stays in memory. */
export function activate(packages: Packages, request: ActivationRequest): Poll {
	const workflow: Workflow = new n8n.Workflow({ ...request.workflow, active: true, nodeTypes: packages });
	const [node] = workflow.getPollNodes();
	if (node === undefined) throw new Error('The workflow has no node that polls');
	const type = packages.getByNameAndVersion(node.type, node.typeVersion);
	const data = additionalData(new ExecutionCredentials(packages, request.credentials));
	data.workflowId = workflow.id;
	const context = new core.PollContext(workflow, node, data, 'trigger', 'activate');
	return async () =>
		await withExpressions(
			workflow,
			async () => (await type.poll?.call(context as unknown as IPollFunctions)) ?? null,
		);
}
