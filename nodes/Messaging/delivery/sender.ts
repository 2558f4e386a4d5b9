import { fieldName } from '../fields/field-name';
import type { Operation } from '../contract/operation';
import { readsOnly } from '../service/api-call';
import { type CallEnd, type Failure, isFailure } from '../service/endings';
import { maskTokens } from '../service/tokens';
import { type CallEnvironment, type CallWatch, makeCall } from './call';
import type { Job } from './jobs';
import type { Memory } from './memory/memory';
import { isOnceOnly, isToRemember } from './repetition';
import { brokenAfter, brokenBefore, brokenDuring } from './report/broken';
import { RAISE_TIMEOUT } from './report/not-sent';

/** Sends the calls of a run, remembers how they ended, and makes output of what came back. */
export class Sender {
	/** @param guard says why the call of an item must not leave, if it must not */
	constructor(
		private readonly env: CallEnvironment,
		private readonly memory: Memory,
		private readonly operation: Operation,
		private readonly guard: ((facts: unknown) => Promise<Failure | undefined>) | undefined,
	) {}

	/** Whether a job's call changes something at the service. */
	changes({ compiled }: Job): boolean {
		return !readsOnly(compiled.call);
	}

	/** Sends a job's call. Never rejects. */
	async send(job: Job): Promise<CallEnd> {
		const { call } = job.compiled;
		// A re-run reads anew.
		const keys = readsOnly(call) ? [] : job.keys;
		const watch = isOnceOnly(call) ? this.memory.watch(keys, call) : undefined;
		const end = await this.make(job, watch).catch((error: unknown) => ({
			failure: brokenDuring(error, call),
		}));
		this.memory.ended(keys, isToRemember(call, end) ? end : undefined);
		return end;
	}

	private async make(job: Job, watch: CallWatch | undefined): Promise<CallEnd> {
		const { compiled, settings, unclear } = job;
		const { call, facts, showToken = false, sources } = compiled;
		const { fields, output } = this.operation;
		const objection = await this.guard?.(facts).catch(brokenBefore);
		if (objection !== undefined) return { failure: objection };
		const nameOf = (path: string): string => fieldName(fields, path, sources);
		const request = { ...settings, showToken, nameOf, ifSlow: RAISE_TIMEOUT };
		const result = await makeCall(this.env, call, request, watch, unclear);
		if (isFailure(result)) return { failure: result };
		try {
			return { json: output(showToken ? result.body : maskTokens(result.body), facts) };
		} catch (error) {
			return { failure: brokenAfter(error, call) };
		}
	}
}
