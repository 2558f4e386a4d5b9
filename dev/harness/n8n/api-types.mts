/** What n8n's internal API takes and returns. */
import type {
	ExecutionStatus,
	IConnections,
	INode,
	IPinData,
	IRunExecutionData,
	IWorkflowSettings,
	WorkflowExecuteMode,
} from 'n8n-workflow';

/** The person who owns an n8n instance. */
export interface Owner {
	readonly email: string;
	readonly password: string;
	readonly firstName: string;
	readonly lastName: string;
}

/** A workflow as n8n exports and imports it. */
export interface WorkflowFile {
	readonly name: string;
	readonly nodes: readonly WorkflowNode[];
	readonly connections: IConnections;
	readonly settings?: IWorkflowSettings;
	readonly pinData?: IPinData;
	readonly meta?: Record<string, unknown>;
}

/** A node of a workflow file. A credential without id is found by its name, as in an export. */
export type WorkflowNode = Omit<INode, 'credentials'> & {
	readonly credentials?: Record<string, { readonly id: string | null; readonly name: string }>;
};

/** A workflow that n8n holds. */
export interface StoredWorkflow extends WorkflowFile {
	readonly id: string;
	readonly versionId: string;
	readonly active: boolean;
}

/** A credential's public part. */
export interface StoredCredential {
	readonly id: string;
	readonly name: string;
	readonly type: string;
}

/** What a credential holds, as the editor sends it. */
export interface CredentialContent {
	readonly name: string;
	readonly type: string;
	readonly data: Record<string, unknown>;
}

/** An execution with its data. */
export interface Execution {
	readonly id: string;
	readonly workflowId: string;
	readonly status: ExecutionStatus;
	readonly mode: WorkflowExecuteMode;
	readonly retryOf: string | null;
	readonly data: IRunExecutionData;
}

/** An execution as the list of executions shows it. */
export interface ExecutionSummary extends Omit<Execution, 'data'> {
	/** As ISO 8601 has it; the latter once it has ended. */
	readonly startedAt: string;
	readonly stoppedAt?: string;
}

/** A page of the list of executions. */
export interface ExecutionsPage {
	readonly results: ExecutionSummary[];
	readonly nextCursor?: string | null;
}

/** What a webhook answered. */
export interface WebhookAnswer {
	readonly statusCode: number;
	readonly text: string;
}
