import type { IExecuteFunctions } from 'n8n-workflow';

import { listsFor, NamedList, type NamedLists } from '../input/by-name';
import type { Properties } from '../input/parameter-types';
import { sourceOf } from '../input/source';
import { listIn } from '../service/answer';
import { channelIn } from '../service/channel';
import { type ApiCall, LIST_OF } from '../service/api-call';
import { type Failure, isFailure } from '../service/endings';
import type { Reply } from '../service/reply';
import { textAt } from '../shared/json';
import { type CallEnvironment, makeCall } from './call';
import { RunQueue } from './pace/run-queue';
import type { Ledger } from './ledger';
import type { CallSettings } from './settings';
import { ENTER_IDS, notLookedUp } from './wording';

/** What the output of a run does not show, as sentences, each told once. */
export type Hints = Map<string, 'info' | 'warning'>;

/** How long a list is waited for that only a hint needs, in milliseconds. The plan may be used up for hours. */
const FOR_A_HINT_MS = 3000;

/** The lookups of a run. Each is made once. */
export class LookUps {
	/** The lists in which the mode By Name finds an ID, once they have been read. */
	readonly named: NamedLists = {};
	private readonly answers = new Map<ApiCall, Promise<Reply | Failure>>();

	/** @param settings of lookups for the whole run */
	constructor(
		private readonly calls: CallEnvironment,
		private readonly settings: CallSettings,
	) {}

	/** The answer to a lookup. */
	async answerTo(call: ApiCall, settings?: Partial<CallSettings>): Promise<Reply | Failure> {
		const answer = this.answers.get(call) ?? makeCall(this.calls, call, { ...this.settings, ...settings });
		this.answers.set(call, answer);
		return await answer;
	}

	/** The answer to a lookup for a hint, unless it takes long; `undefined` if calls wait for the slot that it would take. */
	async quickAnswerTo(call: ApiCall): Promise<Reply | Failure | undefined> {
		const { gate, queue } = this.calls;
		if (!gate.isIdle) return undefined;
		const signal = AbortSignal.timeout(FOR_A_HINT_MS);
		const own = new RunQueue(gate, { ...queue.settings, signal });
		const settings = { ...this.settings, maxTries: 1, maxWaitMs: 0, timeoutMs: FOR_A_HINT_MS };
		return await (this.answers.get(call) ?? makeCall({ ...this.calls, queue: own }, call, settings));
	}

	/** Reads the lists in which fields of the run find their IDs by name; a failure if one can't be read. */
	async readNamed(context: IExecuteFunctions, fields: Properties): Promise<Failure | undefined> {
		for (const listed of listsFor(fields, sourceOf(context, fields, 0))) {
			const list = listIn(await this.answerTo(LIST_OF[listed]), ENTER_IDS);
			if (isFailure(list)) return notLookedUp(list);
			this.named[listed] = new NamedList(listed, list);
		}
		return undefined;
	}
}

/** After a test by hand, tells which of its channels are not connected: services take messages for those, too. */
export async function tellDisconnected(
	context: IExecuteFunctions,
	ledger: Ledger,
	lookUps: LookUps,
	hints: Hints,
): Promise<void> {
	if (context.getMode() !== 'manual' || ledger.effect !== 'sends' || ledger.isTool) return;
	const sent = ledger.entries.filter((_entry, item) => ledger.isSentNow(item));
	if (sent.length === 0) return;
	const used = new Set(sent.map(({ saved }) => textAt(saved.json?.[0], 'channelId').toLowerCase()));
	const answer = await lookUps.quickAnswerTo(LIST_OF.channel);
	const list = answer === undefined ? [] : listIn(answer);
	for (const record of isFailure(list) ? [] : list) {
		const channel = channelIn(record);
		if (channel?.isConnected !== false || !used.has(channel.id.toLowerCase())) continue;
		const name = channel.name || channel.id;
		hints.set(`${name} is not connected: the service took the message, and may hold it.`, 'warning');
	}
}
