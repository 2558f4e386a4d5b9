/** A finished execution, read from the data that n8n saves of it. */
import { parse } from 'flatted';
import type {
	IDataObject,
	INodeExecutionData,
	IRunExecutionData,
	ITaskData,
	NodeExecutionHint,
} from 'n8n-workflow';
import type { ExecutionReport, ExecutionRequest } from './protocol.ts';

/** A failed execution's error, as it stands in the saved data. */
export interface SavedError {
	/** Missing where the engine saved an error of a class that keeps its name on the prototype. */
	name?: string;
	message: string;
	description?: string | null;
	httpCode?: string | null;
	context?: IDataObject;
	messages?: string[];
}

/** One execution: what was asked, and what n8n saved. */
export class Run {
	readonly request: ExecutionRequest;
	readonly report: ExecutionReport;
	/** The node whose outputs `main`, `hints` and `context` give. */
	readonly nodeName: string;

	#data: IRunExecutionData | undefined;

	constructor(request: ExecutionRequest, report: ExecutionReport, nodeName: string) {
		this.request = request;
		this.report = report;
		this.nodeName = nodeName;
	}

	/** The saved data, parsed when it is first asked for. */
	get data(): IRunExecutionData {
		return (this.#data ??= parse(this.report.saved) as IRunExecutionData);
	}

	/** 'success', 'error' or 'canceled'. */
	get status(): string {
		return this.report.status;
	}

	/** The whole saved data as text, to search for what must not be in it. */
	get saved(): string {
		return this.report.saved;
	}

	/** All runs of a node in this execution. */
	runsOf(name: string): ITaskData[] {
		return this.data.resultData.runData[name] ?? [];
	}

	/** The items that left a node by one of its outputs in one of its runs (the last, unless given). */
	output(name: string, output = 0, run = -1): INodeExecutionData[] {
		return this.runsOf(name).at(run)?.data?.['main']?.[output] ?? [];
	}

	/** The items of the node's last run: by the success output, and by the error output. */
	get main(): [success: INodeExecutionData[], error: INodeExecutionData[]] {
		return [this.output(this.nodeName, 0), this.output(this.nodeName, 1)];
	}

	/** The JSON of the items that left by the success output. */
	get json(): IDataObject[] {
		return this.main[0].map(({ json }) => json);
	}

	/** The error that ended the execution. */
	get error(): SavedError | undefined {
		return this.data.resultData.error as unknown as SavedError | undefined;
	}

	/** The hints of the node's last run. */
	get hints(): NodeExecutionHint[] {
		return this.runsOf(this.nodeName).at(-1)?.hints ?? [];
	}

	/** What the node keeps in the execution (`getContext('node')`). */
	get context(): IDataObject | undefined {
		return this.data.executionData?.contextData[`node:${this.nodeName}`] as IDataObject | undefined;
	}
}
