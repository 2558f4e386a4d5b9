import { fieldName } from '../fields/field-name';
import type { Properties } from '../fields/parameter-types';
import { readsOnly } from '../service/api-call';
import { type CallEnd, isFailure } from '../service/endings';
import { maskTokens } from '../service/tokens';
import { type CallEnvironment, type CallWatch, makeCall } from './call';
import type { Job } from './jobs';
import type { Memory } from './memory/memory';
import type { Questions } from './questions';
import { isOnceOnly, isToRemember } from './repetition';
import { brokenAfter, brokenBefore, brokenDuring } from './report/broken';
import { RAISE_TIMEOUT } from './report/not-sent';

/** Sends the calls of a run, remembers how they ended, and makes output of what came back. */
export class Sender {
	/** @param fields those of the operation, which errors name */
	constructor(
		private readonly env: CallEnvironment,
		private readonly memory: Memory,
		private readonly fields: Properties,
		private readonly questions: Questions,
	) {}

	/** Whether a job's call changes something at the service. */
	changes({ prepared }: Job): boolean {
		return !readsOnly(prepared.call);
	}

	/** Sends a job's call. Never rejects. */
	async send(job: Job): Promise<CallEnd> {
		const { call } = job.prepared;
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
		const { prepared, settings, unclear } = job;
		const { call, showToken = false, sources } = prepared;
		const objection = await this.questions.objectionTo(prepared).catch(brokenBefore);
		if (objection !== undefined) return { failure: objection };
		const nameOf = (path: string): string => fieldName(this.fields, path, sources);
		const request = { ...settings, showToken, nameOf, ifSlow: RAISE_TIMEOUT };
		const result = await makeCall(this.env, call, request, watch, unclear);
		if (isFailure(result)) return { failure: result };
		try {
			return { json: prepared.output(showToken ? result.body : maskTokens(result.body)) };
		} catch (error) {
			return { failure: brokenAfter(error, call) };
		}
	}
}
