/** Checks that the documents match the node. `npm run docs` writes those pages that this test compares. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';

import { answersTable } from '../docs/answers.mts';
import { modelsPage, modelsText } from '../docs/for-models.mts';
import { pagesFolder } from '../docs/pages.mts';
import { documentsWithWorkflows, workflowsIn } from '../docs/workflows.mts';
import { answersDocument, pageNames, writtenPages } from '../docs/written.mts';
import { cellsOnly } from '../format.mts';
import { byId, useLab } from './lab.mts';
import { messagingNode, messagingType, startName, startNode, workflow } from './workflow.mts';

const lab = useLab();

describe('docs/operations, as "npm run docs" writes it', () => {
	let pages: ReadonlyMap<string, string>;
	beforeAll(async () => (pages = await writtenPages(lab)), 120_000);

	test('has a page for each operation, and no other', () => {
		expect(readdirSync(pagesFolder).sort()).toEqual([...pageNames].sort());
	});

	// If one fails, run `npm run docs` and review the difference.
	test.each(pageNames)('%s says what the node does', (name) => {
		expect(readFileSync(join(pagesFolder, name), 'utf8')).toBe(pages.get(name));
	});
});

test(`${modelsPage} has the names of the node`, () => {
	expect(readFileSync(modelsPage, 'utf8')).toBe(modelsText());
});

test(`${answersDocument} shows who writes which answers`, () => {
	expect(cellsOnly(readFileSync(answersDocument, 'utf8'))).toContain(cellsOnly(answersTable()));
});

/** Documents with a workflow to paste, which does what the text says once a channel is chosen. */
const given = [{ document: 'README.md', to: { type: 'EMAIL', email: 'you@example.com' } }];

test.each(given)('the workflow in $document sends to $to.type', async ({ document, to }) => {
	const [pasted] = workflowsIn(document);
	const [trigger, node] = (pasted?.nodes ?? []) as [INode, INode];
	expect(trigger.type).toBe('n8n-nodes-base.manualTrigger');
	expect(node.type).toBe(messagingType);
	expect(pasted?.connections).toEqual({
		[trigger.name]: { main: [[{ node: node.name, type: 'main', index: 0 }]] },
	});
	// As n8n's editor saves it when a channel is picked.
	const parameters: INodeParameters = {
		...node.parameters,
		channelId: byId(lab.channelId('Support E-mail')),
	};

	const run = await lab.engine.run({
		workflow: workflow([startNode(), messagingNode(parameters)], [[startName, 'Messaging']]),
		credential: lab.credential,
	});

	expect(run.error).toBeUndefined();
	expect(await lab.requestsOf('message.send')).toMatchObject([
		{ accepted: true, body: { content: { to, text: 'Hello from n8n' } } },
	]);
});

test('every workflow to paste is tested here', () => {
	expect(documentsWithWorkflows().sort()).toEqual(given.map(({ document }) => document).sort());
});
