/** The setup of most engine tests: an engine, a sandbox, and helpers to run the node. */
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { sendThrough } from '../../dev/harness/workflows.mts';
import { acceptedTexts, named } from '../../dev/harness/world.mts';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import { spawnSandbox, type SandboxProcess } from '../../dev/sandbox/spawn.mts';
import type { LoggedRequest, MessageRecord, SandboxState } from '../../dev/sandbox/types.mts';
import { eventually } from '../waiting.mts';
import { startEngine, type Engine, type EngineOptions, type RunHandle, type RunOptions } from './engine.mts';
import type { Run } from './run.mts';
import type { MessagingCredential, NodeSettings } from './workflow.mts';

/** Timeout of one test, and for starting n8n's engine and the sandbox: both take far less unless the machine is busy. */
const timeoutMs = 60_000;

/** How the node is executed: for which items, with which settings. */
export interface ExecuteOptions extends Omit<RunOptions, 'node' | 'items'> {
	/** The JSON of the input items; one empty item unless given. */
	items?: IDataObject[];
	settings?: NodeSettings | undefined;
}

/** The sandbox of the running test file: its labs share it, since one test runs at a time. */
let sandboxOfFile: Promise<SandboxProcess> | undefined;

/**
 * An engine and a sandbox of a test file. Before each test the sandbox is reset with a seed unique to the test, so that no
 * test meets a plan or a pause that the engine remembers for another test's key.
 */
export class Lab {
	engine!: Engine;
	client!: SandboxClient;
	/** The sandbox, with the tokens of the current test. */
	sandbox!: SandboxProcess;
	/** The sandbox's state before the test. */
	state!: SandboxState;
	/** The seeds of the current test. */
	#seeds = { test: '', given: 0 };
	readonly #nodeOptions: INodeParameters;

	/**
	 * @param nodeOptions those that each run of the node has, unless the test gives others. By default, the key's plan is
	 * not requested, so that the sandbox sees only the operation's own requests.
	 */
	constructor(nodeOptions: INodeParameters = { keepToPlan: false }) {
		this.#nodeOptions = nodeOptions;
	}

	/** A key with access to the whole organization of the seeded accounts. */
	get credential(): MessagingCredential {
		return { baseUrl: this.sandbox.url, apiKey: this.sandbox.tokens.org };
	}

	async open(options: EngineOptions = {}): Promise<void> {
		sandboxOfFile ??= spawnSandbox();
		[this.engine, this.sandbox] = await Promise.all([startEngine(options), sandboxOfFile]);
		this.client = new SandboxClient(this.sandbox.control);
	}

	/** @param test what the seed is made of */
	async reset(test = testName()): Promise<void> {
		const { tokens } = await this.client.reset(this.#nextSeed(test));
		this.sandbox = { ...this.sandbox, tokens };
		this.state = await this.client.state();
	}

	/** A seed unique to the test and stable: no test shares its keys, and so its queue, with another one. */
	#nextSeed(test: string): number {
		this.#seeds = { test, given: test === this.#seeds.test ? this.#seeds.given + 1 : 0 };
		return createHash('sha256').update(`${test} ${this.#seeds.given}`).digest().readUIntBE(0, 4);
	}

	async close(): Promise<void> {
		const sandbox = await sandboxOfFile;
		sandboxOfFile = undefined;
		// Undefined if it did not start.
		const { engine }: { engine?: Engine } = this;
		await Promise.all([engine?.stop(), sandbox?.stop()]);
	}

	/** Starts the node once, in a new workflow: it can be stopped. */
	start(parameters: INodeParameters, options: ExecuteOptions = {}): RunHandle {
		const { items, settings, ...rest } = options;
		return this.engine.start({
			credential: this.credential,
			...rest,
			...(items === undefined ? {} : { items: items.map((json) => ({ json })) }),
			node: { parameters, ...settings },
		});
	}

