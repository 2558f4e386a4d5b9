import type { Plan } from '../../service/plan';
import type { Clock } from '../../time/clock';
import type { RunStats } from '../call';
import type { Hold, KeyGate } from '../pace/key-gate';
import type { SoFar, Tally } from './results';
import { count, failedKinds } from './words';

/** How often a long run says where it is, in milliseconds. A run that is over before says nothing. */
const EVERY_MS = 30_000;

/** What a run says of itself. Nothing that a user wrote stands in it. */
export interface Running {
	/** Resource and operation, such as "message send". */
	readonly what: string;
	/** The execution's id; `undefined` when it has none. */
	readonly execution: string | undefined;
	/** How many items there are. */
	readonly total: number;
	readonly gate: Pick<KeyGate, 'hold' | 'knownPlan'>;
	readonly keepToPlan: boolean;
	/** Counted by the calls as they go on. */
	readonly stats: RunStats;
	/** How far the items have got. */
	soFar(): SoFar;
}

/** Writes a line, such as that of n8n's logger. */
type Write = (line: string) => void;

/** Tells those who run n8n where a long run is, and why it takes long. Whatever happens here, the run goes on. */
export class Progress {
	private readonly over = new AbortController();

	private readonly began: number;

	/** Whether it has said anything: then its end is said as well. */
	private spoke = false;

	/** Begins with the run, and says something when the run has taken long. */
	constructor(
		private readonly running: Running,
		private readonly clock: Clock,
		private readonly write: Write,
		/** The time of day, in milliseconds since 1970. */
		private readonly timeOfDay: () => number = Date.now,
	) {
		this.began = clock.now();
		void this.watch().catch(() => {});
	}

	/**
	 * To be called when the run has ended, however it did.
	 *
	 * @param stopped whether somebody stopped the execution
	 */
	ended(tally: Tally, stopped: boolean): void {
		this.over.abort();
		if (!this.spoke) return;
		const { done, total } = tally;
		const how = stopped ? 'stopped' : 'ended';
		const kinds = failedKinds(tally);
		const failed = kinds === '' ? '' : `; ${kinds}`;
		this.say(`${how} after ${this.lasted}: ${count(done)} of ${count(total)} items went through${failed}`);
	}

	private async watch(): Promise<void> {
		let before = { at: this.began, ended: 0, stats: { ...this.running.stats } };
		for (;;) {
			await this.clock.sleep(EVERY_MS, this.over.signal);
			if (this.over.signal.aborted) return;
			const { running } = this;
			const { ended, failed } = running.soFar();
			const now = { at: this.clock.now(), ended, stats: { ...running.stats } };
			const items = `${count(ended)} of ${count(running.total)} items after ${this.lasted}, ${count(failed)} failed`;
			const pace = `${perSecond(ended - before.ended, now.at - before.at)} a second`;
			this.spoke = true;
			this.say(`${items}; ${pace}, ${this.reason(before.stats, now.stats)}`);
			before = now;
		}
	}

	/** Why it is not faster, by what has happened since the line before, or holds up everything now. */
	private reason(before: RunStats, now: RunStats): string {
		const { gate, keepToPlan } = this.running;
		const hold = gate.hold(keepToPlan);
		if (hold !== undefined && hold.by !== 'plan') return this.ofPause(hold);
		const waited = now.waitedMs - before.waitedMs > now.answerMs - before.answerMs;
		const later = now.turnedAway - before.turnedAway;
		if (waited && later > 0) return `because the service said "later" ${times(later)}`;
		const plan = keepToPlan ? gate.knownPlan : undefined;
		if (plan !== undefined && (waited || hold !== undefined)) return ofPlan(plan);
		const answers = now.answers - before.answers;
		const atOnce = `${count(now.underWay)} under way at once`;
		if (answers > 0) {
			return `as the service takes ${lengthOf((now.answerMs - before.answerMs) / answers)} for an answer, ${atOnce}`;
		}
		return now.underWay > 0
			? `because no answer has come from the service, ${atOnce}`
			: 'because the items are being read';
	}

	private ofPause(hold: Exclude<Hold, { by: 'plan' }>): string {
		if (hold.by === 'probe') {
			return 'because the service said "later", and one request finds out whether it takes any again';
		}
		const until = new Date(this.timeOfDay() + hold.forMs).toISOString();
		return `because the service said "later": nothing leaves until ${until}`;
	}

	private get lasted(): string {
		return lengthOf(this.clock.now() - this.began);
	}

	private say(what: string): void {
		const { what: operation, execution } = this.running;
		const whose = execution === undefined ? '' : `, execution ${execution}`;
		try {
			this.write(`Unified Messaging, ${operation}${whose}: ${what}`);
		} catch {
			// A log that is full or gone is no reason to fail a run.
		}
	}
}

function ofPlan({ limit, windowMs }: Plan): string {
	return `as the plan of the API key allows: ${count(limit)} requests in ${lengthOf(windowMs)}`;
}

function perSecond(items: number, ms: number): string {
	const pace = (items / Math.max(1, ms)) * 1000;
	return pace >= 100 ? count(Math.round(pace)) : pace.toFixed(1);
}

function times(number: number): string {
	return number === 1 ? 'once' : `${count(number)} times`;
}

/** A length of time, such as "850 ms", "45 s", "2 min 30 s" or "3 h 5 min". */
function lengthOf(ms: number): string {
	if (ms < 1000) return `${Math.round(ms)} ms`;
	const seconds = Math.round(ms / 1000);
	if (seconds < 120) return `${seconds} s`;
	const [large, small, units] =
		seconds < 7200
			? [Math.floor(seconds / 60), seconds % 60, ['min', 's']]
			: [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), ['h', 'min']];
	return small === 0 ? `${large} ${units[0]}` : `${large} ${units[0]} ${small} ${units[1]}`;
}
