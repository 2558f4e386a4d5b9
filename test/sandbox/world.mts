import { request } from 'undici';
import { named } from '../../dev/harness/world.mts';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import { loadContract } from '../../dev/sandbox/interface/contract.mts';
import type { SandboxProcess, SpawnOptions } from '../../dev/sandbox/spawn.mts';
import type { SandboxState } from '../../dev/sandbox/types.mts';
import { keptSandbox } from '../keep.mts';

/** The answer to one request. */
export interface Received<Body> {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
	body: Body;
}

/** Problem details as the sandbox fills them in. */
export interface ProblemBody {
	type: string;
	title: string;
	status: number;
	detail: string;
	instance: string;
}

/** How a request differs from the default one. */
export interface CallOptions {
	/** The token; default: the organization key. No header if null. */
	token?: string | null;
	body?: unknown;
	/** A body as text, valid or not. */
	rawBody?: string;
	/** Headers that replace or, when null, remove the ordinary ones. */
	headers?: Record<string, string | null>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

const contract = loadContract();

/** A sandbox in a separate process, with an API client. Test files use it one after the other. */
export class World {
	sandbox!: SandboxProcess;
	client!: SandboxClient;
	state!: SandboxState;

	async open(options: SpawnOptions = {}): Promise<void> {
		this.sandbox = await keptSandbox(options);
		this.client = new SandboxClient(this.sandbox.control);
		this.state = await this.client.state();
	}

	async reset(): Promise<void> {
		await this.client.reset(1);
		this.state = await this.client.state();
	}

	stop(): Promise<void> {
		return this.sandbox.stop();
	}

	/** Sends one request; an answer of the API must conform to its schema. */
	async call<Body = ProblemBody>(
		method: Method,
		path: string,
		options: CallOptions = {},
	): Promise<Received<Body>> {
		const { token = this.sandbox.tokens.org, body, rawBody } = options;
		const text = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
		const headers: Record<string, string> = { accept: 'application/json; v=1.0' };
		if (token !== null) headers['x-api-key'] = token;
		if (text !== undefined) headers['content-type'] = 'application/json; v=1.0';
		for (const [name, value] of Object.entries(options.headers ?? {})) {
			if (value === null) delete headers[name];
			else headers[name] = value;
		}
		const response = await request(this.sandbox.url + path, {
			method,
			headers,
			...(text === undefined ? {} : { body: text }),
		});
		const answer = await response.body.text();
		const received: Received<Body> = {
			status: response.statusCode,
			headers: response.headers,
			text: answer,
			body: answer === '' ? undefined : JSON.parse(answer),
		};
		this.#checkAnswer(method, path, received);
		return received;
	}

	/** Sends a text to a channel, and returns the message package from the answer. */
	async send(channelName: string, text: string, options: CallOptions = {}): Promise<SentPackage> {
		const received = await this.call<SentPackage>('POST', '/api/v1/message/SendMessage', {
			...options,
			body: packageFor(this.channelId(channelName), text),
		});
		expect(received).toMatchObject({ status: 200 });
		return received.body;
	}

	channelId(name: string): string {
		return named(this.state.channels, name).channelId;
	}

	accountId(name: string): string {
		return named(this.state.accounts, name).accountId;
	}

	providerId(key: string): string {
		return found(this.state.providers, (provider) => provider.key === key).providerId;
	}

	token(keyName: string): string {
		return named(this.state.apiKeys, keyName).apiKey;
	}

	keyId(keyName: string): string {
		return named(this.state.apiKeys, keyName).id;
	}

	/** The id of a seeded outbox entry. */
	entryId(channelName: string, statusName: string): string {
		const channelId = this.channelId(channelName);
		const entry = found(
			this.state.outbox,
			(each) => each.channelId === channelId && each.statusName === statusName,
		);
		return entry.httpSenderOutboxEntryId;
	}

	#checkAnswer(method: Method, path: string, received: Received<unknown>): void {
		const asked = {
			method,
			path: path.split('?')[0] ?? '',
			query: {},
			headers: {},
			bodyText: '',
			body: null,
		};
		const { operationId } = contract.check(asked);
		if (operationId === null) return;
		const contentType = String(received.headers['content-type']);
		const problems = contract.answerProblems(operationId, received.status, contentType, received.body);
		// Create account lists its errors one by one; the others are not shown.
		expect(problems.filter((problem) => !/^status: [45]/.test(problem))).toEqual([]);
	}
}

/** Opens a sandbox for the tests of a file, and resets it before each of them. */
export function useWorld(options: SpawnOptions = {}): World {
	const world = new World();
	beforeAll(async () => await world.open(options));
	beforeEach(async () => await world.reset());
	afterAll(async () => await world.stop());
	return world;
}

function found<T>(rows: T[], is: (row: T) => boolean): T {
	const row = rows.find(is);
	if (row === undefined) throw new Error('The state has no such record');
	return row;
}

/** The sandbox's answer to a send. */
export interface SentPackage {
	packageId: string;
	channelId: string;
	organizationID: string;
	accountId: string;
	timestamp: string;
	content: { messageId: string; text: string; timestamp: string };
}

/** A message package with a text for one e-mail address. */
export function packageFor(channelId: string, text: string, content: object = {}): object {
	return {
		channelId,
		content: { type: 'TEXT', text, to: { type: 'EMAIL', email: 'ada@example.com', name: 'Ada' }, ...content },
	};
}

/** An id that does not exist. */
export const unknownId = '00000000-0000-4000-8000-000000000000';
