import { join } from 'node:path';

/** The file that freezes the contract with saved workflows, below the project's root. */
export const contractFile = join('test', 'contract', 'saved-workflows.json');
