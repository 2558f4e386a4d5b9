import type { RequestEnd } from '../service/endings';

/** After this many 401 answers in a row, nothing more of a run leaves. */
const MOST_KEY_REFUSALS = 3;

/** What is known about the calls of one run: what the gate goes by, and what the hints report. */
export class RunStats {
	inFlight = 0;
	/** When its first call came to the gate. */
	beganAt: number | undefined;
	/** When the service asks to come back, if that is later than one of its calls may wait. Nothing more of it leaves. */
	comeBackAt: number | undefined;
	/** The longest time, in milliseconds, that a call waited for each of these. */
	readonly waitedMs = { plan: 0, pause: 0, outage: 0, channel: 0, me: 0 };
	/** What the service sent of lists that are not whole. */
	readonly cuts = new Set<string>();

	/** Why the output lacks what earlier calls have created. */
	readonly notFound = new Set<string>();

	/** Called when calls to other channels may have become possible. */
	wake: (() => void) | undefined;

	private keyRefusals = 0;

	/**
	 * @param left how many calls it has still to make, as far as that is known
	 * @param mostInFlight how many of them may be in flight at a time
	 */
	constructor(
		public left = 0,
		readonly mostInFlight = Infinity,
	) {}

	/** Why nothing more of it leaves; `undefined` while its calls may. */
	get over(): 'keyRefused' | 'comeBack' | undefined {
		if (this.keyRefusals >= MOST_KEY_REFUSALS) return 'keyRefused';
		return this.comeBackAt === undefined ? undefined : 'comeBack';
	}

	/** Notes that a call leaves. */
	leave(): void {
		this.inFlight += 1;
		this.left -= 1;
	}

	/** Notes how a call ended. */
	ended(end: RequestEnd): void {
		this.inFlight -= 1;
		if (end === 'unauthorized') this.keyRefusals += 1;
		else if (end === 'answered') this.keyRefusals = 0;
	}
}
