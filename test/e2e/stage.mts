import type { INodeParameters } from 'n8n-workflow';

import type { StoredCredential } from '../../dev/harness/n8n/api.mts';
import { type ScriptedModel, startScriptedModel, type Step } from '../../dev/harness/scripted-model.mts';
import { announcedStage } from '../../dev/harness/stage.mts';
import { messagingWorkflow, sendThrough, type WorkflowOptions } from '../../dev/harness/workflows.mts';
import { acceptedTexts, readWorld } from '../../dev/harness/world.mts';

/** The stage that all tests share, with a client for each of its two servers, and what tests do on it. */
export function enterStage() {
	const { stage, n8n, sandbox } = announcedStage();

	const workflow = (parameters: INodeParameters, more: Partial<WorkflowOptions> = {}) =>
		messagingWorkflow({ name: 'Under test', credential: stage.credential, parameters, ...more });

	/** Parameters that send `text` to `to` of each item on the channel "Support E-mail". */
	const sendEach = async (more: INodeParameters = {}): Promise<INodeParameters> =>
		sendThrough((await readWorld(sandbox, stage)).channel('Support E-mail').channelId, more);

	/** How often each text was accepted. */
	const accepted = async (): Promise<Record<string, number>> => await acceptedTexts(sandbox);

	/** Acts with a model that takes these steps, and with a credential of this name with which n8n finds the model. */
	const withModel = async <T,>(
		name: string,
		steps: readonly Step[],
		act: (credential: StoredCredential, model: ScriptedModel) => Promise<T>,
	): Promise<T> => {
		const model = await startScriptedModel(steps);
		try {
			const data = { apiKey: 'not needed', url: model.url, header: false };
			return await act(await n8n.createCredential({ name, type: 'openAiApi', data }), model);
		} finally {
			await model.close();
		}
	};

	return { stage, n8n, sandbox, workflow, sendEach, accepted, withModel };
}
