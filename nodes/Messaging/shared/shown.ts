import { type IExecuteFunctions, type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

/**
 * Errors and hints. n8n's editor shows them as HTML, with links and pictures, and parts of them come from the service,
 * and through it from anybody. So all of them are made here, from text that begins no tag.
 */

/** What an error says: what happened, and what to do. */
type Words = Readonly<Record<'message' | 'description', string>>;

export type NodeError = NodeApiError | NodeOperationError;

/** Words as they may be shown. */
export function shown({ message, description }: Words): Words {
	return { message: withoutTags(message), description: withoutTags(description) };
}

/** Text in which a zero-width space keeps each "<" from beginning a tag. It looks the same. */
export function withoutTags(text: string): string {
	return text.replace(/<(?=[a-z/!?])/gi, '<\u200b');
}

/** An error of n8n: of a call to the service if there is a status, or null for no answer; otherwise of the node itself. */
export function nodeError(node: INode, given: Words, status?: number | null): NodeError {
	const words = shown(given);
	const httpCode = typeof status === 'number' ? { httpCode: String(status) } : {};
	const error =
		status === undefined
			? new NodeOperationError(node, words.message, words)
			: new NodeApiError(node, {}, { ...words, ...httpCode });
	// Again, because n8n replaces messages that contain certain words, such as ECONNREFUSED:
	// https://github.com/n8n-io/n8n/blob/master/packages/workflow/src/errors/abstract/node.error.ts
	return Object.assign(error, words);
}

/** Adds a hint to the output of a node. */
export function addHint(context: IExecuteFunctions, type: 'info' | 'warning', text: string): void {
	context.addExecutionHints({ type, message: withoutTags(text), location: 'outputPane' });
}
