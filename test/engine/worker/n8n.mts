/**
 * n8n's own modules. They are required, not imported: n8n-core requires the CommonJS build of n8n-workflow, while an
 * import would load a second n8n-workflow with other classes and settings than the engine's.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The engine: executions, node contexts, HTTP helpers, package loaders. */
export const core = require('n8n-core') as typeof import('n8n-core');

/** Workflows, expressions and errors, from the same copy that the engine uses. */
export const n8n = require('n8n-workflow') as typeof import('n8n-workflow');

/** The format of executions in n8n's database. */
export const flatted = require('flatted') as typeof import('flatted');
