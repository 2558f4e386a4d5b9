interface Reply {
	readonly result?: unknown;
	readonly error?: { readonly message: string };
}

/** A small MCP client, with the transport "Streamable HTTP". */
export class McpClient {
	readonly #url: string;
	#session: string | undefined;
	#id = 0;

	constructor(url: string) {
		this.#url = url;
	}

	/** Begins a session. */
	async open(): Promise<void> {
		const clientInfo = { name: 'small', version: '1' };
		await this.#ask('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo });
		await this.#post({ method: 'notifications/initialized' });
	}

	/** What a model reads of a call. */
	async call(name: string, given: object): Promise<string> {
		const result = await this.#ask('tools/call', { name, arguments: given });
		const { content } = result as { content: ReadonlyArray<{ text?: string }> };
		return content.map(({ text = '' }) => text).join('\n');
	}

	async #ask(method: string, params: object): Promise<unknown> {
		const id = ++this.#id;
		const text = await this.#post({ id, method, params });
		// An answer may come as a stream of events, each with a line of data.
		const data = /^data: (.+)$/m.exec(text)?.[1] ?? text;
		const { error, result } = JSON.parse(data) as Reply;
		if (error !== undefined) throw new Error(`${method}: ${error.message}`);
		return result;
	}

	async #post(message: object): Promise<string> {
		const response = await fetch(this.#url, {
			method: 'POST',
			headers: {
				accept: 'application/json, text/event-stream',
				'content-type': 'application/json',
				...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
			},
			body: JSON.stringify({ jsonrpc: '2.0', ...message }),
			signal: AbortSignal.timeout(60_000),
		});
		this.#session ??= response.headers.get('mcp-session-id') ?? undefined;
		const text = await response.text();
		if (!response.ok) throw new Error(`The MCP server answered with ${response.status}: ${text}`);
		return text;
	}
}
