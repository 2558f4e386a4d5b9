import { setTimeout as sleep } from 'node:timers/promises';

import { parse as parseFlatted } from 'flatted';
import type { ExecutionStatus, IRunExecutionData } from 'n8n-workflow';
import { request } from 'undici';

import type {
	CredentialContent,
	Execution,
	ExecutionsPage,
	ExecutionSummary,
	Owner,
	StoredCredential,
	StoredWorkflow,
	WebhookAnswer,
	WorkflowFile,
} from './api-types.mts';
import { unfinished } from './execution.mts';
import { millisecondsToAnswer, type Method, N8nApiError, Rest } from './rest.mts';

export type * from './api-types.mts';
export { errorOf, outputOf, unfinished } from './execution.mts';
export { N8nApiError } from './rest.mts';

/** n8n's internal API, used the way its editor uses it. */
export class N8nClient extends Rest {
	/** Makes the first account of a new instance, and logs in with it. */
	async setUpOwner({ email, password, firstName, lastName }: Owner): Promise<void> {
		await this.call('POST', '/rest/owner/setup', { email, password, firstName, lastName });
	}

	/** The descriptions of all node types that n8n has loaded; those of community nodes carry the package's name. */
	async nodeTypes(): Promise<Array<Record<string, unknown>>> {
		return (await this.call('GET', '/types/nodes.json')) as Array<Record<string, unknown>>;
	}

	/** Saves a new credential. */
	async createCredential(credential: CredentialContent): Promise<StoredCredential> {
		return (await this.call('POST', '/rest/credentials', credential)) as StoredCredential;
	}

	/** Deletes all saved credentials. */
	async deleteCredentials(): Promise<void> {
		const all = (await this.call('GET', '/rest/credentials')) as StoredCredential[];
		for (const { id } of all) await this.call('DELETE', `/rest/credentials/${id}`);
	}

	/** Imports a workflow. */
	async createWorkflow(workflow: WorkflowFile): Promise<StoredWorkflow> {
		return (await this.call('POST', '/rest/workflows', {
			active: false,
			...workflow,
		})) as StoredWorkflow;
	}

	/** Publishes a workflow's current version and waits until its triggers and webhooks work. */
	async activateWorkflow({ id, versionId }: Pick<StoredWorkflow, 'id' | 'versionId'>): Promise<void> {
		await this.call('POST', `/rest/workflows/${id}/activate`, { versionId });
		const deadline = Date.now() + 30_000;
		for (;;) {
			const publication = await this.#publication(id);
			if (publication.status === 'published') return;
			// In queue mode, the request has no effect for a moment.
			const waits = ['in_progress', 'not_published'].includes(publication.status);
			if (!waits || Date.now() > deadline) {
				throw new Error(`Workflow ${id} was not published: ${JSON.stringify(publication)}`);
			}
			await sleep(50);
		}
	}

