import { keyOf, RequestLog } from './request-log.mts';
import { endingBy, Faults } from './faults.mts';
import type { IncomingCall, Verdict } from './interface/contract.mts';
import { Reach } from './operations/call.mts';
import { runOperation } from './operations/index.mts';
import { Problem, problemDetails } from './problem.mts';
import { createWindow, type Window } from './rate-limit.mts';
import type { OutboxEntryView, StoredKey } from './records/model.mts';
import { deliverDue } from './records/outbox.mts';
import { seededState, type SeededTokens } from './records/seed.mts';
import type { State } from './records/state.mts';
import { Views } from './records/views.mts';
import type { Exchange, Reply, Unanswered } from './service.mts';
import type { PlanSettings } from './types.mts';

/** The messaging service itself: the hook that does the work, with faults as data. */
export class Sandbox {
	readonly outboxDelayMs: number;
	readonly log = new RequestLog();
	state!: State;
	tokens!: SeededTokens;
	faults!: Faults;
	/** Where configuration schemas are served; set as soon as the address is known. */
	schemaBase = '';
	readonly #windows = new Map<string, Window>();

	constructor(outboxDelayMs: number) {
		this.outboxDelayMs = outboxDelayMs;
		this.reset(1);
	}

	/** Back to the seeded state; faults, plans and the request log are gone. */
	reset(seed: number): void {
		this.faults?.set([]);
		({ state: this.state, tokens: this.tokens } = seededState(seed));
		this.faults = new Faults();
		this.log.clear();
		this.#windows.clear();
	}

	/** Sets the plan of all keys, and restarts its windows. */
	setPlan(settings: PlanSettings): void {
		const { limit, seconds, algorithm = 'fixed' } = settings;
		for (const key of this.state.keys.values()) {
			const description = `Counted by a ${algorithm} window.`;
			const plan = { name: `${limit} per ${seconds} s`, description, limit, seconds };
			key.plan = { ...key.plan, ...plan };
			this.#windows.set(key.id, createWindow(algorithm, limit, seconds));
		}
	}

	/** Handles one API request: logs it, and works unless a fault says otherwise. */
	async handle({ call, verdict, response }: Exchange): Promise<Reply | Unanswered> {
		if (isOwnList(call)) verdict.problems = [];
		const entry = this.log.begin(call, verdict, keyOf(this.state, call));
		let isDropped = false;
		response.once('close', () => {
			entry.clientClosed = !isDropped && !response.writableFinished;
			this.log.end(entry);
		});
		const { ready, rule, name } = this.faults.decide(call);
		entry.fault = name;
		// If the client hangs up during the wait, the request is still handled, as a real service would.
		await ready;
		const work = (): Reply => {
			const reply = this.#work(call, verdict);
			entry.accepted = reply.status < 300;
			return reply;
		};
		const ending = endingBy(rule, call, verdict, work);
		isDropped = ending === 'reset' || ending === 'closed' || (typeof ending === 'object' && !!ending.isCut);
		if (typeof ending === 'object' && !isDropped && !response.destroyed) entry.status = ending.status;
		return ending;
	}

	/** What the service does: the key first, then its plan, then the interface, then the operation. */
	#work(call: IncomingCall, verdict: Verdict): Reply {
		const { answerType: type, operationId, parameters, problems } = verdict;
		try {
			// Looked up here, not on arrival: the key may have been revoked while the request waited.
			const key = keyOf(this.state, call);
			if (key === undefined) {
				const isMissing = call.headers['x-api-key'] === undefined;
				throw new Problem(
					401,
					`The X-API-KEY ${isMissing ? 'header is missing' : 'is not a valid API key'}.`,
				);
			}
			this.#takeFromPlan(key);
			if (isOwnList(call)) return jsonReply(200, type, this.#outbox(call.query, key));
			if (operationId === null || problems.length > 0) throw new Problem(verdict.status, problems.join('; '));
			const { state, outboxDelayMs } = this;
			const views = new Views(state, this.schemaBase);
			const context = { state, views, reach: new Reach(state, key), now: Date.now(), outboxDelayMs };
			const answer = runOperation(operationId, context, { parameters, body: call.body });
			return jsonReply(answer.status, type, answer.body);
		} catch (error) {
			const isProblem = error instanceof Problem;
			if (!isProblem) console.error(error);
			const problem = isProblem ? error : new Problem(500, `The sandbox itself failed: ${String(error)}`);
			const details = problemDetails(problem.status, problem.message, call.path);
			return jsonReply(problem.status, type, details, problem.headers);
		}
	}

	/** The outbox entries in reach of a key: of one channel or all, with one status or any. */
	#outbox({ channelId, statusName }: IncomingCall['query'], key: StoredKey): OutboxEntryView[] {
		const { state } = this;
		void deliverDue(state);
		const views = new Views(state, this.schemaBase);
		const reach = new Reach(state, key);
		const channels = channelId === undefined ? reach.channels() : [reach.channel(String(channelId))];
		const ids = new Set(channels.map((channel) => channel.channelId));
		return [...state.outbox.values()]
			.filter((entry) => ids.has(entry.channelId))
			.map((entry) => views.outboxEntry(entry))
			.filter((entry) => statusName === undefined || entry.statusName === statusName);
	}

	/** Counts one request against the key's plan, or refuses it with 429. */
	#takeFromPlan({ id, plan: { limit, seconds } }: StoredKey): void {
		const window = this.#windows.get(id) ?? createWindow('fixed', limit, seconds);
		this.#windows.set(id, window);
		const waitMs = window.take(performance.now());
		if (waitMs <= 0) return;
		const detail = `The plan of this key allows ${limit} requests in ${seconds} seconds.`;
		throw new Problem(429, detail, { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) });
	}
}

/** The one path of its own that takes a key: the interface has a list of outbox entries, but does not show its path. */
function isOwnList({ method, path }: IncomingCall): boolean {
	return method === 'GET' && path.endsWith('/sandbox/outbox');
}

/** Without a body, the answer is empty and has no content type. */
function jsonReply(status: number, type: string, body: unknown, headers = {}): Reply {
	if (body === undefined) return { status, headers };
	return { status, headers: { 'content-type': type, ...headers }, body: JSON.stringify(body) };
}
