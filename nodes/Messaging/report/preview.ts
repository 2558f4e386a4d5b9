import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { shortHash } from '../agent/key-messages';
import { Items, type Job, type Run } from '../delivery/items';
import { readNamed } from '../delivery/look-up';
import { codesIn } from '../input/expressions';
import { sourceOf } from '../input/source';
import { type Failure, isFailure } from '../service/endings';
import { defined, placesIn, textAt, valueAt, without } from '../shared/json';
import { addHint, shown } from '../shared/shown';
import { asSentence, count } from '../shared/text';
import { Turns } from '../shared/turns';
import { hintsOnFields } from './hints';
import { namedItems } from './report-text';

/** What an item shows in a preview: `held` under the once key of an earlier item. */
interface Shown {
	readonly end: 'sent' | 'refused' | 'held';
	readonly json: IDataObject;
}

/**
 * Shows what an operation would do with each item: its compiled call, or why it would be refused. Makes no call but the
 * look-up of names, claims no key, and remembers nothing. A failure if the names can't be looked up.
 */
export async function preview(run: Run): Promise<INodeExecutionData[] | Failure> {
	const { context, ledger, mask } = run;
	const failure = await readNamed(run);
	if (failure !== undefined) return failure;
	const items = new Items(run);
	const keys = new Map<string, number>();
	const all: Shown[] = [];
	const isFixed = hasFixedMessage(run);
	const turns = new Turns();
	for (const item of ledger.entries.keys()) {
		if (turns.over) await turns.next();
		run.hints.clear();
		const job = items.compile(item);
		const { end, json } = isFailure(job)
			? refused(run, item, job)
			: wouldSend(run, item, job, { isFixed, keys });
		all.push({ end, json: mask(json) });
	}
	items.forgetUnsent();
	const numbersOf = (end: Shown['end']): number[] =>
		all.flatMap((each, item) => (each.end === end ? [item] : []));
	const [no, held] = [numbersOf('refused'), numbersOf('held')];
	const sums = [
		no.length > 0 ? `; ${namedItems(no)} ${no.length === 1 ? 'is' : 'are'} refused` : '',
		held.length > 0
			? `; ${namedItems(held)} ${held.length === 1 ? 'has' : 'have'} the once key of an earlier item`
			: '',
	];
	const would = `Nothing was sent. Send would send ${count(all.length - no.length - held.length)} of ${count(all.length)}${sums.join('')}.`;
	const unseen = ledger.usesKeys ? " Once keys that were used before can't be seen here." : '';
	addHint(context, no.length > 0 ? 'warning' : 'info', would + unseen);
	for (const hint of hintsOnFields(run, held.length > 0)) addHint(context, 'warning', hint);
	if (isFixed && [...run.same.values()].some(({ length }) => length > 1))
		addHint(context, 'warning', SAME_FOR_ALL);
	return all.map(({ json }, item) => ({ json, pairedItem: { item } }));
}

const SAME_FOR_ALL =
	'The recipient and the text are fixed, so every item is the same message to the same person. Use expressions, or switch on Execute Once in the settings of the node.';

/** Whether recipient and text are the same for all items, without an expression in them. */
function hasFixedMessage({ context, operation }: Run): boolean {
	const { unresolved } = sourceOf(context, operation.fields, 0);
	const saved = ['toEmail', 'toRows', 'toFields', 'text', 'package'].map((name) => unresolved?.(name));
	return saved.every((field) => [...placesIn(field)].every(({ value }) => codesIn(value).length === 0));
}

/** An item that would be sent, or would not be because of an earlier item's key. */
function wouldSend(
	{ hints, ledger, same }: Run,
	item: number,
	{ compiled, settings: { onceKey } }: Job,
	{ isFixed, keys }: { isFixed: boolean; keys: Map<string, number> },
): Shown {
	const { call, fingerprint, recipient = '' } = compiled;
	const [alike = item] = same.get(shortHash(fingerprint?.() ?? '')) ?? [];
	const byKey = onceKey === undefined ? undefined : keys.get(onceKey);
	if (onceKey !== undefined && byKey === undefined) keys.set(onceKey, item);
	const notes = [...hints.keys()];
	if (byKey !== undefined) notes.push(`The same once key as item ${byKey}: Send sends one of them.`);
	else if (alike !== item && !isFixed) notes.push(`The same text to the same person as item ${alike}.`);
	// Without a key, Send makes an ID that nobody can know before.
	const isMade = textAt(call.body, 'packageId') === ledger.uuidOf(item);
	const body = isMade ? without({ ...call.body } as IDataObject, 'packageId') : call.body;
	const json = defined<IDataObject>({
		wouldSend: byKey === undefined,
		recipient,
		text: String(valueAt(body, 'content.text') ?? ''),
		notes: notes.length === 0 ? undefined : notes,
		onceKey,
		request: { method: call.method, path: call.path, body } as IDataObject,
	});
	return { end: byKey === undefined ? 'sent' : 'held', json };
}

/** An item that would be refused, with what can be read of it. */
function refused({ context, operation }: Run, item: number, failure: Failure): Shown {
	const source = sourceOf(context, operation.fields, item);
	const read = (...names: readonly string[]): string => {
		for (const name of names) {
			try {
				const texts = [...placesIn(source.read(name))].flatMap(({ path, value }) =>
					['string', 'number'].includes(typeof value) && path().at(-1) !== 'name' ? [value] : [],
				);
				const text = texts.join(' ').trim();
				if (text !== '') return text;
			} catch {
				// The reason says so.
			}
		}
		return '';
	};
	const { message, description } = shown(failure);
	const json = {
		wouldSend: false,
		recipient: read('toEmail', 'toRows', 'toFields'),
		text: read('text'),
		reason: `${asSentence(message)} ${description}`.trim(),
		request: null,
	};
	return { end: 'refused', json };
}
