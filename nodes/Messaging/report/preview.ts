import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { shortHash } from '../agent/key-messages';
import { Items, type Run } from '../delivery/items';
import { readNamed } from '../delivery/look-up';
import { textsIn } from '../input/expressions';
import type { ParameterSource } from '../input/parameter-source';
import { sourceOf } from '../input/source';
import { type Failure, isFailure } from '../service/endings';
import { defined, textAt, valueAt, without } from '../shared/json';
import { addHint, shown } from '../shared/shown';
import { asSentence, count } from '../shared/text';
import { Turns } from '../shared/turns';
import { hintsOnFields } from './hints';
import { namedItems } from './report-text';

/** The fields with the recipient and the text of a message. */
const RECIPIENT = ['toEmail', 'toRows', 'toFields'];
const MESSAGE = [...RECIPIENT, 'text', 'package'];

/**
 * Shows what an operation would do with each item: its compiled call, or why it would be refused. Makes no call but the
 * look-up of names, claims no key, and remembers nothing. A failure if the names can't be looked up.
 */
export async function preview(run: Run): Promise<INodeExecutionData[] | Failure> {
	const { context, hints, ledger, mask, operation, same } = run;
	const failure = await readNamed(run);
	if (failure !== undefined) return failure;
	const saved = MESSAGE.map((name) => sourceOf(context, operation.fields, 0).unresolved?.(name));
	const isFixed = !JSON.stringify(saved).includes('"=');
	const keys = new Map<string, number>();
	const items = new Items(run);
	const turns = new Turns();
	const all: IDataObject[] = [];
	const [refused, held]: [number[], number[]] = [[], []];
	for (const item of ledger.entries.keys()) {
		if (turns.over) await turns.next();
		hints.clear();
		const job = items.compile(item);
		if (isFailure(job)) {
			refused.push(item);
			all.push(mask(refusedItem(sourceOf(context, operation.fields, item), job)));
			continue;
		}
		const { call, fingerprint, recipient = '' } = job.compiled;
		const { onceKey } = job.settings;
		const notes = [...hints.keys()];
		const [alike = item] = same.get(shortHash(fingerprint?.() ?? '')) ?? [];
		const first = (onceKey === undefined ? undefined : keys.get(onceKey)) ?? item;
		if (onceKey !== undefined) keys.set(onceKey, first);
		if (first !== item) {
			held.push(item);
			notes.push(`The same once key as item ${first}: Send sends it once.`);
		} else if (alike !== item && !isFixed) notes.push(`The same text to the same person as item ${alike}.`);
		// Without a key, Send makes an ID that nobody can know before.
		const isMade = textAt(call.body, 'packageId') === ledger.uuidOf(item);
		const body = isMade ? without({ ...call.body } as IDataObject, 'packageId') : call.body;
		const text = textsIn(valueAt(body, 'content.text'));
		const more = { notes: notes.length > 0 ? notes : undefined, onceKey };
		const request = { ...call, body } as IDataObject;
		all.push(mask(defined<IDataObject>({ wouldSend: first === item, recipient, text, ...more, request })));
	}
	items.forgetUnsent();
	const sent = all.length - refused.length - held.length;
	const sums = [`Nothing was sent. Send would send ${count(sent)} of ${count(all.length)}`];
	if (refused.length > 0) sums.push(`${namedItems(refused)} ${refused.length === 1 ? 'is' : 'are'} refused`);
	if (held.length > 0) sums.push(`the once key of an earlier item: ${namedItems(held)}`);
	const unseen = ledger.usesKeys ? " Once keys that were used before can't be seen here." : '';
	addHint(context, refused.length > 0 ? 'warning' : 'info', `${sums.join('; ')}.${unseen}`);
	const isSame = isFixed && [...same.values()].some(({ length }) => length > 1);
	const warnings = [...hintsOnFields(run, held.length > 0), ...(isSame ? [SAME_FOR_ALL] : [])];
	for (const warning of warnings) addHint(context, 'warning', warning);
	return all.map((json, item) => ({ json, pairedItem: { item } }));
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
