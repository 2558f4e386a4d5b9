import { hash } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

const PLACE = 'unifiedMessagingSent';

/** How many messages of each end an execution remembers. They are saved with it. */
const MOST_MESSAGES = 1000;

/** How a message ended that went out, or may have. */
export type End = 'sent' | 'unknown';

/** A message of this run. */
interface Message {
	readonly item: number;
	/** Identifies the item in all tries. */
	readonly by: string;
	/** Its once key, if it has one. */
	readonly key: string | undefined;
	/** A hash of what it says and to whom. */
	readonly message: string;
}

/**
 * The messages of this execution, as hashes. All runs of the node share them: those in a loop, on two paths into the node or
 * on an error output that leads back into it, and the calls of an AI agent, which may be made at once. Over MCP each call
 * is alone: there is no execution yet.
 */
export class ExecutionMessages {
	private readonly place: IDataObject;
	/** How messages have ended in earlier runs. A repetition of this run has the record of each item. */
	private readonly earlier = new Map<string, End>();
	private readonly noted: Array<Message & { readonly id: string }> = [];

	/** @param run the number of this run */
	constructor(
		context: IExecuteFunctions,
		private readonly run: number,
	) {
		this.place = context.getExecutionId() === undefined ? {} : context.getContext('node');
		for (const text of Object.values((this.place[PLACE] ?? {}) as Record<string, string>)) {
			const [message = '', , inRun, end] = text.split(' ');
			if (Number(inRun) < run) this.earlier.set(message, end as End);
		}
	}

	/** By once key, or by message if it has none: the message, its item, and once that run is over, its number and the end. */
	private get saved(): Record<string, string | undefined> {
		return (this.place[PLACE] ??= {}) as Record<string, string>;
	}

	/** How a message ended in an earlier run; `undefined` if it did not go out. */
	endOf(message: string): End | undefined {
		return this.earlier.get(message);
	}

	/** Notes a message, unless the first one under its key was another one. An item has one message, even if it was corrected. */
	isOther(given: Message): boolean {
		const { by, key, message } = given;
		const id = key === undefined ? message : shortHash(key);
		const [first, firstBy] = this.saved[id]?.split(' ') ?? [message, by];
		if (firstBy !== by && first !== message) return true;
		this.noted.push({ ...given, id });
		if (key !== undefined && firstBy === by) this.saved[id] = `${message} ${by}`;
		return false;
	}

	/**
	 * Ends a run. Messages that did not go out now are forgotten, so that the next run, or an agent's next call, may correct
	 * them. Only the newest of the others are saved with the execution.
	 */
	endRun(endOf: (item: number) => End | undefined): void {
		const { noted, run, saved } = this;
		for (const { by, id } of noted) if (saved[id]?.split(' ')[1] === by) delete saved[id];
		// If a message of several items is in doubt, that counts.
		for (const end of ['sent', 'unknown'] satisfies End[]) {
			for (const { by, id, message } of noted.filter(({ item }) => endOf(item) === end)) {
				delete saved[id];
				saved[id] = `${message} ${by} ${run} ${end}`;
			}
			const all = Object.keys(saved).filter((id) => saved[id]?.endsWith(` ${end}`) === true);
			for (const id of all.slice(0, -MOST_MESSAGES)) delete saved[id];
		}
	}
}

/** A hash of a text as it is: to normalize a long one may take seconds. Short, because it is saved with the execution. */
export function shortHash(text: string): string {
	return hash('sha256', text, 'base64url').slice(0, 12);
}
