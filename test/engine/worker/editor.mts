/** The lists that n8n's editor requests from a node. */
import type { INode, INodeListSearchResult, ResourceMapperFields } from 'n8n-workflow';
import type { EditorRequest } from '../protocol.mts';
import { messagingType } from '../workflow.mts';
import { additionalData } from './additional-data.mts';
import { ExecutionCredentials } from './credentials.mts';
import { withExpressions } from './expressions.mts';
import { core, n8n } from './n8n.mts';
import type { Packages } from './packages.mts';

/** What the kinds of methods give the editor. */
interface Lists {
	listSearch: INodeListSearchResult;
	resourceMapping: ResourceMapperFields;
}

type Method<List> = (this: InstanceType<typeof core.LoadOptionsContext>) => Promise<List>;

/** Calls a method of the node as n8n's server does for the editor. */
export async function askNode<Kind extends keyof Lists>(
	packages: Packages,
	kind: Kind,
	request: EditorRequest,
): Promise<Lists[Kind]> {
	const nodeType = packages.getByNameAndVersion(messagingType);
	const method = nodeType.methods?.[kind]?.[request.method] as Method<Lists[Kind]> | undefined;
	if (!method) throw new Error(`The node has no ${kind} method "${request.method}"`);

	const node: INode = {
		id: 'editor',
		name: 'Temp-Node',
		type: messagingType,
		typeVersion: 1,
		position: [0, 0],
		parameters: request.currentNodeParameters,
		credentials: Object.fromEntries(request.credentials.map(({ type, id, name }) => [type, { id, name }])),
	};
	const workflow = new n8n.Workflow({ nodes: [node], connections: {}, active: false, nodeTypes: packages });
	const data = additionalData(new ExecutionCredentials(packages, request.credentials));
	data.currentNodeParameters = request.currentNodeParameters;
	const context = new core.LoadOptionsContext(workflow, node, data, '');
	return await withExpressions(workflow, async () => await method.call(context));
}
