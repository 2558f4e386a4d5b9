import type { IDataObject } from 'n8n-workflow';

import type { Prepared } from '../contract/any-operation';
import { fieldName } from '../fields/field-name';
import type { Properties } from '../fields/parameter-types';
import { defined } from '../json/defined';
import { readsOnly } from '../service/api-call';
import { type CallEnd, isFailure } from '../service/endings';
import { withoutSignatures } from '../service/signatures';
import { maskTokens } from '../service/tokens';
import type { Clock } from '../time/clock';
import { Turns } from '../time/turns';
import { type CallEnvironment, type CallWatch, makeCall, stillUnclear } from './call';
import type { Job, JobEnd } from './jobs';
import { markedIf, type Memory } from './memory/memory';
import type { Ticket } from './memory/once/once-keys';
import type { Questions } from './questions';
import { isOnceOnly, isToRemember, mayGoOutAgain } from './repetition';
import { brokenAfter, brokenBefore, brokenDuring } from './report/broken';
import { keyIsBusy, keyIsOpen, RAISE_TIMEOUT, STOPPED } from './report/not-sent';

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

	/** Sends a job's call, unless its once key says that it has gone out. Never rejects. */
	async send(job: Job): Promise<JobEnd> {
		const { ticket } = job;
		return ticket === undefined ? await this.sendCall(job) : await this.sendOnce(job, ticket);
	}

	private async sendOnce(job: Job, ticket: Ticket): Promise<JobEnd> {
		const { key } = ticket;
		const claimed = await ticket.claimed;
		if (typeof claimed === 'object') return { failure: stillUnclear(job.unclear, claimed) };
		if (claimed === 'withdrawn') return { failure: stillUnclear(job.unclear, STOPPED) };
		if (claimed === 'busy') return { heldBack: keyIsBusy(key) };
		if (claimed === 'sent') {
			return { sentBefore: { alreadySent: true, onceKey: key, ...job.prepared.known() } };
		}
		const unclear = job.unclear ?? (claimed === 'open' ? keyIsOpen(key) : undefined);
		if (unclear !== undefined && !mayGoOutAgain(unclear, job.prepared.call, job.settings)) {
			ticket.end('open');
			return { heldBack: unclear };
		}
		const end = await this.sendCall({
			...job,
			prepared: withKey(job.prepared, key),
			...defined<Pick<Job, 'unclear'>>({ unclear }),
		});
		if ('json' in end) ticket.end('sent');
		else ticket.end(end.failure.outcome === 'unknown' ? 'open' : 'notSent');
		return end;
	}

	private async sendCall(job: Job): Promise<CallEnd> {
		const { prepared } = job;
		const { call } = prepared;
		// A re-run reads anew.
		const keys = readsOnly(call) ? [] : job.keys;
		const underKey = job.ticket !== undefined;
		const watch = isOnceOnly(call)
			? this.memory.watch(keys, call, underKey, () => [...prepared.output(undefined)])
			: undefined;
		const end = await this.make(job, watch).catch((error: unknown) => ({
			failure: brokenDuring(error, call),
		}));
		this.memory.ended(keys, isToRemember(call, end) ? markedIf(underKey, end) : undefined);
		if ('json' in end || end.failure.outcome === 'unknown') job.wentOut?.();
		return end;
	}

	private async make(job: Job, watch: CallWatch | undefined): Promise<CallEnd> {
		const { prepared, settings, unclear } = job;
		const { call, showToken = false, sources } = prepared;
		const objection = await this.questions.objectionTo(prepared).catch(brokenBefore);
		if (objection !== undefined) return { failure: stillUnclear(unclear, objection) };
		const nameOf = (path: string): string => fieldName(this.fields, path, sources);
		const request = { ...settings, showToken, nameOf, ifSlow: RAISE_TIMEOUT };
		const result = await makeCall(this.env, call, request, watch, unclear);
		if (isFailure(result)) {
			return { failure: prepared.question === undefined ? result : await withoutSignatures(result) };
		}
		try {
			const body = showToken ? result.body : await maskTokens(result.body);
			const made = prepared.output(body);
			return { json: Array.isArray(made) ? made : await allOf(made, this.env.clock) };
		} catch (error) {
			return { failure: brokenAfter(error, call) };
		}
	}
}

/** The same, with the once key in its output: also in what is remembered of it for a later try. */
function withKey(prepared: Prepared, key: string): Prepared {
	return {
		...prepared,
		*output(body) {
			for (const fields of prepared.output(body)) yield { ...fields, onceKey: fields.onceKey ?? key };
		},
	};
}

/** All of them; the event loop turns while there are many. */
async function allOf(made: Iterable<IDataObject>, clock: Clock): Promise<IDataObject[]> {
	const turns = new Turns(clock);
	const all: IDataObject[] = [];
	for (const json of made) {
		all.push(json);
		if (turns.overAfter(10)) await turns.next();
	}
	return all;
}
