/** Active workflows that begin with a polling node. */
import type { IDataObject, INodeExecutionData, IPollFunctions, Workflow } from 'n8n-workflow';
import type { ActivationRequest, PollReport, WireError } from '../protocol.ts';
import { additionalData } from './additional-data.ts';
import { ExecutionCredentials } from './credentials.ts';
import { withExpressions } from './expressions.ts';
import { core, n8n } from './n8n.ts';
import type { Packages } from './packages.ts';

/** One activation: n8n polls with the same context as long as it lasts. */
export interface Activation {
	poll: (wireError: (error: unknown) => WireError) => Promise<PollReport>;
}

/** Activates a workflow as n8n's server does: with the saved static data, which then stays in memory. */
export function activate(packages: Packages, request: ActivationRequest): Activation {
	const { workflow: json, mode, credentials, staticData } = request;
	const workflow: Workflow = new n8n.Workflow({
		id: json.id,
		name: json.name,
		nodes: json.nodes,
		connections: json.connections,
		active: true,
		nodeTypes: packages,
		settings: json.settings,
		staticData: staticData === undefined ? {} : (JSON.parse(staticData) as IDataObject),
	});
	const [node] = workflow.getPollNodes();
	if (node === undefined) throw new Error('The workflow has no node that polls');
	const type = packages.getByNameAndVersion(node.type, node.typeVersion);
	const data = additionalData(new ExecutionCredentials(packages, credentials));
	data.workflowId = workflow.id;
	const context = new core.PollContext(workflow, node, data, 'trigger', mode) as unknown as IPollFunctions;
	return {
		async poll(wireError) {
			const end = await withExpressions(workflow, async () => await type.poll?.call(context)).then(
				(output: INodeExecutionData[][] | null | undefined) => ({ output: output ?? null }),
				(error: unknown) => ({ output: null, error: wireError(error) }),
			);
			return { ...end, staticData: JSON.stringify(workflow.staticData) };
		},
	};
}
