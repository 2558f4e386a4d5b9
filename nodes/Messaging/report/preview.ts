import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { shortHash } from '../delivery/once/key-messages';
import type { Run } from '../delivery/run';
import { textsIn } from '../input/expressions';
import type { ParameterSource } from '../input/parameter-source';
import { sourceOf } from '../input/source';
import { type Failure, isFailure } from '../service/endings';
import { defined, textAt, valueAt, without } from '../shared/json';
import { addHint, shown } from '../shared/shown';
import { asSentence, count } from '../shared/text';
import { Turns } from '../shared/turns';
import { hintsOnFields } from './hints';
import { namedItems } from './text';

/** The fields with the recipient and the text of a message. */
const RECIPIENT = ['toEmail', 'toRows'];
const MESSAGE = [...RECIPIENT, 'text', 'package'];

/**
 * Shows what an operation would do with each item: its compiled call, or why it would be refused. Makes no call but the
 * look-up of names, claims no key, and remembers nothing. A failure if the names can't be looked up.
 */
export async function preview(run: Run): Promise<INodeExecutionData[] | Failure> {
	const { context, hints, items, ledger, lookUps, mask, operation } = run;
	const failure = await lookUps.readNamed(context, operation.fields);
	if (failure !== undefined) return failure;
	const saved = MESSAGE.map((name) => sourceOf(context, operation.fields, 0).unresolved?.(name));
	const isFixed = !JSON.stringify(saved).includes('"=');
	const firstWithKey = new Map<string, number>();
	const turns = new Turns();
	const all: INodeExecutionData[] = [];
	const [refused, held]: [number[], number[]] = [[], []];
	for (const item of ledger.entries.keys()) {
		if (turns.over) await turns.next();
		hints.clear();
		const job = items.compile(item);
		if (isFailure(job)) {
			refused.push(item);
			const json = refusedItem(sourceOf(context, operation.fields, item), job);
			all.push({ json: mask(json), pairedItem: { item } });
			continue;
		}
		const { call, fingerprint, recipient = '' } = job.compiled;
		const { onceKey } = job.settings;
		const notes = [...hints.keys()];
		const [alike = item] = items.same.get(shortHash(fingerprint?.() ?? '')) ?? [];
		const first = (onceKey === undefined ? undefined : firstWithKey.get(onceKey)) ?? item;
		if (onceKey !== undefined) firstWithKey.set(onceKey, first);
		if (first !== item) {
			held.push(item);
			notes.push(`The same once key as item ${first}: Send sends it once.`);
		} else if (alike !== item && !isFixed) notes.push(`The same text to the same person as item ${alike}.`);
		// The ID is made anew in each execution, unless there is a once key. So it is not shown.
		const isMade = textAt(call.body, 'packageId') === ledger.uuidOf(item);
		const body = isMade ? without({ ...call.body } as IDataObject, 'packageId') : call.body;
		const json = defined<IDataObject>({
			wouldSend: first === item,
			recipient,
			text: textsIn(valueAt(body, 'content.text')),
			notes: notes.length > 0 ? notes : undefined,
			onceKey,
			request: { ...call, body } as IDataObject,
		});
		all.push({ json: mask(json), pairedItem: { item } });
	}
	items.forgetUnsent();
	const sent = all.length - refused.length - held.length;
	const sums = [`Nothing was sent. Send would send ${count(sent)} of ${count(all.length)}`];
	if (refused.length > 0) sums.push(`${namedItems(refused)} ${refused.length === 1 ? 'is' : 'are'} refused`);
	if (held.length > 0) sums.push(`the once key of an earlier item: ${namedItems(held)}`);
	const unseen = ledger.usesKeys ? " Once keys that were used before can't be seen here." : '';
	addHint(context, refused.length > 0 ? 'warning' : 'info', `${sums.join('; ')}.${unseen}`);
	const isSame = isFixed && [...items.same.values()].some(({ length }) => length > 1);
	if (isSame) addHint(context, 'warning', SAME_FOR_ALL);
	for (const hint of hintsOnFields(run, held.length > 0)) addHint(context, 'warning', hint);
	return all;
}

const SAME_FOR_ALL =
	'Recipient and text are fixed: all items are the same message to the same person. Use expressions, or Execute Once in the settings of the node.';

/** An item that would be refused, with what can be read of it. */
function refusedItem(source: ParameterSource, failure: Failure): IDataObject {
	const read = (name: string): string => {
		try {
			return textsIn(source.read(name)).replace(/\s+/g, ' ').trim();
		} catch {
			return '';
		}
	};
	const recipient = RECIPIENT.map(read).find((text) => text !== '' && text !== '{}') ?? '';
	const { message, description } = shown(failure);
	const reason = `${asSentence(message)} ${description}`.trim();
	return { wouldSend: false, recipient, text: read('text'), reason, request: null };
}
