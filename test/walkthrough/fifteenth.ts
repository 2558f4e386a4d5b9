/**
 * An operation more than the node has, added as CONTRIBUTING.md says: list the API keys. The interface offers that
 * but does not show its path, so that one is made up, in the copy only.
 */

/** The steps of the book, by the files that each is about. */
export const steps = {
	'api/openapi.yaml': edit(
		before(
			'  /api/v1/Me:\n',
			`  /api/v1/Admin/ApiKey:
    get:
      operationId: apiKey.getAll
      tags: [apiKey]
      summary: 'List API keys'
      description: 'Lists the API keys that the caller reaches.'
      parameters:
        - $ref: '#/components/parameters/AnyQuery'
      responses:
        '200':
          $ref: '#/components/responses/ApiKeys'
        '401':
          $ref: '#/components/responses/Unauthorized'
        default:
          $ref: '#/components/responses/Problem'

`,
		),
		before(
			"    Accounts:\n      description: 'The accounts.'\n",
			`    ApiKeys:
      description: 'The keys.'
      content:
        application/json; v=1.0:
          schema: { type: array, items: { $ref: '#/components/schemas/ApiKey' } }
        text/json; v=1.0:
          schema: { type: array, items: { $ref: '#/components/schemas/ApiKey' } }
        text/plain; v=1.0:
          schema: { type: array, items: { $ref: '#/components/schemas/ApiKey' } }
`,
		),
	),
	'api/schema.d.ts': command('npm run types:api'),
	// Begun as a copy of its nearest neighbour, as everybody does.
	'nodes/Messaging/operations/apiKey/getAll.ts': (_nothing, read) =>
		edit(
			replace(
				"import { ACCOUNT } from '../simplified';\n",
				`import { SIMPLE_API_KEY, type RecordShape } from '../simplified';

const API_KEY = { id: 'apiKeyId', simple: SIMPLE_API_KEY, more: {} } as const satisfies RecordShape;
`,
			),
			(text) => text.replaceAll('ACCOUNT', 'API_KEY').replaceAll('Admin/Account', 'Admin/ApiKey'),
			replace('Lists the accounts', 'Lists the API keys'),
			replace('getAllAccounts', 'getAllApiKeys'),
			replace("resource: 'account'", "resource: 'apiKey'"),
			replace('Get many accounts', 'Get many API keys'),
			replace('List the accounts', 'List the API keys'),
		)(read('nodes/Messaging/operations/account/getAll.ts')),
	'nodes/Messaging/operations/index.ts': edit(
		before('import { getCurrentApiKey }', "import { getAllApiKeys } from './apiKey/getAll';\n"),
		after('	getCurrentApiKey,\n', '	getAllApiKeys,\n'),
	),
	'sandbox/routes/api-key.ts': edit(
		(text) => `${text}
/** List API keys. */
export const getAll: Handler<'apiKey.getAll'> = ({ state, views, reach }) => {
	const accounts = new Set(reach.accounts().map(({ accountId }) => accountId));
	const keys = [...state.keys.values()].filter((key) => key.revokedAt === null && accounts.has(key.accountId));
	return { status: 200, body: keys.map((key) => views.apiKey(key)) };
};
`,
	),
	'sandbox/routes/index.ts': edit(
		after("	'apiKey.delete': apiKey.remove,\n", "	'apiKey.getAll': apiKey.getAll,\n"),
	),
	'test/cases/apiKey.ts': edit(
		after("from './case.ts';\n", "import { allListed, listCase } from './lists.ts';\n"),
		before(
			'} satisfies Partial<Record<OperationId, OperationCase>>;\n',
			`	'apiKey.getAll': {
		...listCase,
		least: { given: {}, call: { method: 'GET', path: listing } },
		most: { given: allListed.given, call: { method: 'GET', path: listing, query: allListed.query } },
		record: { ...record, simplified: {}, raw: { simplify: false } },
		scenarios: [
			{
				title: 'simplified',
				prepare: (world) => ({
					items: [{}, {}],
					parameters: {},
					requests: [1, 2].map(() => ({ method: 'GET', path: listing })),
					output: [0, 1].flatMap((item) =>
						['Acme organization key', 'Acme Support key', 'Acme Shop key'].map((name) => ({
							json: { apiKeyId: world.key(name).id, name, planLimit: expect.any(Number) as unknown },
							pairedItem: { item },
						})),
					),
				}),
			},
		],
		agent: () => ({
			parameters: { limit: fromAI('limit', 'Limit', 'number') },
			given: { limit: 2 },
			request: \`GET \${listing}\`,
		}),
	},
`,
		),
		before('const pathOf =', "const listing = '/api/v1/Admin/ApiKey';\n"),
	),
	'test/contract/saved-workflows.json': command('npm run contract'),
	'docs/operations/apiKey-getAll.md': command('npm run docs'),
	'README.md': edit((text) =>
		text.replace(
			/\|[^|\n]*\| \[Get Current\].*\n/,
			'$&|  | [Get Many](docs/operations/apiKey-getAll.md) | List the API keys that the key reaches |\n',
		),
	),
	'CHANGELOG.md': edit(
		replace('API Key: Delete, Get Current, Update', 'API Key: Delete, Get Current, Get Many, Update'),
	),
} satisfies Record<string, Step>;

