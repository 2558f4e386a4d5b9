/** The service's state in one round: API keys, requests and their real outcomes, faults. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending, Exchange, Reply } from '../../dev/sandbox/service.mts';
import { json } from '../service/faults.mts';
import type { Party } from '../service/faulty-service.mts';
import { endingOf, type Treatment, type Outage, outagesIn, plain } from './treatments.mts';
import { readRequest, usualAnswer, type Asked } from './messages.mts';
import type { Scenario, Answer } from './scenario.mts';

/** One request that changes something, as seen by the service. */
export interface Arrival extends Asked {
	/** Its execution and item, such as `e0i3`. */
	readonly label: string;
	readonly treatment: Treatment;
	/** When it came and when its answer began, in the world's time (see `tick`); undefined without an answer. */
	readonly cameAt: number;
	answeredAt: number | undefined;
	/** Whether the client hung up before the answer was sent. */
	isCutOff: boolean;
	/** Whether the client may have timed out, or been stopped, before it read the answer. */
	isLate: boolean;
	/** Whether it is still in flight. */
	isOpen: boolean;
	/** Whether the address is surely known to be that of the service. */
	readonly isProven: boolean;
}

/** A treatment in the place of the answer to a request for the plan. */
function answerOf({ bytes, headers, status }: Treatment): Answer {
	return { status, headers, body: bytes?.toString('utf8') ?? '{}' };
}

/** One round, as the service sees it: every request is checked against the API description. */
export class World implements Party {
	readonly scenario: Scenario;
	readonly keys: readonly [string, string];
	readonly arrivals: Arrival[] = [];
	/** Requests that break the API description or the rules of the round. */
	readonly violations: string[] = [];
	/** Requests that broke off before they were complete: without effect, which the sender can't know. */
	brokenOff = 0;
	/** Whether faults have ended. */
	isWell = false;
	/** The first request whose answer is held back. */
	#holdFrom = Infinity;
	#reached = Promise.withResolvers<void>();
	#released = Promise.withResolvers<void>();
	#now = 0;
	/** Whether a request for the plan was ever answered without JSON. Then an empty success of a message is in doubt. */
	#hasHiddenMe = false;
	/** How many requests have failed in each outage. */
	readonly #met = new Map<Outage, number>();

	constructor(scenario: Scenario) {
		this.scenario = scenario;
		const number = String(scenario.seed).padStart(10, '0');
		this.keys = [`acc_fuzz${number}aAbBcCdD`, `acc_fuzz${number}eEfFgGhH`];
	}

	/** The next answer to a request for the plan. */
	me(): Reply {
		const { body, headers, status } = this.#planAnswer();
		this.#hasHiddenMe ||= !/^[{[]/.test(body);
		return { status, headers: { ...json, ...headers }, body };
	}

	broke(): void {
		this.brokenOff += 1;
	}

	async meet({ call, response, verdict }: Exchange): Promise<Ending> {
		const { body, bodyText, method, path } = call;
		const { operationId, problems } = verdict;
		const isSend = operationId === 'message.send' && problems.length === 0;
		const asked = isSend ? readRequest(body, this.scenario.items) : undefined;
		if (asked === undefined) {
			const what = `${method} ${path} ${bodyText.slice(0, 300)}`;
			const why = problems.join('; ') || 'correlationId, channelId, to or text: not as given';
			this.violations.push(`does not conform: ${what}: ${why}`);
			return { status: 400, headers: json, body: '{}' };
		}
		const arrival = this.#take(asked);
		const over = (): void => {
			arrival.isCutOff ||= !response.writableFinished;
			arrival.isOpen = false;
		};
		if (response.closed) over();
		else response.once('close', over);
		await this.#held(arrival);
		const { treatment } = arrival;
		if (treatment.slowMs > 0) await sleep(treatment.slowMs);
		if (response.destroyed || treatment.kind === 'silent') return 'open';
		arrival.answeredAt = this.tick();
		return endingOf(treatment, { ...usualAnswer(body), note: 'for KEY' });
	}

	#planAnswer(): Answer {
		const { elsewhere, me, outage } = this.scenario;
		if (elsewhere !== undefined && !this.isWell) return answerOf(elsewhere);
		if (outage?.failsQuestions !== true || !this.#isOut(outage, undefined)) return me;
		return outage.treatment.kind === 'fails' ? answerOf(outage.treatment) : { status: 502, body: '{}' };
	}

	/** Whether an outage applies to this request; counts it, since the outage ends after a number of requests. */
	#isOut(outage: Outage, channel: string | undefined): boolean {
		if (this.isWell || this.arrivals.length < outage.after) return false;
		if (outage.channel !== undefined && outage.channel !== channel) return false;
		const met = this.#met.get(outage) ?? 0;
		this.#met.set(outage, met + 1);
		return met < outage.requests;
	}

	/** The next moment of the world's time, a counter. */
	tick(): number {
		return ++this.#now;
	}

	/** Records a request and its treatment. */
	#take(asked: Asked): Arrival {
		const label = `e${asked.execution}i${asked.item}`;
		const before = this.arrivals.filter((arrival) => arrival.label === label).length;
		const { elsewhere, treatments, outage } = this.scenario;
		const own = this.isWell ? plain : (elsewhere ?? treatments[asked.item]?.[before] ?? plain);
		const { treatment = own } = outagesIn(outage).find((each) => this.#isOut(each, asked.channel)) ?? {};
		const isProven = !this.#hasHiddenMe;
		const state = { answeredAt: undefined, isCutOff: false, isLate: false, isOpen: true, isProven };
		const arrival: Arrival = { ...asked, ...state, label, treatment, cameAt: this.tick() };
		this.arrivals.push(arrival);
		return arrival;
	}

	/** Holds answers back after so many more requests. */
	holdAfter(more: number): void {
		this.#holdFrom = this.arrivals.length + more;
		this.#reached = Promise.withResolvers();
		this.#released = Promise.withResolvers();
	}

	/** Resolves when an answer is held back. */
	get holds(): Promise<void> {
		return this.#reached.promise;
	}

	/** Waits for `release` if this answer is held back. */
	async #held(arrival: Arrival): Promise<void> {
		if (this.arrivals.indexOf(arrival) < this.#holdFrom) return;
		this.#reached.resolve();
		await this.#released.promise;
	}

	/** Sends the answers held back, and holds back no more. */
	release(): void {
		this.#holdFrom = Infinity;
		this.#released.resolve();
	}
}
