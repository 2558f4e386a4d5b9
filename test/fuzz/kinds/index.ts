/** The operations that the fuzz plays, one for each kind of delivery, and how often. */
import fc from 'fast-check';
import { createAccount } from './create.ts';
import { editMessage } from './edit.ts';
import type { Kind } from './kind.ts';
import { requeue } from './requeue.ts';
import { send } from './send.ts';

export const kinds: fc.Arbitrary<Kind> = fc.oneof(
	{ weight: 8, arbitrary: fc.constant(send) },
	{ weight: 4, arbitrary: fc.constant(requeue) },
	{ weight: 2, arbitrary: fc.constant(createAccount) },
	{ weight: 3, arbitrary: fc.constant(editMessage) },
);

/** Operations that have once keys. */
export const keyedKinds: fc.Arbitrary<Kind> = fc.constantFrom(send, send, createAccount);
