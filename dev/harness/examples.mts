import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import type { WorkflowFile } from './n8n/api.mts';
import { projectRoot } from './n8n/paths.mts';

const folder = join(projectRoot(), 'examples');

/** The workflows in examples/, by file name. */
export const exampleNames = readdirSync(folder)
	.filter((file) => file.endsWith('.json'))
	.map((file) => file.replace('.json', ''));

/** An example workflow as in its file. */
export const readExample = (name: string): WorkflowFile =>
	JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as WorkflowFile;

/** A workflow in which some nodes have other parameters, as after a person filled them in. */
export function withParameters(
	workflow: WorkflowFile,
	changes: Readonly<Record<string, INodeParameters>>,
): WorkflowFile {
	for (const name of Object.keys(changes)) {
		if (!workflow.nodes.some((node) => node.name === name)) throw new Error(`There is no node "${name}"`);
	}
	return {
		...workflow,
		nodes: workflow.nodes.map((node) => ({
			...node,
			parameters: { ...node.parameters, ...changes[node.name] },
		})),
	};
}

/** The values of a "Set" node, by name, in the form in which it keeps them. */
export function withAssignments(
	workflow: WorkflowFile,
	node: string,
	values: Readonly<Record<string, string | number>>,
): WorkflowFile {
	const { assignments } = (workflow.nodes.find(({ name }) => name === node)?.parameters ?? {}) as {
		assignments?: { assignments: Array<{ name: string; value: string | number }> };
	};
	if (assignments === undefined) throw new Error(`There is no node "${node}" with assignments`);
	return withParameters(workflow, {
		[node]: {
			assignments: {
				assignments: assignments.assignments.map((assignment) => ({
					...assignment,
					value: values[assignment.name] ?? assignment.value,
				})),
			},
		},
	});
}
