import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IConnections, INode } from 'n8n-workflow';

/** A workflow as copied from a document. */
export interface PastedWorkflow {
	nodes: INode[];
	connections: IConnections;
}

/**
 * The workflows to paste in a document.
 *
 * @param document its path below the project's root
 * @throws when one of its JSON blocks is invalid
 */
export function workflowsIn(document: string): PastedWorkflow[] {
	const text = readFileSync(join(process.cwd(), document), 'utf8');
	return [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)]
		.map(([, block = '']): unknown => JSON.parse(block))
		.filter(
			(value): value is PastedWorkflow => typeof value === 'object' && value !== null && 'nodes' in value,
		);
}

/** The documents that have a workflow to paste. */
export function documentsWithWorkflows(): string[] {
	return ['.', 'docs', 'docs/internals', 'docs/operations', 'examples'].flatMap((folder) =>
		readdirSync(join(process.cwd(), folder))
			.filter((name) => name.endsWith('.md'))
			.map((name) => join(folder, name))
			.filter((document) => workflowsIn(document).length > 0),
	);
}

/**
 * The blocks of code in a document that name no language, by the heading above them.
 *
 * @param document its path below the project's root
 */
export function blocksIn(document: string): Map<string, string[]> {
	const text = readFileSync(join(process.cwd(), document), 'utf8');
	const chapters = text.split(/^## /m).slice(1);
	return new Map(
		chapters.map((chapter) => [
			chapter.slice(0, chapter.indexOf('\n')),
			[...chapter.matchAll(/^( *)```\n([\s\S]*?)\n\1```$/gm)].map(([, indent = '', block = '']) =>
				block.replaceAll(`\n${indent}`, '\n').trim(),
			),
		]),
	);
}
