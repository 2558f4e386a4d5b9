import { noPromiseAsValueIn } from './no-promise-as-value.mjs';

/** What `npm run lint:promises` looks at: all the types of the project are read for it, which takes its time. */
export default [
	{ ignores: ['dist/', '**/node_modules/', 'coverage/', '.cache/', '.e2e/', 'api/schema.d.ts'] },
	noPromiseAsValueIn(['**/*.ts'], 'tsconfig.json'),
];
