import { config } from '@n8n/node-cli/eslint';

/**
 * The node's folders, and what each may import: everything flows one way. Only the two `.node.ts` files and `execute.ts`
 * import folders that don't know each other, and `Messaging.node.ts` alone imports operations.
 */
const ROOMS = {
	shared: [],
	service: ['shared'],
	agent: ['service', 'shared'],
	input: ['agent', 'shared'],
	fields: ['input', 'shared'],
	operations: [
		'fields',
		'input',
		'question/question',
		...['service/api-call', 'service/plan', 'service/secrets'],
		'shared',
	],
	question: ['agent', 'fields', 'input', 'shared'],
	delivery: ['agent', 'fields', 'input', 'operations/operation', 'question/asked', 'service', 'shared'],
	report: ['agent', 'delivery', 'fields', 'input', 'service', 'shared'],
	methods: ['fields', 'input', 'service', 'shared'],
	trigger: ['delivery/call', 'fields', 'input', 'service', 'shared'],
};

/**
 * The rules of `npm run lint`: n8n's own, which come from its plugins `@n8n/community-nodes` and `n8n-nodes-base`, with those
 * that it switches off, and ours. `eslint.config.mjs` has n8n's alone, for its reviewers; oxlint has a file of its own.
 */
export default [
	...config,
	{
		files: ['credentials/**/*.ts'],
		rules: {
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'error',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'error',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'error',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'error',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'error',
		},
	},
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
							message: `${room}/ imports from ${allowed.join(', ') || 'no other folder'} only: see ROOMS in dev/eslint.rules.mjs.`,
						},
					],
				},
			],
		},
	};
}
