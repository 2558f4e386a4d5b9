import { listsFor, NamedList } from '../input/by-name';
import { sourceOf } from '../input/source';
import { listIn } from '../service/answer';
import { channelIn } from '../service/channel';
import { type ApiCall, LIST_OF } from '../service/api-call';
import { type Failure, isFailure, unsent } from '../service/endings';
import type { Reply } from '../service/reply';
import { isPlainObject, textAt } from '../shared/json';
import { makeCall } from './call';
import type { Run } from './items';
import type { CallSettings } from './settings';
import { ENTER_IDS, notLookedUp } from './wording';

/** The answer to a lookup, which is made once in a run. */
export async function lookUp(run: Run, call: ApiCall, settings: CallSettings): Promise<Reply | Failure> {
	const answer = run.lookups.get(call) ?? makeCall(run, call, settings);
	run.lookups.set(call, answer);
	return await answer;
}

/** After a test by hand, tells which of its channels are not connected: services take messages for those, too. */
export async function tellDisconnected(run: Run): Promise<void> {
	const { context, hints, ledger, lookupSettings } = run;
	if (context.getMode() !== 'manual' || ledger.effect !== 'sends' || ledger.isTool) return;
	const sent = ledger.entries.filter((_entry, item) => ledger.isSentNow(item));
	if (sent.length === 0) return;
	const used = new Set(sent.map(({ saved }) => textAt(saved.json?.[0], 'channelId').toLowerCase()));
	const once = { ...lookupSettings, maxTries: 1, maxWaitMs: 0, timeoutMs: 10_000 };
	const answer = await lookUp(run, LIST_OF.channel, once);
	const list = isFailure(answer) ? answer : listIn(answer);
	for (const record of isFailure(list) ? [] : list) {
		const channel = isPlainObject(record) ? channelIn(record) : undefined;
		if (channel?.isConnected !== false || !used.has(channel.id.toLowerCase())) continue;
		const name = channel.name || channel.id;
		hints.set(`${name} is not connected: the service took the message, and may hold it.`, 'warning');
	}
}

/** Reads the lists in which fields of the run find their IDs by name; a failure if one can't be read. */
export async function readNamed(run: Run): Promise<Failure | undefined> {
	const { context, lookupSettings, named, operation } = run;
	for (const listed of listsFor(operation.fields, sourceOf(context, operation.fields, 0))) {
		const answer = await lookUp(run, LIST_OF[listed], lookupSettings);
		if (isFailure(answer)) return notLookedUp(answer);
		const list = answer.cut === undefined ? listIn(answer) : unsent(answer.cut, ENTER_IDS);
		if (isFailure(list)) return notLookedUp(list);
		named[listed] = new NamedList(listed, list);
	}
	return undefined;
}
