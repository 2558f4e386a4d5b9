import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call of a tool that the model decides on. */
export interface ToolCall {
	/** Picks the tool by its name, from those offered. */
	readonly tool: RegExp;
	readonly arguments: Readonly<Record<string, unknown>>;
}

/** What the model does in one answer: it calls a tool, or several at once, or says something. */
export type Step = ToolCall | readonly ToolCall[] | string;

/** What the model was asked in one request. */
export interface Prompt {
	readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }>;
	readonly tools: readonly OfferedTool[];
}

/** A tool as the model sees it. */
export interface OfferedTool {
	readonly name: string;
	readonly description: string;
	/** A JSON Schema. */
	readonly parameters: { readonly properties?: Readonly<Record<string, { readonly description?: string }>> };
}

/** A model that follows a script. */
export interface ScriptedModel {
	/** The address that an OpenAI credential takes as its Base URL. */
	readonly url: string;
	/** All requests that it got. */
	readonly prompts: readonly Prompt[];
	close(): Promise<void>;
}

/**
 * A server with the chat-completions protocol. It calls the tools of the script, step by step, and then repeats the last
 * tool's result.
 */
export async function startScriptedModel(script: readonly Step[]): Promise<ScriptedModel> {
	const prompts: Prompt[] = [];
	const server = createServer((request, response) => {
		let text = '';
		request.setEncoding('utf8').on('data', (part: string) => (text += part));
		request.on('end', () => {
			if (request.method !== 'POST') {
				response.setHeader('content-type', 'application/json');
				response.end(JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model' }] }));
				return;
			}
			const body = JSON.parse(text) as {
				stream?: boolean;
				messages: Prompt['messages'];
				tools?: Array<{ function: OfferedTool }>;
			};
			const prompt = { messages: body.messages, tools: (body.tools ?? []).map((tool) => tool.function) };
			const step = script[prompts.length];
			prompts.push(prompt);
			const does = step ?? lastWord(prompt);
			const isSaid = typeof does === 'string';
			const message = isSaid
				? { role: 'assistant', content: does }
				: calls([does].flat(), prompt, prompts.length);
			const choice = { index: 0, finish_reason: isSaid ? 'stop' : 'tool_calls' };
			const answer = { id: `answer-${prompts.length}`, created: 0, model: 'scripted' };
			if (body.stream === true) {
				const chunk = {
					...answer,
					object: 'chat.completion.chunk',
					choices: [{ ...choice, delta: message }],
				};
				response.setHeader('content-type', 'text/event-stream');
				response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
				return;
			}
			response.setHeader('content-type', 'application/json');
			response.end(
				JSON.stringify({
					...answer,
					object: 'chat.completion',
					choices: [{ ...choice, message }],
					usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
				}),
			);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/v1`,
		prompts,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

function calls(step: readonly ToolCall[], { tools }: Prompt, turn: number): object {
	const found = step.map((call) => ({ ...call, name: tools.find(({ name }) => call.tool.test(name))?.name }));
	const missing = found.find(({ name }) => name === undefined);
	if (missing !== undefined) return { role: 'assistant', content: `There is no tool ${missing.tool.source}` };
	return {
		role: 'assistant',
		content: null,
		tool_calls: found.map(({ name, arguments: given }, index) => ({
			index,
			id: `call-${turn}-${index}`,
			type: 'function',
			function: { name, arguments: JSON.stringify(given) },
		})),
	};
}

function lastWord({ messages }: Prompt): string {
	const answers = messages.filter(({ role }) => role === 'tool');
	return `The tool said: ${String(answers.at(-1)?.content)}`;
}
