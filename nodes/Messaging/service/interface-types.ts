import type { components } from '../../../api/schema';

/** The interface's schemas, generated from `api/openapi.yaml`. */
export type Schemas = components['schemas'];
