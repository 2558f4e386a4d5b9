/** What the jest process and the engine's process say to each other over IPC. */
import type {
	ICredentialDataDecryptedObject,
	IConnections,
	INode,
	INodeExecutionData,
	INodeListSearchResult,
	INodeParameters,
	INodeTypeDescription,
	ICredentialType,
	IWorkflowSettings,
	ResourceMapperFields,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';

/** How n8n evaluates expressions: `vm` is its default, `legacy` the engine before it. */
export type ExpressionEngine = 'vm' | 'legacy';

/** What a worker is started with. */
export interface WorkerSettings {
	/** Folders of the packages whose nodes and credentials n8n loads. */
	packages: string[];
	expressions: ExpressionEngine;
	/** The folder that holds the store behind Remove Duplicates. */
	processedData: string;
}

/** A workflow as n8n stores it. */
export interface WorkflowJson {
	id: string;
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings: IWorkflowSettings;
}

/** A credential as n8n stores it, decrypted. */
export interface StoredCredential {
	id: string;
	name: string;
	type: string;
	data: ICredentialDataDecryptedObject;
}

/** One execution of a workflow, either from its start node or continuing a failed one. */
export interface ExecutionRequest {
	workflow: WorkflowJson;
	credentials: StoredCredential[];
	mode: WorkflowExecuteMode;
	/** The node that receives `items`; ignored when `saved` is given. */
	start: string;
	items: INodeExecutionData[];
	/** The saved data of a failed execution that this one retries. */
	saved?: string | undefined;
	/** Whether the retry takes the nodes of `workflow` instead of those saved with the failed execution. */
	useCurrentWorkflow?: boolean | undefined;
}

/** An execution's result, as n8n would save it. */
export interface ExecutionReport {
	executionId: string;
	/** 'success', 'error' or 'canceled'. */
	status: string;
	/** The execution's data in the form in which n8n writes it to its database. */
	saved: string;
	/** How often a credential was read and decrypted: on a server, each is a database query. */
	credentialLookups: number;
}

/** One look into a list that the editor offers. */
export interface EditorRequest {
	kind: 'listSearch' | 'resourceMapping';
	method: string;
	nodeType: string;
	typeVersion: number;
	currentNodeParameters: INodeParameters;
	credentials: StoredCredential[];
	filter?: string | undefined;
	paginationToken?: string | undefined;
}

/** What the editor is given to show. */
export type EditorResult = INodeListSearchResult | ResourceMapperFields;

/** A package as n8n's loader sees it. */
export interface LoadedPackage {
	name: string;
	nodes: INodeTypeDescription[];
	credentials: ICredentialType[];
}

/** A workflow that is activated, and what its node remembers. */
export interface ActivationRequest {
	workflow: WorkflowJson;
	credentials: StoredCredential[];
	/** Why it is activated: n8n starts, somebody publishes it. */
	mode: WorkflowActivateMode;
	/** The static data that n8n has saved of it, as JSON. */
	staticData?: string | undefined;
}

/** What a poll gave. */
export interface PollReport {
	output: INodeExecutionData[][] | null;
	error?: WireError;
	/** The workflow's static data after it, as n8n would save it. */
	staticData: string;
}

/** An error on its way from one process to the other. */
export interface WireError {
	name: string;
	message: string;
	stack?: string | undefined;
	description?: string | undefined;
	httpCode?: string | undefined;
}

/** The calls a worker answers, with what each takes and gives. */
export interface Calls {
	run: { takes: ExecutionRequest; gives: ExecutionReport };
	cancel: { takes: { call: number }; gives: null };
	/** Gives the number under which to poll. */
	activate: { takes: ActivationRequest; gives: number };
	poll: { takes: { activation: number }; gives: PollReport };
	deactivate: { takes: { activation: number }; gives: null };
	/** One turn of the process's event loop. */
	turn: { takes: null; gives: null };
	describe: { takes: null; gives: LoadedPackage[] };
	editor: { takes: EditorRequest; gives: EditorResult };
	/** What becomes of the store behind Remove Duplicates. */
	store: { takes: StoreTrouble; gives: null };
}

/** What is wrong with the store behind Remove Duplicates. */
export type StoreTrouble = 'none' | 'fails';

/** A call on its way to the worker. */
export type CallMessage = {
	[Name in keyof Calls]: { id: number; name: Name; takes: Calls[Name]['takes'] };
}[keyof Calls];

/** What a worker sends: that it is ready or can't start, and its answers. */
export type WorkerMessage =
	| { kind: 'ready' }
	| { kind: 'broken'; error: WireError }
	| { kind: 'answer'; id: number; gives: Calls[keyof Calls]['gives'] }
	| { kind: 'failure'; id: number; error: WireError };
