import type { IDataObject, INodeParameters, NodeConnectionType, OnError } from 'n8n-workflow';

import { asText } from '../../dev/harness/as-text.mts';
import type { Execution, N8nClient, StoredCredential, WorkflowFile } from '../../dev/harness/n8n/api.mts';
import { type Prompt, startScriptedModel, type Step } from '../../dev/harness/scripted-model.mts';
import type { AnnouncedStage } from '../../dev/harness/stage.mts';
import { messagingType, node, withCredential } from '../../dev/harness/workflows.mts';

/** How a workflow with an agent and its tool is made. */
export interface AgentOptions {
	/** The parameters of its tool, with resource and operation. */
	readonly tool: INodeParameters;
	readonly onError?: OnError;
	/** The parameters of the node that asks a person before the tool is used. */
	readonly reviewer?: INodeParameters;
	/** Whether the workflow stops if that node fails. n8n's editor does not save this. */
	readonly reviewerStops?: boolean;
	/** What happens while the execution waits for an answer. */
	readonly whileWaiting?: () => Promise<void>;
	/** The version of the AI Agent; without it, one that goes on when a tool refuses. */
	readonly version?: number;
	/** The agent's input. */
	readonly items?: readonly IDataObject[];
}

/** An AI agent with the scripted model and the node as its tool. */
function agentWorkflow(
	{ credential }: Pick<AnnouncedStage, 'credential'>,
	openAi: StoredCredential,
	{ tool, onError, reviewer, reviewerStops, version = 3.1, items = [{}] }: AgentOptions,
): WorkflowFile {
	const using = withCredential(credential);
	const to = (name: string, type: NodeConnectionType = 'ai_tool') => ({
		[type]: [[{ node: name, type, index: 0 }]],
	});
	return {
		name: 'Agent',
		nodes: [
			node('Start', 'n8n-nodes-base.manualTrigger', 0),
			node(
				'Agent',
				'@n8n/n8n-nodes-langchain.agent',
				1,
				{ promptType: 'define', text: 'Do as you are told.' },
				version,
			),
			{
				...node(
					'Model',
					'@n8n/n8n-nodes-langchain.lmChatOpenAi',
					2,
					{ model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
					1.2,
				),
				...withCredential(openAi),
			},
			{
				...node('Messaging', `${messagingType}Tool`, 3, tool),
				...(onError === undefined ? {} : { onError }),
				...using,
			},
			...(reviewer === undefined
				? []
				: [
						{
							...node('Reviewer', `${messagingType}HitlTool`, 4, reviewer),
							...(reviewerStops === true ? { onError: 'stopWorkflow' as const } : {}),
							...using,
						},
					]),
		],
		connections: {
			Start: to('Agent', 'main'),
			Model: to('Agent', 'ai_languageModel'),
			Messaging: to(reviewer === undefined ? 'Agent' : 'Reviewer'),
			...(reviewer === undefined ? {} : { Reviewer: to('Agent') }),
		},
		settings: { executionOrder: 'v1' },
		pinData: { Start: items.map((json) => ({ json })) },
	};
}

/** Runs agents, each with a model that takes these steps. Returns what the model read of its calls. */
export const runsAgents =
	(stage: AnnouncedStage, n8n: N8nClient) =>
	async (
		options: AgentOptions,
		steps: readonly Step[],
	): Promise<{ execution: Execution; read: string[] }> => {
		const model = await startScriptedModel(steps);
		try {
			const data = { apiKey: 'not needed', url: model.url, header: false };
			const openAi = await n8n.createCredential({ name: 'Scripted model', type: 'openAiApi', data });
			const { id: workflowId } = await n8n.createWorkflow(agentWorkflow(stage, openAi, options));
			const { id, status } = await n8n.runUntilWaiting(workflowId, 'Start');
			if (status === 'waiting') await options.whileWaiting?.();
			// n8n looks once a minute for executions whose wait is over.
			const execution = await n8n.waitForExecution(id, status === 'waiting' ? 90_000 : 0);
			return { execution, read: readIn(model.prompts.at(-1)) };
		} finally {
			await model.close();
		}
	};

const readIn = (prompt: Prompt | undefined): string[] =>
	(prompt?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => asText(content));
