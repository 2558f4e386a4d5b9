import { join } from 'node:path';

/** The file with the contract with saved workflows, relative to the project's root. */
export const contractFile = join('test', 'contract', 'saved-workflows.json');
