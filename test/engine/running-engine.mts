import type { ChildProcess } from 'node:child_process';
import type {
	INodeExecutionData,
	INodeListSearchResult,
	INodeParameters,
	ResourceMapperFields,
} from 'n8n-workflow';
import type {
	CallMessage,
	EditorRequest,
	ExecutionRequest,
	Holdings,
	LoadedPackage,
	PageRequest,
	PageVisit,
	WorkerMessage,
} from './protocol.mts';
import {
	credentialsOf,
	errorOf,
	nodeAlone,
	nodeUnderTest,
	withNode,
	type EditorOptions,
	type RetryOptions,
	type RunHandle,
	type RunOptions,
} from './engine-options.mts';
import { Run } from './run.mts';
import type { Calls } from './worker.mts';
import { startName, storedCredential, triggeredWorkflow, type MessagingCredential } from './workflow.mts';

interface Waiting {
	resolve: (value: unknown) => void;
	reject: (error: Error) => void;
}

const stopTimeoutMs = 5000;

/** An engine's process. */
export class Engine {
	readonly #child: ChildProcess;
	readonly #waiting = new Map<number, Waiting>();
	#lastId = 0;
	#lastRun = 0;
	#log = '';

	constructor(child: ChildProcess) {
		this.#child = child;
		for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', this.#note);
		child.on('message', this.#receive).on('exit', this.#ended);
	}

	/** What n8n has logged. */
	get log(): string {
		return this.#log;
	}

	/** Executes a workflow to the end. */
	async run(options: RunOptions): Promise<Run> {
		return await this.start(options).finished;
	}

	/** Starts an execution that can be cancelled or run beside others. */
	start(options: RunOptions): RunHandle {
		const request: ExecutionRequest = {
			workflow: options.workflow ?? nodeAlone(options),
			credentials: credentialsOf(options),
			mode: options.mode ?? 'trigger',
			start: startName,
			items: options.items ?? [{ json: {} }],
			isSampled: options.isSampled,
		};
		return this.#start(request, options);
	}

	/** Activates a workflow that begins with the trigger. n8n would poll by itself; here the test does it. */
	async activate(
		parameters: INodeParameters,
		credential: MessagingCredential,
	): Promise<() => Promise<INodeExecutionData[][] | null>> {
		const request = { workflow: triggeredWorkflow(parameters), credentials: [storedCredential(credential)] };
		const activation = await this.#call('activate', request);
		return async () => await this.#call('poll', activation);
	}

	/** Retries a failed execution as n8n's executions page does, with its original workflow or a changed one. */
	async retry(failed: Run, options: RetryOptions = {}): Promise<Run> {
		return await this.startRetry(failed, options).finished;
	}

	/** Starts a retry that can be cancelled or run beside others. */
	startRetry(failed: Run, options: RetryOptions = {}): RunHandle {
		const changed = options.workflow ?? (options.node && withNode(failed, options.node));
		const credentials = credentialsOf(options);
		const request: ExecutionRequest = {
			...failed.request,
			workflow: changed ?? failed.request.workflow,
			credentials: credentials.length > 0 ? credentials : failed.request.credentials,
			mode: 'retry',
			saved: failed.saved,
			useCurrentWorkflow: changed !== undefined,
		};
		return this.#start(request, { ...options, watch: failed.nodeName });
	}

	/**
	 * Lets the engine's process handle everything that has reached it: a server's answer takes a few turns of the event
	 * loop from the connection to the node.
	 */
	async takeTurns(): Promise<void> {
		for (let turn = 0; turn < 20; turn++) await this.#call('turn');
	}

	/** Makes the store behind Remove Duplicates fail from now on, or work again. */
	async failStore(fails: boolean): Promise<void> {
		await this.#call('failStore', fails);
	}

	/** What the engine's process holds while nothing runs in it. */
	async holdings(): Promise<Holdings> {
		return await this.#call('holdings');
	}

	/** Ends the engine's process: like a power cut, unless another signal is given. */
	async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
		const ended = new Promise((resolve) => this.#child.once('exit', resolve));
		this.#child.kill(signal);
		await ended;
	}

	/** The package as n8n's loader sees it: what the editor shows about the node and the credential. */
	async describe(): Promise<LoadedPackage> {
		return await this.#call('describe');
	}

	/** Asks the node for the records that a searchable list offers. */
	async listSearch(method: string, options: EditorOptions): Promise<INodeListSearchResult> {
		return await this.#call('listSearch', editorRequest(method, options));
	}

	/** Asks the node for the fields of a form. */
	async resourceMapping(method: string, options: EditorOptions): Promise<ResourceMapperFields> {
		return await this.#call('resourceMapping', editorRequest(method, options));
	}

	/** Visits the page of a question of a waiting execution. */
	async visit(
		{ request, saved, nodeName }: Run,
		visit: Pick<PageRequest, 'body' | 'method' | 'query'>,
	): Promise<PageVisit> {
		return await this.#call('visitPage', { waiting: request.workflow, saved, node: nodeName, ...visit });
	}

	/** Ends the engine's process. What still runs in it is left without an end. */
	async stop(): Promise<void> {
		this.#child.off('exit', this.#ended);
		const { exitCode, signalCode } = this.#child;
		if (exitCode !== null || signalCode !== null) return;
		await new Promise<void>((resolve) => {
			const force = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs);
			this.#child.once('exit', () => {
				clearTimeout(force);
				resolve();
			});
			if (this.#child.connected) this.#child.disconnect();
		});
	}

	#start(request: ExecutionRequest, { watch }: Pick<RunOptions, 'watch'>): RunHandle {
		const number = ++this.#lastRun;
		const watched = watch ?? nodeUnderTest(request.workflow);
		const finished = this.#call('run', request, number).then((report) => new Run(request, report, watched));
		return { finished, cancel: async () => await this.#call('cancel', number) };
	}

	async #call<Name extends keyof Calls>(
		name: Name,
		...takes: Parameters<Calls[Name]>
	): Promise<Awaited<ReturnType<Calls[Name]>>> {
		const message: CallMessage = { id: ++this.#lastId, name, takes };
		const answer = new Promise<unknown>((resolve, reject) => {
			this.#waiting.set(message.id, { resolve, reject });
			this.#child.send(message, (error) => {
				if (error) reject(error);
			});
		});
		return (await answer) as Awaited<ReturnType<Calls[Name]>>;
	}

	readonly #note = (text: string): void => {
		this.#log += text;
	};

	readonly #receive = (message: WorkerMessage): void => {
		if (message.kind !== 'answer' && message.kind !== 'failure') return;
		const waiting = this.#waiting.get(message.id);
		this.#waiting.delete(message.id);
		if (message.kind === 'answer') waiting?.resolve(message.gives);
		else waiting?.reject(errorOf(message.error));
	};

	readonly #ended = (code: number | null, signal: string | null): void => {
		const reason = `The engine's process ended (${signal ?? code})`;
		for (const { reject } of this.#waiting.values()) reject(new Error(`${reason}\n${this.#log}`));
		this.#waiting.clear();
	};
}

function editorRequest(method: string, { credential, ...options }: EditorOptions): EditorRequest {
	return { currentNodeParameters: {}, ...options, method, credentials: [storedCredential(credential)] };
}
