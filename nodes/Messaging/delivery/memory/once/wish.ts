import type { Failure } from '../../../service/endings';
import type { KeyStore } from './key-store';
import type { Marks } from './marks';

/** What the store says of a key that somebody wants. */
export type Found =
	/** Nobody has sent it, and nobody else will: whoever wished for the key now has it, and tells how that ends. */
	| 'mine'
	/** It may have been sent: an earlier try has no known end. Whoever wished for the key has it as well. */
	| 'open'
	/** It has been sent. */
	| 'sent'
	/** The store could not be read or written. */
	| Failure;

/** What became of a wish for a key. */
export type ClaimEnd =
	| Found
	/** It is being sent by another execution in this process, for longer than the wish can wait. */
	| 'busy'
	/** Nobody wants to know any more. */
	| 'withdrawn';

/** Somebody who wants to send under a key. */
export interface Wish {
	readonly marks: Marks;
	readonly store: KeyStore;
	/** How many keys the node remembers. */
	readonly mostKeys: number;
	/** Told once. */
	ended(end: ClaimEnd): void;
}

/** How it ended for the one who had a key: sent, definitely not sent, or nobody knows. */
export type HeldEnd = 'sent' | 'notSent' | 'open';

/** How many ids are remembered in this process besides. */
const MOST_REMEMBERED = 10_000;

/** Adds to what is remembered in this process only. */
export function remember(ids: Set<string>, id: string): void {
	ids.add(id);
	const [oldest] = ids;
	if (ids.size > MOST_REMEMBERED && oldest !== undefined) ids.delete(oldest);
}
