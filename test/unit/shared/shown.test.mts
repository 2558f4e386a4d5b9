/** Errors and hints of n8n are made in one place, which lets no text begin a tag. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../../..');
const ONE_PLACE = 'nodes/Messaging/shared/shown.ts';

/** What shows text in n8n's editor: errors of n8n that are made, hints that are added. */
function showsText(node: ts.Node): boolean {
	if (ts.isCallExpression(node)) return node.expression.getText().endsWith('.addExecutionHints');
	if (!ts.isNewExpression(node) || !/^Node\w*Error$/.test(node.expression.getText())) return false;
	// One of which only a member is looked at is not shown.
	return !ts.isPropertyAccessExpression(node.parent);
}

function* nodesIn(node: ts.Node): Generator<ts.Node> {
	yield node;
	for (const child of node.getChildren()) yield* nodesIn(child);
}

/** What shows text, by file. */
const places = globSync('{nodes,credentials}/**/*.ts', { cwd: root }).flatMap((file) => {
	const source = ts.createSourceFile(
		file,
		readFileSync(join(root, file), 'utf8'),
		ts.ScriptTarget.Latest,
		true,
	);
	return [...nodesIn(source)].filter(showsText).map((node) => ({ file, text: node.getText() }));
});

test('no other file makes an error of n8n, or adds a hint', () => {
	expect(places.filter(({ file }) => file !== ONE_PLACE)).toEqual([]);
});

test('whatever is made there', () => {
	expect(places.map(({ text }) => text.split('(')[0]).sort()).toEqual([
		'context.addExecutionHints',
		'new NodeApiError',
		'new NodeOperationError',
	]);
});
