import { dirname } from 'node:path';

import tsParser from '@typescript-eslint/parser';
import ts from 'typescript';

/** Types that a promise fits without a word of the compiler. */
const ANYTHING = ts.TypeFlags.Unknown | ts.TypeFlags.Any | ts.TypeFlags.NonPrimitive;

/**
 * A lint rule: no promise where a value of any type is taken, as in `parameters: masked(found)` or
 * `JSON.stringify(read())` with an `await` forgotten. The compiler accepts it, and typescript-eslint's rules look at
 * promises that nobody takes, and at those that become a text. It needs types.
 */
const noPromiseAsValue = {
	meta: {
		type: 'problem',
		schema: [],
		messages: { promise: 'A promise stands where a value of any type is taken: await it.' },
	},
	create(context) {
		const { program, esTreeNodeToTSNodeMap: nodes } = context.sourceCode.parserServices;
		const checker = program.getTypeChecker();

		function check(expression) {
			if (!expression || expression.type === 'SpreadElement') return;
			if (isPromise(checker.getTypeAtLocation(nodes.get(expression))) && isForAnything(expression)) {
				context.report({ node: expression, messageId: 'promise' });
			}
		}

		/** Whether anything may stand in this place. What is inside an object stands where that object does. */
		function isForAnything(expression) {
			const wanted = checker.getContextualType(nodes.get(expression));
			if (wanted !== undefined) return (wanted.flags & ANYTHING) !== 0 || isEmptyObject(wanted);
			const { parent } = expression;
			if (parent.type === 'Property') return isForAnything(parent.parent);
			return parent.type === 'ArrayExpression' && isForAnything(parent);
		}

		function isEmptyObject(type) {
			return (type.flags & ts.TypeFlags.Object) !== 0 && checker.typeToString(type) === '{}';
		}

		return {
			'CallExpression, NewExpression': (node) => node.arguments.forEach(check),
			ArrayExpression: (node) => node.elements.forEach(check),
			'ObjectExpression > Property': (node) => check(node.value),
			'PropertyDefinition, AccessorProperty': (node) => check(node.value),
			VariableDeclarator: (node) => check(node.init),
			'AssignmentExpression, AssignmentPattern': (node) => check(node.right),
			// What an asynchronous function returns is awaited with it.
			':function[async=false] ReturnStatement': (node) => check(node.argument),
			'ArrowFunctionExpression[async=false][expression=true]': (node) => check(node.body),
		};
	},
};

function isPromise(type) {
	return type.isUnion() ? type.types.some(isPromise) : /^Promise(Like)?$/.test(type.symbol?.name ?? '');
}

/** The rule for these files, whose types a configuration of the compiler tells. */
export function noPromiseAsValueIn(files, project, root = dirname(import.meta.dirname)) {
	return {
		files,
		languageOptions: {
			parser: tsParser,
			parserOptions: { project: [project], tsconfigRootDir: root },
		},
		plugins: { promises: { rules: { 'no-promise-as-value': noPromiseAsValue } } },
		rules: { 'promises/no-promise-as-value': 'error' },
	};
}
