/** The workflows that the documents give to paste: pasted, with a channel chosen, they do what the text says. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';

import { workflowsIn } from '../docs/workflows.ts';
import { byId, useLab } from './lab.ts';
import { messagingNode, messagingType, startName, startNode, workflow } from './workflow.ts';

const lab = useLab();

const given = [
	{ document: 'README.md', to: { type: 'EMAIL', email: 'you@example.com' } },
	{ document: 'docs/reliability.md', to: { type: 'EMAIL', email: 'you@example.com' } },
	{ document: 'docs/addresses.md', to: { type: 'PHONE', phone: '+49 30 1234567' } },
];

test.each(given)('the one in $document sends to $to.type', async ({ document, to }) => {
	const [pasted] = workflowsIn(document);
	const [trigger, node] = (pasted?.nodes ?? []) as [INode, INode];
	expect(trigger.type).toBe('n8n-nodes-base.manualTrigger');
	expect(node.type).toBe(messagingType);
	expect(pasted?.connections).toEqual({
		[trigger.name]: { main: [[{ node: node.name, type: 'main', index: 0 }]] },
	});
	// As n8n's editor leaves it when a channel is picked.
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

test('no other document gives one that nobody has tried', () => {
	const documents = ['.', 'docs', 'docs/internals', 'docs/operations', 'examples'].flatMap((folder) =>
		readdirSync(join(process.cwd(), folder))
			.filter((name) => name.endsWith('.md'))
			.map((name) => join(folder, name)),
	);
	const giving = documents.filter((document) => workflowsIn(document).length > 0);
	expect(giving.sort()).toEqual(given.map(({ document }) => document).sort());
});
