import { createHash, randomUUID } from 'node:crypto';

/**
 * What stands in n8n's store for a key. The store can only be asked whether a mark stands there, and notes it at once
 * where it does not. So that such a question never makes a message count as sent that was not, "sent" is the mark that
 * is missing:
 *
 * - *known*: the key has been used.
 * - *open*: it is not known yet how that ended. It stands behind *known*, so that the store, which drops its oldest
 *   entries, never drops it before that one.
 *
 * Both are noted before a request leaves. *Open* is taken away when the service has taken the message, both are when
 * it definitely has not. All of *taken* stand for a moment when a worker finds that its notes have been written over:
 * who wrote over them looks for some of them, which leaves these there as well.
 */
export interface Marks {
	readonly known: string;
	readonly open: string;
	readonly taken: readonly string[];
}

/** Enough for a look at two of them some times. */
const PROTEST_MARKS = 16;

/**
 * The marks of a key.
 *
 * @param scope what the key is for: a node changed to another operation has sent nothing yet
 */
export function marksOf(scope: string, key: string): Marks {
	const id = createHash('sha256').update(scope).update('\0').update(key).digest('base64url').slice(0, 32);
	return {
		known: `${id} known`,
		open: `${id} open`,
		// Hardly ever needed.
		get taken() {
			return Array.from({ length: PROTEST_MARKS }, (_, n) => `${id} taken ${n}`);
		},
	};
}

/** One of them stands in the row while somebody is at work there. */
export const HERE_MARKS: readonly string[] = ['here 0', 'here 1'];
/** Stands in the row while somebody who has found such a one waits whether it comes back. */
export const ASKED_MARK = 'asked';

/** A mark that nobody else has. */
export function ownMark(): string {
	return randomUUID();
}

/** What the store knows of a key, given the marks that stood there before they were noted. */
export function readMarks({ known, open }: Marks, stood: ReadonlySet<string>): 'new' | 'open' | 'sent' {
	if (stood.has(open)) return 'open';
	return stood.has(known) ? 'sent' : 'new';
}