	/** Runs the node once, in a new workflow. */
	async execute(parameters: INodeParameters, options: ExecuteOptions = {}): Promise<Run> {
		const given = { ...this.#nodeOptions, ...(parameters['options'] as INodeParameters | undefined) };
		return await this.start({ ...parameters, options: given }, options).finished;
	}

	/** The requests that the sandbox received since the test began. */
	async requests(): Promise<LoggedRequest[]> {
		return await this.client.requests();
	}

	/** Those without the questions for the plan. */
	async calls(): Promise<LoggedRequest[]> {
		return (await this.requests()).filter(({ path }) => !path.endsWith('/Me'));
	}

	/** The accepted messages, in order. */
	async messages(): Promise<MessageRecord[]> {
		return (await this.client.state()).messages;
	}

	/** How often each text was accepted: more than once is a duplicate. */
	async accepted(): Promise<Record<string, number>> {
		return await acceptedTexts(this.client);
	}

	/** Waits until the sandbox has received this many calls. */
	async received(count: number): Promise<void> {
		await eventually(async () => (await this.calls()).length >= count, `${count} calls`);
	}

	/** Waits until the sandbox has answered this many calls (with a status) and the engine has received the answers. */
	async answered(count: number, wanted?: number): Promise<void> {
		const isAnswered = ({ status, inFlightMs }: LoggedRequest) =>
			inFlightMs !== null && (wanted === undefined ? status !== null : status === wanted);
		const isSo = async () => (await this.calls()).filter(isAnswered).length >= count;
		await eventually(isSo, `${count} answers`);
		await this.engine.takeTurns();
	}

	/** The same without the preliminary requests of some operations. */
	async requestsOf(operationId: string): Promise<LoggedRequest[]> {
		const requests = await this.requests();
		const questions: Array<string | null> = ['apiKey.getCurrent', 'channel.getAll'];
		return requests.filter(
			({ operationId: received }) => received === operationId || !questions.includes(received),
		);
	}

	/** A seeded channel. */
	channel(name = 'Support E-mail'): SandboxState['channels'][number] {
		return named(this.state.channels, name);
	}

	/** The UUID of a seeded channel. */
	channelId(name?: string): string {
		return this.channel(name).channelId;
	}

	/** Sends `text` to `to` of each item; both are expressions. */
	send(options: INodeParameters = {}, change: INodeParameters = {}): INodeParameters {
		return sendThrough(this.channelId(), { options, ...change });
	}

	/** Sends each once, under the key in its `id`. */
	once(options: INodeParameters = {}): INodeParameters {
		return this.send({ onceKey: '={{ $json.id }}', keepToPlan: false, ...options });
	}

	/** Asks `text` of `to` of each item, and waits for the answers. */
	ask(options: INodeParameters = {}, change: INodeParameters = {}): INodeParameters {
		const { text: message, ...rest } = this.send(options);
		return { ...rest, operation: 'sendAndWait', message, ...change };
	}

	/** The UUID of a seeded account. */
	accountId(name: string): string {
		return named(this.state.accounts, name).accountId;
	}
}

/** Sets up a lab for a test file. */
export function useLab(options: EngineOptions = {}, nodeOptions?: INodeParameters): Lab {
	const lab = new Lab(nodeOptions);
	jest.setTimeout(timeoutMs);
	beforeAll(async () => await lab.open(options), timeoutMs);
	beforeEach(async () => await lab.reset());
	afterAll(async () => await lab.close());
	return lab;
}

export { byId, fromList } from '../cases/values.mts';

/** An item's error, in the shape of the node's contract. */
export interface ItemError {
	message: string;
	description: string;
	statusCode: number | null;
	outcome: string;
	problem: IDataObject | null;
	requestId: string | null;
}

/** The error in an error item; fails if there is none. */
export function errorOf(item: INodeExecutionData | undefined): ItemError {
	const error = item?.json['error'] as ItemError | undefined;
	if (error === undefined) throw new Error(`Not an error item: ${JSON.stringify(item)}`);
	return error;
}

/** The ways in which n8n goes on after an error. */
export const everyMode = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
export type OnError = (typeof everyMode)[number];

/** Settings with which each call is tried only once. */
export const once = { maxTries: 1, maxWait: 1 };

/** The running test: its file and name. */
function testName(): string {
	const { testPath = '', currentTestName = '' } = expect.getState();
	return `${relative(process.cwd(), testPath)} ${currentTestName}`;
}
