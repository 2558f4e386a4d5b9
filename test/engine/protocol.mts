/** The IPC messages between the jest process and the engine's process. */
import type {
	ICredentialDataDecryptedObject,
	IConnections,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeTypeDescription,
	IPinData,
	ICredentialType,
	IWorkflowSettings,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import type { Samples } from '../bench/samples.mts';
import type { Change } from './worker/changed-n8n.mts';

/** How n8n evaluates expressions: `vm` is its default, `legacy` the older engine. */
export type ExpressionEngine = 'vm' | 'legacy';

/** The options that a worker is started with. */
export interface WorkerSettings {
	/** The folder of the package from which n8n loads the node and its credential. */
	packageUnderTest: string;
	expressions: ExpressionEngine;
	/** The folder that holds the store behind Remove Duplicates. */
	processedData: string;
	/** What this n8n does differently from the real one. */
	change?: Change | undefined;
}

/** A workflow as n8n stores it. */
export interface WorkflowJson {
	id: string;
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings: IWorkflowSettings;
	/** Output that stands in for that of nodes, in an execution started by hand. */
	pinData?: IPinData;
}

/** A credential as n8n stores it, decrypted. */
export interface StoredCredential {
	id: string;
	name: string;
	type: string;
	data: ICredentialDataDecryptedObject;
}

/** One execution of a workflow, from its start node or as the retry of a failed one. */
export interface ExecutionRequest {
	workflow: WorkflowJson;
	credentials: StoredCredential[];
	mode: WorkflowExecuteMode;
	/** The node that receives `items`; ignored if `saved` is given. */
	start: string;
	items: INodeExecutionData[];
	/** The saved data of a failed execution that this one retries. */
	saved?: string | undefined;
	/** Whether the retry uses the nodes of `workflow` instead of the saved ones. */
	useCurrentWorkflow?: boolean | undefined;
	/** Whether the process takes samples of itself meanwhile. */
	isSampled?: boolean | undefined;
}

/** An execution's result as n8n would save it. */
export interface ExecutionReport {
	executionId: string;
	/** 'success', 'error' or 'canceled'. */
	status: string;
	/** The execution's data as n8n writes it to its database. */
	saved: string;
	/** How often its credential was read. */
	credentialReads: number;
	/** The samples, if they were asked for. */
	samples?: Samples;
}

/** What a process holds after garbage collection. */
export interface Holdings {
	heapBytes: number;
	/** Open sockets, timers and the like, and listeners on objects that live as long as the process, by kind. */
	held: Record<string, number>;
	/** Listeners on the abort signal of the latest execution. */
	listeners: number;
}

/** One request for a list or a form of the editor. */
export interface EditorRequest {
	method: string;
	currentNodeParameters: INodeParameters;
	credentials: StoredCredential[];
}

/** A visit to the page of a question. */
export interface PageRequest {
	/** The workflow whose execution waits, and what n8n has saved of it. */
	waiting: WorkflowJson;
	saved: string;
	/** The name of the node that waits. */
	node: string;
	method: 'GET' | 'POST';
	query: Record<string, string>;
	body: IDataObject;
}

/** What it ended with: a page, or an answer with which the execution goes on. */
export interface PageVisit {
	status: number;
	page: string;
	answer?: IDataObject[];
}

/** The package as n8n's loader sees it. */
export interface LoadedPackage {
	name: string;
	nodes: INodeTypeDescription[];
	credentials: ICredentialType[];
}

/** A workflow to activate. */
export interface ActivationRequest {
	workflow: WorkflowJson;
	credentials: StoredCredential[];
}

/** An error sent from one process to the other. */
export interface WireError {
	name: string;
	message: string;
	stack?: string | undefined;
	description?: string | undefined;
	httpCode?: string | undefined;
}

/** A call on its way to the worker, which says what it answers: `Calls` in `worker.mts`. */
export interface CallMessage {
	id: number;
	name: string;
	takes: unknown[];
}

/** What a worker sends: ready, failed to start, or answers. */
export type WorkerMessage =
	| { kind: 'ready' }
	| { kind: 'broken'; error: WireError }
	| { kind: 'answer'; id: number; gives: unknown }
	| { kind: 'failure'; id: number; error: WireError };
