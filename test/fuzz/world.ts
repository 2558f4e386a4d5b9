/** What is the service's in one round: its keys, what it was asked for, what goes wrong. */
import { plain, type Fate } from './fates.ts';
import type { Asked } from './kinds/kind.ts';
import { channelList } from './kinds/requeue.ts';
import type { Scenario, Told } from './scenario.ts';

/** One request that changes something, as the service knows it. */
export interface Arrival extends Asked {
	/** Which execution's it is, and its first item, such as `e0i3`. */
	readonly label: string;
	/** The first of its items. */
	readonly item: number;
	readonly fate: Fate;
	/** When it came and when its answer began, by the world's count; undefined without an answer. */
	readonly cameAt: number;
	answeredAt: number | undefined;
	/** Whether the other end hung up before the answer was out. */
	isCutOff: boolean;
	/** Whether it may have been given up before the answer was read. */
	isLate: boolean;
	/** Whether it still waits for its answer. */
	isOpen: boolean;
}

/** The service as one round sees it. */
export class World {
	readonly scenario: Scenario;
	readonly keys: readonly [string, string];
	readonly arrivals: Arrival[] = [];
	/** What no request may be. */
	readonly violations: string[] = [];
	/** How many requests broke off before they were whole: nothing has arrived, but who sent them can't know. */
	brokenOff = 0;
	/** Whether nothing goes wrong any more. */
	isWell = false;
	/** From which request on answers are held back. */
	#holdFrom = Infinity;
	#reached = Promise.withResolvers<void>();
	#released = Promise.withResolvers<void>();
	#now = 0;
	/** How often the list of channels was asked for. */
	#listed = 0;
	/** How many requests have met the outage. */
	#metOutage = 0;

	constructor(scenario: Scenario) {
		this.scenario = scenario;
		const number = String(scenario.seed).padStart(10, '0');
		this.keys = [`acc_fuzz${number}aAbBcCdD`, `acc_fuzz${number}eEfFgGhH`];
	}

	/** What the list of channels answers this time. */
	tellChannels(): Told {
		if (this.isWell) return { status: 200, text: channelList };
		const { channels, refusesChannels } = this.scenario;
		return refusesChannels[this.#listed++] === true ? { status: 403, text: '{}' } : channels;
	}

	/** What the question for the plan answers this time. */
	tellPlan(): Told {
		const { me, outage } = this.scenario;
		const fails = outage?.failsQuestions === true && this.#isOut();
		return fails ? { status: outage.fate.status === 200 ? 502 : outage.fate.status, text: '{}' } : me;
	}

	/** Whether the service fails for all alike now; each request that asks brings the end of that nearer. */
	#isOut(): boolean {
		const { outage } = this.scenario;
		if (outage === undefined || this.isWell || this.arrivals.length < outage.after) return false;
		return this.#metOutage++ < outage.requests;
	}

	/** A moment; each is later than the one before. */
	tick(): number {
		return ++this.#now;
	}

	/** Notes a request, and draws what becomes of it. */
	take(asked: Asked): Arrival {
		const item = Math.min(...asked.items);
		const label = `e${asked.execution}i${item}`;
		const before = this.arrivals.filter((arrival) => arrival.label === label).length;
		const { fates, outage } = this.scenario;
		const own = this.isWell ? plain : (fates[item]?.[before] ?? plain);
		const fate = outage !== undefined && this.#isOut() ? outage.fate : own;
		const cameAt = this.tick();
		const arrival: Arrival = {
			...asked,
			...{ label, item, fate, cameAt, answeredAt: undefined },
			...{ isCutOff: false, isLate: false, isOpen: true },
		};
		this.arrivals.push(arrival);
		return arrival;
	}

	/** Holds answers back after so many more requests. */
	holdAfter(more: number): void {
		this.#holdFrom = this.arrivals.length + more;
		this.#reached = Promise.withResolvers();
		this.#released = Promise.withResolvers();
	}

	/** Waits until an answer is held back. */
	get holds(): Promise<void> {
		return this.#reached.promise;
	}

	/** Waits, where answers are held back. */
	async held(arrival: Arrival): Promise<void> {
		if (this.arrivals.indexOf(arrival) < this.#holdFrom) return;
		this.#reached.resolve();
		await this.#released.promise;
	}

	/** Holds back no answer any more. */
	release(): void {
		this.#holdFrom = Infinity;
		this.#released.resolve();
	}
}
