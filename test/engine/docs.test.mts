/** Checks that the pages of `docs/operations/` match the node. `npm run docs` writes them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';

import { operations } from '../../nodes/Messaging/operations/index.ts';
import type { OperationId } from '../cases/index.mts';
import { answersTable } from '../docs/answers.mts';
import {
	indexPage,
	operationPage,
	optionsPage,
	optionsPageName,
	pageName,
	pagesFolder,
	triggerPage,
	triggerPageName,
	WRITTEN,
} from '../docs/pages.mts';
import { recordOf, triggerRecordOf } from '../docs/record.mts';
import { refusedPage, refusedPageName } from '../docs/refused.mts';
import { stable } from '../docs/stable.mts';
import { writeBetween } from '../format.mts';
import { documentsWithWorkflows, workflowsIn } from '../docs/workflows.mts';
import { byId, useLab } from './lab.mts';
import { messagingNode, messagingType, startName, startNode, workflow } from './workflow.mts';

const lab = useLab();
const folder = join(process.cwd(), pagesFolder);
const { writesDocs = false } = globalThis as { writesDocs?: boolean };
const names = ['README.md', optionsPageName, refusedPageName, triggerPageName, ...operations.map(pageName)];

beforeAll(() => {
	if (!writesDocs) return;
	mkdirSync(folder, { recursive: true });
	for (const name of readdirSync(folder)) if (!names.includes(name)) rmSync(join(folder, name));
});

/** Compares a page with its file, or writes the file. */
function expectPage(name: string, text: string): void {
	const path = join(folder, name);
	if (writesDocs) writeFileSync(path, text);
	// If this test fails, run `npm run docs` and review the difference.
	expect(existsSync(path) ? readFileSync(path, 'utf8') : 'no such page').toBe(text);
}

test.each(operations)('$resource $name: its page says what it does', async (operation) => {
	const id = `${operation.resource}.${operation.name}` as OperationId;
	const { example, known } = await recordOf(id, lab);
	const page = operationPage(operation, example);
	expectPage(pageName(operation), stable(page, id, known, lab.sandbox.url));
});

test('the page of the trigger says what it tells of', async () => {
	const { example, known } = await triggerRecordOf(lab);
	expectPage(triggerPageName, stable(triggerPage(example), 'trigger', known, lab.sandbox.url));
});

test('one page leads to all others, and there are no others', () => {
	expectPage('README.md', indexPage());
	expectPage(optionsPageName, optionsPage());
	expectPage(refusedPageName, refusedPage(WRITTEN));
	expect(readdirSync(folder).sort()).toEqual([...names].sort());
});

test('docs/internals/situations.md shows who writes which answers', () => {
	const table = answersTable();
	const page = 'docs/internals/situations.md';
	if (writesDocs) writeBetween(page, 'answers', 'npm run docs', table);
	// Formatting only changes how wide the columns are.
	const cellsOnly = (markdown: string): string => markdown.replace(/ +/g, ' ').replace(/-{3,}/g, '---');
	expect(cellsOnly(readFileSync(join(process.cwd(), page), 'utf8'))).toContain(cellsOnly(table));
});

/** Documents with a workflow to paste, which does what the text says once a channel is chosen. */
const given = [
	{ document: 'README.md', to: { type: 'EMAIL', email: 'you@example.com' } },
	{ document: 'docs/reliability.md', to: { type: 'EMAIL', email: 'you@example.com' } },
	{ document: 'docs/addresses.md', to: { type: 'PHONE', phone: '+49 30 1234567' } },
];

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
