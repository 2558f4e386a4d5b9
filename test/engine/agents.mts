/** Agents that call the node as a tool, with a scripted model. */
import type { INodeParameters } from 'n8n-workflow';

import type { RunOptions } from './engine.mts';
import { type Lab, once } from './lab.mts';
import { n8nUnderTest } from './n8n-under-test.mts';
import { messagingNode, messagingType, node, startName, startNode, workflow } from './workflow.mts';
import type { NodeSettings } from './workflow.mts';

/** With any other setting, an older n8n ends the execution if the engine's call of a tool fails. */
export const goesOn = { onError: 'continueRegularOutput' } as const;
export const isOld = n8nUnderTest().lacks.includes('toolErrors');

/** An agent, and the settings of its tool. */
export interface Agent extends NodeSettings {
	/** `agent` has the engine make the calls, one after the other; `oldAgent` makes them itself, at once. */
	readonly kind?: 'agent' | 'oldAgent';
	readonly items?: RunOptions['items'];
	/** The type of the tool. */
	readonly type?: string;
}

const agentName = 'Agent';
const toolName = 'Tool';

export function agentsOf(lab: Lab) {
	/** A tool that sends to whom, and what, the model says. */
	const send = (change: INodeParameters = {}, options: INodeParameters = {}): INodeParameters =>
		lab.send(
			{ keepToPlan: false, ...once, ...options },
			{ toEmail: "={{ $fromAI('to') }}", text: "={{ $fromAI('text') }}", ...change },
		);

	/** What a model reads of each of these calls. */
	async function readBy(
		turns: INodeParameters[],
		parameters = send(),
		{ kind = 'agent', items = [{ json: {} }], type = `${messagingType}Tool`, ...settings }: Agent = {},
	): Promise<string[]> {
		const own = { ...(kind === 'agent' && isOld && goesOn), ...settings };
		const tool = messagingNode({ ...parameters, toolDescription: 'Sends a message' }, own, toolName);
		const flow = workflow(
			[startNode(), node(agentName, `harness.${kind}`, { turns, tool: toolName }), { ...tool, type }],
			[[startName, agentName]],
		);
		flow.connections[toolName] = { ai_tool: [[{ node: agentName, type: 'ai_tool', index: 0 }]] };
		const run = await lab.engine.run({
			...{ workflow: flow, items, credential: lab.credential, watch: agentName },
		});
		expect(run.error).toBeUndefined();
		return run.json.map(({ read }) => read as string);
	}

	return { readBy, send };
}
