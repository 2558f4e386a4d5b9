/** What the soak and the engine's process say to each other. */
import type { INodeParameters } from 'n8n-workflow';
import type { Measures } from '../bench/samples.ts';
import type { NodeSettings } from '../engine/workflow.ts';

/** One execution of a single node over made-up items. */
export interface RunTask {
	kind: 'run';
	/** This package's node, or the barest one. */
	node: 'this' | 'barest';
	url: string;
	apiKey: string;
	/** How many items: each has a recipient and a text of its own. */
	items: number;
	parameters: INodeParameters;
	settings?: NodeSettings;
	/** When to stop the execution, in milliseconds; never unless given. */
	stopAfterMs?: number;
}

/** How an execution ended. */
export interface RunReport {
	/** 'success', 'error' or 'canceled'. */
	status: string;
	/** How many items left as a success, and by the error output or with an error. */
	done: number;
	failed: number;
	/** Of a success: the node's time by n8n's own record, and what it cost the process. */
	durationMs?: number;
	measures?: Measures;
	/** Who still listens to the execution's signal after its end. */
	listeners: number;
}

/** What a process holds once garbage is collected. */
export interface Holdings {
	heapBytes: number;
	/** Open sockets, timers and the like, by kind, as Node.js counts them. */
	resources: Record<string, number>;
	/** Listeners on what lives as long as the process, by object and event. */
	listeners: Record<string, number>;
}

/** What the engine's process is asked for. */
export type Task = RunTask | { kind: 'holdings' };
