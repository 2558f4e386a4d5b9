import { request } from 'undici';
import { named } from '../../dev/harness/world.mts';
import { SandboxClient } from '../../dev/sandbox/client.mts';
import { spawnSandbox, type SandboxProcess } from '../../dev/sandbox/spawn.mts';
import type { SandboxState } from '../../dev/sandbox/types.mts';

/** The answer to one request. */
export interface Received {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	/** Problem details, in a refusal. */
	body: { detail: string };
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

/** A sandbox in a separate process, with an API client. */
export class World {
	sandbox!: SandboxProcess;
	client!: SandboxClient;
	state!: SandboxState;

	async open(): Promise<void> {
		this.sandbox = await spawnSandbox();
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

	/** Sends one request. */
	async call(method: Method, path: string, options: CallOptions = {}): Promise<Received> {
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
		return {
			status: response.statusCode,
			headers: response.headers,
			body: answer === '' ? undefined : JSON.parse(answer),
		};
	}

	/** Sends a text to a channel. */
	async send(channelName: string, text: string): Promise<void> {
		const body = packageFor(this.channelId(channelName), text);
		expect(await this.call('POST', '/api/v1/message/SendMessage', { body })).toMatchObject({ status: 200 });
	}

	channelId(name: string): string {
		return named(this.state.channels, name).channelId;
	}

	keyId(keyName: string): string {
		return named(this.state.apiKeys, keyName).id;
	}
}

/** Opens a sandbox for the tests of a file, and resets it before each of them. */
export function useWorld(): World {
	const world = new World();
	beforeAll(async () => await world.open());
	beforeEach(async () => await world.reset());
	afterAll(async () => await world.stop());
	return world;
}

/** A message package with a text for one e-mail address. */
export function packageFor(channelId: string, text: string): object {
	return {
		channelId,
		content: { type: 'TEXT', text, to: { type: 'EMAIL', email: 'ada@example.com', name: 'Ada' } },
	};
}