	/** An older n8n publishes before it answers, and does not report it later. */
	async #publication(id: string): Promise<{ status: string }> {
		try {
			return (await this.call('GET', `/rest/workflows/${id}/publication-status`)) as { status: string };
		} catch (error) {
			if (error instanceof N8nApiError && error.statusCode === 404) return { status: 'published' };
			throw error;
		}
	}

	/** Unpublishes a workflow. */
	async deactivateWorkflow(id: string): Promise<void> {
		await this.call('POST', `/rest/workflows/${id}/deactivate`, {});
	}

	/** Starts a workflow by hand at one of its triggers. */
	async startWorkflow(id: string, trigger: string): Promise<{ executionId: string }> {
		const start = { triggerToStartFrom: { name: trigger } };
		const run = async (body: object) =>
			(await this.call('POST', `/rest/workflows/${id}/run`, body)) as { executionId?: string };
		const started = await run(start).catch(async (error: unknown) => {
			if (!(error instanceof N8nApiError && error.message.includes("reading 'id'"))) throw error;
			// An older n8n needs the whole workflow.
			return await run({ ...start, workflowData: await this.call('GET', `/rest/workflows/${id}`) });
		});
		if (started.executionId === undefined) {
			throw new Error(`n8n started no execution of workflow ${id}: ${JSON.stringify(started)}`);
		}
		return { executionId: started.executionId };
	}

	/** Starts a workflow by hand and waits until it has ended. */
	async runWorkflow(id: string, trigger: string, milliseconds?: number): Promise<Execution> {
		const { executionId } = await this.startWorkflow(id, trigger);
		return await this.waitForExecution(executionId, milliseconds);
	}

	/** Starts a workflow by hand and waits until the execution waits for an answer. */
	async runUntilWaiting(id: string, trigger: string, milliseconds?: number): Promise<Execution> {
		const { executionId } = await this.startWorkflow(id, trigger);
		return await this.waitUntilWaiting(executionId, milliseconds);
	}

	/** Waits until an execution waits for an answer, or ends. */
	async waitUntilWaiting(id: string, milliseconds = 60_000): Promise<Execution> {
		const goesOn = new Set([...unfinished].filter((status) => status !== 'waiting'));
		return await this.#waitWhile(goesOn, id, milliseconds);
	}

	/** An execution in its present state. */
	async execution(id: string): Promise<Execution> {
		const answer = (await this.call('GET', `/rest/executions/${id}`)) as Execution & { data: string };
		return { ...answer, data: parseFlatted(answer.data) as IRunExecutionData };
	}

	/** Waits until an execution has ended, with any status. */
	async waitForExecution(id: string, milliseconds = 60_000): Promise<Execution> {
		return await this.#waitWhile(unfinished, id, milliseconds);
	}

	async #waitWhile(
		statuses: ReadonlySet<ExecutionStatus>,
		id: string,
		milliseconds: number,
	): Promise<Execution> {
		const deadline = Date.now() + milliseconds;
		for (let pause = 50; ; pause = Math.min(pause * 2, 500)) {
			const execution = await this.execution(id);
			if (!statuses.has(execution.status)) return execution;
			if (Date.now() > deadline) {
				throw new Error(`Execution ${id} is still "${execution.status}" after ${milliseconds / 1000} s`);
			}
			await sleep(pause);
		}
	}

	/**
	 * All executions of a workflow, the newest first, without their data. n8n sorts its pages by when executions started
	 * and cuts them by their ids: if workers start them in another order, some are on no page and missing here.
	 */
	async executions(workflowId: string): Promise<ExecutionSummary[]> {
		const all: ExecutionSummary[] = [];
		const filter = { filter: JSON.stringify({ workflowId }), limit: '100' };
		for (let cursor: string | null = ''; cursor !== null;) {
			const query = new URLSearchParams({ ...filter, ...(cursor !== '' && { cursor }) });
			const page = (await this.call('GET', `/rest/executions?${query.toString()}`)) as ExecutionsPage;
			all.push(...page.results);
			cursor = page.results.length === 0 ? null : (page.nextCursor ?? null);
		}
		return all;
	}

	/** Waits until a workflow has an execution, and until that has ended. */
	async waitForFirstExecution(workflowId: string): Promise<Execution> {
		return await this.waitForExecution(await this.waitForStart(workflowId));
	}

	/**
	 * Waits until a workflow has an execution: n8n may answer a webhook before the execution is in the list.
	 *
	 * @returns its ID
	 */
	async waitForStart(workflowId: string): Promise<string> {
		const deadline = Date.now() + 60_000;
		for (;;) {
			const [found] = await this.executions(workflowId);
			if (found !== undefined) return found.id;
			if (Date.now() > deadline) throw new Error(`Workflow ${workflowId} was not executed within 60 s`);
			await sleep(200);
		}
	}

	/**
	 * Retries a failed execution, as the executions page does: with the workflow as it was, or as it is now. n8n
	 * answers when the new execution has ended.
	 */
	async retryExecution(id: string, workflow: 'original' | 'current'): Promise<Execution> {
		const { id: newId } = (await this.call('POST', `/rest/executions/${id}/retry`, {
			loadWorkflow: workflow === 'current',
		})) as { id: string };
		return await this.waitForExecution(newId);
	}

	/** Stops a running execution. */
	async stopExecution(id: string): Promise<void> {
		await this.call('POST', `/rest/executions/${id}/stop`, {});
	}

	/** Calls the production address of a published workflow's webhook, as another application does. */
	async callWebhook(
		path: string,
		body: unknown,
		method: Method = 'POST',
		timeoutMs = millisecondsToAnswer,
	): Promise<WebhookAnswer> {
		const answer = await request(`${this.url}/webhook/${path}`, {
			method,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
			headersTimeout: timeoutMs,
			bodyTimeout: timeoutMs,
		});
		return { statusCode: answer.statusCode, text: await answer.body.text() };
	}
}
