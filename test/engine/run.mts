/** A finished execution, read from the data that n8n saves. */
import { parse } from 'flatted';
import type {
	IDataObject,
	INodeExecutionData,
	IRunExecutionData,
	ITaskData,
	NodeExecutionHint,
} from 'n8n-workflow';
import type { ExecutionReport, ExecutionRequest } from './protocol.mts';

/** A failed execution's error, as saved. */
export interface SavedError {
	/** Missing if the engine saved an error whose class has its name on the prototype. */
	name?: string;
	message: string;
	description?: string | null;
	httpCode?: string | null;
	context?: IDataObject;
	messages?: string[];
}

/** One execution: the request, and what n8n saved. */
export class Run {
	readonly request: ExecutionRequest;
	readonly report: ExecutionReport;
	/** The node that `main`, `hints` and `context` refer to. */
	readonly nodeName: string;

	#data: IRunExecutionData | undefined;

	constructor(request: ExecutionRequest, report: ExecutionReport, nodeName: string) {
		this.request = request;
		this.report = report;
		this.nodeName = nodeName;
	}

	/** The saved data, parsed on first use. */
	get data(): IRunExecutionData {
		return (this.#data ??= parse(this.report.saved) as IRunExecutionData);
	}

	/** 'success', 'error' or 'canceled'. */
	get status(): string {
		return this.report.status;
	}

	/** All saved data as text, to search for what it must not contain. */
	get saved(): string {
		return this.report.saved;
	}

	/** All runs of a node in this execution. */
	runsOf(name: string): ITaskData[] {
		return this.data.resultData.runData[name] ?? [];
	}

	/** The items of one of a node's outputs in one of its runs (default: the last). */
	output(name: string, output = 0, run = -1): INodeExecutionData[] {
		return this.runsOf(name).at(run)?.data?.['main']?.[output] ?? [];
	}

	/** The items of the node's last run, from the success and the error output. */
	get main(): [success: INodeExecutionData[], error: INodeExecutionData[]] {
		return [this.output(this.nodeName, 0), this.output(this.nodeName, 1)];
	}

	/** The JSON of the items on the success output. */
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

	/** Their texts. */
	get hintTexts(): string[] {
		return this.hints.map(({ message }) => message);
	}

	/** What the node keeps in the execution (`getContext('node')`). */
	get context(): IDataObject | undefined {
		return this.data.executionData?.contextData[`node:${this.nodeName}`] as IDataObject | undefined;
	}
}
