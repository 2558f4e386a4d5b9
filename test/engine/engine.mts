/**
 * n8n's real engine for the tests. It runs in a separate process, since jest can't load some of its modules, and loads
 * the built package from `dist/` as n8n does.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type {
	INodeExecutionData,
	INodeListSearchResult,
	INodeParameters,
	ResourceMapperFields,
} from 'n8n-workflow';
import type {
	CallMessage,
	Calls,
	EditorRequest,
	EditorResult,
	ExecutionRequest,
	ExpressionEngine,
	Holdings,
	LoadedPackage,
	StoredCredential,
	WireError,
	WorkerMessage,
	WorkerSettings,
	WorkflowJson,
} from './protocol.mts';
import { leaveKept, takeKept } from '../keep.mts';
import { n8nUnderTest } from './n8n-under-test.mts';
import { Run } from './run.mts';
import {
	messagingNode,
	messagingType,
	nodeName,
	startName,
	startNode,
	storedCredential,
	triggeredWorkflow,
	workflow,
	type MessagingCredential,
	type NodeSettings,
} from './workflow.mts';

/** Options of an engine, all with defaults. */
export interface EngineOptions {
	/** A package to load in addition to the one under test. */
	further?: string;
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
export interface EditorOptions extends Partial<
	Pick<EditorRequest, 'currentNodeParameters' | 'filter' | 'paginationToken'>
> {
	credential: MessagingCredential;
}

interface Waiting {
	resolve: (value: Calls[keyof Calls]['gives']) => void;
	reject: (error: Error) => void;
}

const stopTimeoutMs = 5000;

/** The name under which an engine is kept for later test files; undefined if it has special options. */
function keptNameOf({
	expressions = 'legacy',
	fastClock = 1,
	...special
}: EngineOptions): string | undefined {
	if (Object.keys(special).length > 0) return undefined;
	return `engine, expressions ${expressions}, time ${fastClock}`;
}

/** Modules preloaded into an engine's process. */
const fastClockModule = pathToFileURL(join(process.cwd(), 'test', 'engine', 'fast-clock.mjs')).href;

export class Engine {
	readonly #child: ChildProcess;
	readonly #keptName: string | undefined;
	readonly #waiting = new Map<number, Waiting>();
	readonly #streams: Readable[];
	#lastId = 0;
	#log = '';

