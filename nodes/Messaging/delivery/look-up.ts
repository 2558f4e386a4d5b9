import { listsFor, NamedList } from '../input/by-name';
import { sourceOf } from '../input/source';
import { listIn } from '../service/answer';
import { type ApiCall, LIST_OF } from '../service/api-call';
import { type Failure, isFailure, unsent } from '../service/endings';
import type { Reply } from '../service/reply';
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
