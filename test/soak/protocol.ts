/** The messages between the soak and the engine's process. */
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
	/** The number of items, each with a different recipient and text. */
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
	/** The number of items that succeeded, and of those on the error output or with an error. */
	done: number;
	failed: number;
	/** For a success: the node's time as recorded by n8n, and the cost to the process. */
	durationMs?: number;
	measures?: Measures;
	/** Listeners on the execution's abort signal after its end. */
	listeners: number;
}

/** What a process holds after garbage collection. */
export interface Holdings {
	heapBytes: number;
	/** Open sockets, timers and the like, by kind, as Node.js counts them. */
	resources: Record<string, number>;
	/** Listeners on what lives as long as the process, by object and event. */
	listeners: Record<string, number>;
}

/** A request to the engine's process. */
export type Task = RunTask | { kind: 'holdings' };