/** A file of the walk-through. */
export type StepPath = keyof typeof steps;

/** What is done to a file: its text is written or changed, or a command writes it. */
export type Step = ((text: string, read: (path: string) => string) => string) | { readonly command: Command };

/** A command that writes a file. */
export type Command = 'npm run types:api' | 'npm run contract' | 'npm run docs';

/** What finds a mistake: the compiler, the build, or the test where one would look for it. */
export type Finder = 'the compiler' | 'the build' | `test/${string}.test.ts`;

/** What says so when a step is left out. */
export const missed: Readonly<Record<StepPath, Finder>> = {
	'api/openapi.yaml': 'the build',
	'api/schema.d.ts': 'the compiler',
	'nodes/Messaging/operations/apiKey/getAll.ts': 'the compiler',
	'nodes/Messaging/operations/index.ts': 'test/unit/operations/registry.test.ts',
	'sandbox/routes/api-key.ts': 'the compiler',
	'sandbox/routes/index.ts': 'the compiler',
	'test/cases/apiKey.ts': 'the compiler',
	'test/contract/saved-workflows.json': 'test/unit/description.test.ts',
	'docs/operations/apiKey-getAll.md': 'test/engine/docs.test.ts',
	'README.md': 'test/unit/documents.test.ts',
	'CHANGELOG.md': 'test/unit/documents.test.ts',
};

/** A mistake that is easily made on the way. */
export interface Mistake {
	readonly what: string;
	readonly path: StepPath;
	readonly make: (text: string) => string;
	readonly finder: Finder;
}

/** The mistakes that matter most. */
export const mistakes: readonly Mistake[] = [
	{
		what: 'a token is offered as a column',
		path: 'nodes/Messaging/operations/apiKey/getAll.ts',
		make: replace('more: {}', "more: { secret: 'apiKey' }"),
		finder: 'test/unit/operations/simplify.test.ts',
	},
	{
		what: 'a token stands in the simplified record',
		path: 'nodes/Messaging/operations/apiKey/getAll.ts',
		make: replace('simple: SIMPLE_API_KEY', "simple: { ...SIMPLE_API_KEY, createdAt: 'apiKey' }"),
		finder: 'test/unit/operations/simplify.test.ts',
	},
	{
		what: 'the menu is out of order',
		path: 'nodes/Messaging/operations/index.ts',
		make: edit(replace('	getAllApiKeys,\n', ''), before('	deleteApiKey,\n', '	getAllApiKeys,\n')),
		finder: 'test/unit/description.test.ts',
	},
	{
		what: 'the sandbox lists whole tokens',
		path: 'sandbox/routes/api-key.ts',
		make: replace('views.apiKey(key)) };', '({ ...views.apiKey(key), apiKey: key.token })) };'),
		finder: 'test/sandbox/operations.test.ts',
	},
];

function command(name: Command): Step {
	return { command: name };
}

/** Changes made one after the other; each must find its place. */
function edit(...changes: ReadonlyArray<(text: string) => string>): (text: string) => string {
	return (text) =>
		changes.reduce((known, change) => {
			const changed = change(known);
			if (changed === known) throw new Error('A change of the walk-through finds its place no more');
			return changed;
		}, text);
}

function before(place: string, added: string): (text: string) => string {
	return replace(place, `${added}${place}`);
}

function after(place: string, added: string): (text: string) => string {
	return replace(place, `${place}${added}`);
}

function replace(place: string, by: string): (text: string) => string {
	return (text) => text.replace(place, () => by);
}
