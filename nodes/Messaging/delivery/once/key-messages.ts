import { hash } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

const PLACE = 'unifiedMessagingKeys';

/** How many messages an execution remembers from one run of the node to the next. */
const MOST_MESSAGES = 1000;

/**
 * The messages under once keys in this execution, as hashes. All runs of the node share them: those in a loop, and the
 * calls of an AI agent, which may be made at once. Over MCP each call is alone: there is no execution yet.
 */
export class KeyMessages {
	private readonly place: IDataObject;

	constructor(context: IExecuteFunctions) {
		this.place = context.getExecutionId() === undefined ? {} : context.getContext('node');
	}

	/** Nothing is saved for a run without keys. */
	private get saved(): Record<string, string | undefined> {
		return (this.place[PLACE] ?? {}) as Record<string, string>;
	}

	/**
	 * Whether the first message under a key was another one. Notes the message if there was none.
	 *
	 * @param message its hash
	 * @param by identifies the item in all tries. An item has one message, even if it was corrected in between
	 */
	isOther(key: string, message: string, by: string): boolean {
		const id = shortHash(key);
		const [first, firstBy] = this.saved[id]?.split(' ') ?? [message, by];
		if (firstBy !== by) return first !== message;
		Object.assign((this.place[PLACE] ??= {}), { [id]: `${message} ${by}` });
		return false;
	}

	/**
	 * Ends a run. Only the newest messages are saved with the execution.
	 *
	 * @param unsent the items whose messages did not go out: these are forgotten
	 */
	endRun(unsent: ReadonlySet<string>): void {
		const { saved } = this;
		for (const [id, text = ''] of Object.entries(saved))
			if (unsent.has(text.split(' ')[1] ?? '')) delete saved[id];
		for (const id of Object.keys(saved).slice(0, -MOST_MESSAGES)) delete saved[id];
	}
}

/** A hash of a text as it is: to normalize a long one may take seconds. Short, because it is saved with the execution. */
export function shortHash(text: string): string {
	return hash('sha256', text, 'base64url').slice(0, 12);
}
