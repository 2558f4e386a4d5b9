/** What an engine and its executions are told, and the workflows that follow from it. */
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type {
	EditorRequest,
	ExecutionRequest,
	ExpressionEngine,
	StoredCredential,
	WireError,
	WorkflowJson,
} from './protocol.mts';
import type { Run } from './run.mts';
import type { Change } from './worker/changed-n8n.mts';
import {
	messagingNode,
	messagingType,
	nodeName,
	startName,
	startNode,
	storedCredential,
	workflow,
	type MessagingCredential,
	type NodeSettings,
} from './workflow.mts';

/** Options of an engine, all with defaults. */
export interface EngineOptions {
	/**
	 * n8n's default, `vm`, makes an isolate for each execution, which takes several times as long as the rest of it: use
	 * it only in tests about expressions. Default: `legacy`.
	 */
	expressions?: ExpressionEngine;
	/** What n8n logs; `debug` is everything. */
	logLevel?: 'silent' | 'error' | 'info' | 'debug';
	/** The folder of the store behind Remove Duplicates; engines with the same folder share it. */
	processedData?: string;
	/**
	 * How many times as fast time runs, to shorten waits: see `fast-clock.mjs`. n8n's store and the network are no faster
	 * than usual.
	 */
	fastClock?: number;
	/** What this n8n does differently from the real one. */
	change?: Change;
	/** Environment variables of n8n. */
	env?: Record<string, string>;
}

/** The node under test, with its parameters and settings. */
export interface NodeOptions extends NodeSettings {
	parameters: INodeParameters;
}

/** What to execute: the node alone, or a whole workflow. */
export interface RunOptions {
	/** The items that the start node outputs; default: one empty item. */
	items?: Array<Pick<INodeExecutionData, 'json'>>;
	node?: NodeOptions;
	workflow?: WorkflowJson;
	/** The node's API key; without one the node refers to a missing credential. */
	credential?: MessagingCredential;
	/** The workflow's time zone. */
	timezone?: string;
	/** How the execution was started; default: by a trigger. */
	mode?: ExecutionRequest['mode'];
	/** The node that the run's outputs are read from. */
	watch?: string;
	/** Whether the engine's process takes samples of itself meanwhile. */
	isSampled?: boolean;
}

/** What may change when a failed execution is retried. */
export interface RetryOptions extends Pick<RunOptions, 'credential'> {
	/** The node as changed since: the retry uses the current workflow. */
	node?: NodeOptions;
	/** The workflow as changed since. */
	workflow?: WorkflowJson;
}

/** A running execution. */
export interface RunHandle {
	finished: Promise<Run>;
	/** Stops the execution, as the editor's stop button does. */
	cancel: () => Promise<void>;
}

/** One request for a list of the editor. */
export interface EditorOptions extends Partial<Pick<EditorRequest, 'currentNodeParameters'>> {
	credential: MessagingCredential;
}

export function nodeAlone({ node, timezone }: RunOptions): WorkflowJson {
	const { parameters, ...settings } = node ?? { parameters: {} };
	return workflow(
		[startNode(), messagingNode(parameters, settings)],
		[[startName, nodeName]],
		timezone === undefined ? {} : { timezone },
	);
}

export function withNode(failed: Run, { parameters, ...settings }: NodeOptions): WorkflowJson {
	const changed = messagingNode(parameters, settings, failed.nodeName);
	const { workflow: before } = failed.request;
	return { ...before, nodes: before.nodes.map((item) => (item.name === failed.nodeName ? changed : item)) };
}

export function nodeUnderTest({ nodes }: WorkflowJson): string {
	return nodes.find(({ type }) => type === messagingType)?.name ?? nodeName;
}

export function credentialsOf({ credential }: Pick<RunOptions, 'credential'>): StoredCredential[] {
	return credential ? [storedCredential(credential)] : [];
}

export function errorOf({ name, message, stack, description, httpCode }: WireError): Error {
	const error = Object.assign(new Error(message), { name, description, httpCode });
	if (stack !== undefined) error.stack = stack;
	return error;
}
