import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import tsParser from '@typescript-eslint/parser';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';

/** The whole recommended sets of both n8n plugins on what is published; unused code is tsc's to find. */
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
	// Nobody takes from a test what starts real things: that stands in harness/.
	takesNothingFrom(['demo/', 'harness/', 'sandbox/'], 'test'),
	takesNothingFrom(['test/bench/', 'test/browser/'], 'e2e'),
];

/** A rule: files in these folders import nothing from a folder of that name, wherever it stands in the path. */
function takesNothingFrom(folders, forbidden) {
	return {
		files: folders.map((folder) => `${folder}**/*.{ts,mjs,cjs}`),
		rules: {
			'no-restricted-imports': [
				'error',
				{
					patterns: [
						{
							regex: `^(\\.\\.?/)+(.*/)?${forbidden}/`,
							message: `What several share stands in harness/, not in ${forbidden}/.`,
						},
					],
				},
			],
		},
	};
}
