/** The operations that the fuzz plays, and how often. */
import fc from 'fast-check';
import { cancel } from './cancel.ts';
import { deleteMessage, editMessage } from './change.ts';
import { createAccount, createChannel } from './create.ts';
import type { Kind } from './kind.ts';
import { requeue } from './requeue.ts';
import { send } from './send.ts';

/** Any of them. */
export const kinds: fc.Arbitrary<Kind> = fc.oneof(
	{ weight: 8, arbitrary: fc.constant(send) },
	{ weight: 4, arbitrary: fc.constant(requeue) },
	{ weight: 2, arbitrary: fc.constantFrom(createAccount, createChannel) },
	{ weight: 2, arbitrary: fc.constantFrom(editMessage, deleteMessage) },
	{ weight: 1, arbitrary: fc.constant(cancel) },
);

/** Those that have once keys. */
export const keyedKinds: fc.Arbitrary<Kind> = fc.constantFrom(send, send, createAccount, createChannel);
