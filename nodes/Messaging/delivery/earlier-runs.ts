import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

const PLACE = 'unifiedMessagingSent';

/** How many messages of each end an execution remembers. They are saved with it. */
const MOST_MESSAGES = 1000;

/** How a message ended that went out, or may have. */
type End = 'sent' | 'unknown';

/**
 * What earlier runs of the node in this execution have sent, by a hash of the message: two paths into one node, or an
 * error output that leads back into it, bring the same message again.
 */
export class EarlierRuns {
	private readonly place: IDataObject;

	/** @param run the number of this run */
	constructor(
		context: IExecuteFunctions,
		private readonly run: number,
	) {
		this.place = context.getExecutionId() === undefined ? {} : context.getContext('node');
	}

	private get saved(): Record<string, string | undefined> {
		return (this.place[PLACE] ??= {}) as Record<string, string>;
	}

	/** How a message ended in an earlier run. A repetition of this run has the record of each item. */
	endOf(message: string): End | undefined {
		const [run, end] = this.saved[message]?.split(' ') ?? [];
		return Number(run) < this.run ? (end as End) : undefined;
	}

	/** Notes how a message of this run has ended. */
	note(message: string, end: End): void {
		const { saved } = this;
		delete saved[message];
		saved[message] = `${this.run} ${end}`;
	}

	/** Ends a run. Only the newest messages are saved with the execution. */
	endRun(): void {
		const { saved } = this;
		for (const end of ['sent', 'unknown'] satisfies End[]) {
			const all = Object.keys(saved).filter((message) => saved[message]?.endsWith(end) === true);
			for (const message of all.slice(0, -MOST_MESSAGES)) delete saved[message];
		}
	}
}
