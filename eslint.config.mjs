import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import tsParser from '@typescript-eslint/parser';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';

import { noPromiseAsValueIn } from './lint/no-promise-as-value.mjs';

/**
 * The rooms of the node, and what each may import: everything flows one way. Only the two `.node.ts` files know those
 * that stand side by side, and `Messaging.node.ts` alone imports operations.
 */
const ROOMS = {
	json: [],
	time: [],
	text: ['json'],
	service: ['json', 'text', 'time'],
	fields: ['json', 'text'],
	contract: ['fields', 'json', 'service/api-call'],
	operations: [
		'contract',
		'fields',
		'json',
		'service/api-call',
		'service/interface-types',
		'service/plan',
		'text',
	],
	ask: ['contract', 'fields', 'json', 'text'],
	delivery: ['ask/asked', 'contract', 'fields', 'json', 'service', 'text', 'time'],
	editor: ['fields', 'json', 'service', 'text', 'time'],
	watch: ['delivery/single-call', 'fields', 'json', 'service', 'text', 'time'],
};

/**
 * The whole recommended sets of both n8n plugins on what is published. Types, unused code, other promises and everything
 * that is not published are oxlint's: see .oxlintrc.json.
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
	// Everything else takes longer: "npm run lint:promises".
	noPromiseAsValueIn(['nodes/**/*.ts', 'credentials/**/*.ts'], 'nodes/tsconfig.json'),
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

/** A rule: files of a room import from no other room of the node than these, or than these files of one. */
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
							message: `${room}/ imports from ${allowed.join(', ') || 'no other room'} only: see ROOMS in eslint.config.mjs.`,
						},
					],
				},
			],
		},
	};
}