	/** @param keptName the name under which it is kept for other test files; undefined if it is not shared */
	constructor(child: ChildProcess, keptName: string | undefined) {
		this.#child = child;
		this.#keptName = keptName;
		this.#streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
		for (const stream of this.#streams) stream.setEncoding('utf8').on('data', this.#note);
		child.on('message', this.#receive).on('exit', this.#ended);
	}

	/** What n8n has logged since the test file got this engine. */
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
		const activation = (await this.#call('activate', request).answer) as number;
		return async () => (await this.#call('poll', { activation }).answer) as Calls['poll']['gives'];
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
		for (let turn = 0; turn < 20; turn++) await this.#call('turn', null).answer;
	}

	/** Makes the store behind Remove Duplicates fail from now on, or work again. */
	async failStore(fails: boolean): Promise<void> {
		await this.#call('failStore', fails).answer;
	}

	/** What the engine's process holds while nothing runs in it. */
	async holdings(): Promise<Holdings> {
		return (await this.#call('holdings', null).answer) as Holdings;
	}

	/** Ends the engine's process: like a power cut, unless another signal is given. */
	async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
		const ended = new Promise((resolve) => this.#child.once('exit', resolve));
		this.#child.kill(signal);
		await ended;
	}

	/** The packages as n8n's loader sees them: what the editor shows about the node and the credential. */
	async describe(): Promise<LoadedPackage[]> {
		return (await this.#call('describe', null).answer) as LoadedPackage[];
	}

	/** Asks the node for the records that a searchable list offers. */
	async listSearch(method: string, options: EditorOptions): Promise<INodeListSearchResult> {
		return (await this.#ask({ kind: 'listSearch', method }, options)) as INodeListSearchResult;
	}

	/** Asks the node for the fields of a form. */
	async resourceMapping(method: string, options: EditorOptions): Promise<ResourceMapperFields> {
		return (await this.#ask({ kind: 'resourceMapping', method }, options)) as ResourceMapperFields;
	}

	/** Keeps the engine's process for the next test file if that is possible and nothing runs in it, or ends it. */
	async stop(): Promise<void> {
		for (const stream of this.#streams) stream.off('data', this.#note);
		this.#child.off('message', this.#receive).off('exit', this.#ended);
		const isFit = this.#child.connected && this.#waiting.size === 0;
		if (isFit && this.#keptName !== undefined && leaveKept(this.#keptName, this.#child)) return;
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
		const { id, answer } = this.#call('run', request);
		const watched = watch ?? nodeUnderTest(request.workflow);
		const cancel = async () => {
			await this.#call('cancel', { call: id }).answer;
		};
		const finished = answer.then((report) => new Run(request, report as Calls['run']['gives'], watched));
		return { finished, cancel };
	}

	async #ask(
		asked: Pick<EditorRequest, 'kind' | 'method'>,
		{ credential, ...options }: EditorOptions,
	): Promise<EditorResult> {
		const credentials = [storedCredential(credential)];
		const request = { currentNodeParameters: {}, ...options, ...asked, credentials };
		return (await this.#call('editor', request).answer) as EditorResult;
	}

	#call<Name extends keyof Calls>(name: Name, takes: Calls[Name]['takes']) {
		const id = ++this.#lastId;
		const answer = new Promise<Calls[keyof Calls]['gives']>((resolve, reject) => {
			this.#waiting.set(id, { resolve, reject });
			const message = { id, name, takes } as CallMessage;
			this.#child.send(message, (error) => {
				if (error) reject(error);
			});
		});
		return { id, answer };
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

/**
 * Returns an engine with the built package loaded. Without special options it may have been used by an earlier test
 * file; it remembers the plans and pauses of keys, so every test needs its own key.
 */
export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
	const keptName = keptNameOf(options);
	const kept = keptName === undefined ? undefined : takeKept<ChildProcess>(keptName);
	if (kept?.connected === true) return new Engine(kept, keptName);
	return await startNewEngine(options, keptName);
}

async function startNewEngine(options: EngineOptions, keptName: string | undefined): Promise<Engine> {
	const n8n = n8nUnderTest();
	const userFolder = await mkdtemp(join(tmpdir(), 'messaging-engine-'));
	const settings: WorkerSettings = {
		packages: [n8n.packageUnderTest, ...(options.further === undefined ? [] : [options.further])],
		expressions: n8n.lacks.includes('isolates') ? 'legacy' : (options.expressions ?? 'legacy'),
		processedData: options.processedData ?? join(userFolder, 'processed-data'),
	};
	const child = fork(n8n.worker, [JSON.stringify(settings)], {
		cwd: process.cwd(),
		execPath: n8n.node,
		serialization: 'advanced',
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
		env: {
			...process.env,
			// Not jest's "test", with which n8n-core behaves differently than on a server.
			NODE_ENV: 'production',
			N8N_USER_FOLDER: userFolder,
			N8N_ENCRYPTION_KEY: 'the key of a throwaway n8n',
			N8N_LOG_LEVEL: options.logLevel ?? 'error',
			...((options.fastClock ?? 1) === 1
				? {}
				: { NODE_OPTIONS: `--import=${fastClockModule}`, FAST_CLOCK: String(options.fastClock) }),
			...options.env,
		},
	});
	// A killed process does not clean up.
	child.once('exit', () => void rm(userFolder, { recursive: true, force: true }).catch(() => {}));
	const engine = new Engine(child, keptName);
	try {
		await new Promise<void>((resolve, reject) => {
			child.once('message', (message: WorkerMessage) => {
				if (message.kind !== 'broken') return resolve();
				const { stack } = errorOf(message.error);
				reject(new Error(`The engine did not start\n${stack}`));
			});
			child.once('error', reject);
			child.once('exit', () => reject(new Error(`The engine did not start\n${engine.log}`)));
		});
	} catch (error) {
		await engine.stop();
		throw error;
	}
	letGo(child);
	return engine;
}

/** An engine kept for the next test file must not keep jest from ending; it ends with jest. */
function letGo(child: ChildProcess): void {
	child.unref();
	child.channel?.unref();
	for (const stream of child.stdio) {
		if (stream instanceof Socket) stream.unref();
	}
}

function nodeAlone({ node, timezone }: RunOptions): WorkflowJson {
	const { parameters, ...settings } = node ?? { parameters: {} };
	return workflow(
		[startNode(), messagingNode(parameters, settings)],
		[[startName, nodeName]],
		timezone === undefined ? {} : { timezone },
	);
}

function withNode(failed: Run, { parameters, ...settings }: NodeOptions): WorkflowJson {
	const changed = messagingNode(parameters, settings, failed.nodeName);
	const { workflow: before } = failed.request;
	return { ...before, nodes: before.nodes.map((item) => (item.name === failed.nodeName ? changed : item)) };
}

function nodeUnderTest({ nodes }: WorkflowJson): string {
	return nodes.find(({ type }) => type === messagingType)?.name ?? nodeName;
}

function credentialsOf({ credential }: Pick<RunOptions, 'credential'>): StoredCredential[] {
	return credential ? [storedCredential(credential)] : [];
}

function errorOf({ name, message, stack, description, httpCode }: WireError): Error {
	const error = Object.assign(new Error(message), { name, description, httpCode });
	if (stack !== undefined) error.stack = stack;
	return error;
}
