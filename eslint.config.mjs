import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import tsParser from '@typescript-eslint/parser';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';

/**
 * The node's folders, and what each may import: everything flows one way. Only the two `.node.ts` files import folders
 * that don't know each other, and `Messaging.node.ts` alone imports operations.
 */
const ROOMS = {
	shared: [],
	service: ['shared'],
	input: ['shared'],
	fields: ['input', 'shared'],
	operations: [
		'fields',
		'input',
		'question/question',
		'service/api-call',
		'service/interface-types',
		'service/plan',
		'shared',
	],
	question: ['fields', 'input', 'shared'],
	delivery: ['fields', 'input', 'operations/operation', 'question/asked', 'service', 'shared'],
	methods: ['fields', 'input', 'service', 'shared'],
	trigger: ['delivery/call', 'fields', 'input', 'service', 'shared'],
};

/**
 * The whole recommended sets of both n8n plugins, on what is published. oxlint looks at everything: see .oxlintrc.json.
 */
export default [
	{
		ignores: [
			'dist/',
			'**/node_modules/',
			'coverage/',
			'.cache/',
			'.e2e/',
			'api/schema.d.ts',
			'package-lock.json',
		],
	},
	{ files: ['**/*.ts', 'package.json'], languageOptions: { parser: tsParser } },
	{
		...n8nCommunityNodesPlugin.configs.recommended,
		files: ['package.json', 'nodes/**/*.ts', 'credentials/**/*.ts'],
	},
	{ plugins: { 'n8n-nodes-base': n8nNodesBase } },
	{ files: ['package.json'], rules: n8nNodesBase.configs.community.rules },
	{ files: ['credentials/**/*.ts'], rules: n8nNodesBase.configs.credentials.rules },
	{ files: ['nodes/**/*.ts'], rules: n8nNodesBase.configs.nodes.rules },
	...Object.entries(ROOMS).map(([room, allowed]) => importsOnly(room, allowed)),
];

/** A rule: files of a folder import from no other folder of the node than these, or than these files of one. */
function importsOnly(room, allowed) {
	const own = [room, ...allowed].map((name) => (name.includes('/') ? `${name}$` : `${name}(/|$)`)).join('|');
	return {
		files: [`nodes/Messaging/${room}/**/*.ts`],
		rules: {
			'no-restricted-imports': [
				'error',
				{
					patterns: [
						{
							regex: `^(\\.\\./)+(?!(${own}))((${Object.keys(ROOMS).join('|')})(/|$)|Messaging(Trigger)?\\.node)`,
							message: `${room}/ imports from ${allowed.join(', ') || 'no other folder'} only: see ROOMS in eslint.config.mjs.`,
						},
					],
				},
			],
		},
	};
}
