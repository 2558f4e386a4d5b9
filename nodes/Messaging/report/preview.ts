import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { continuesOnFail } from '../agent/caller';
import type { Items, Looked } from '../delivery/items';
import type { Run } from '../delivery/run';
import { optionsField, showRequest } from '../fields/options';
import { textsIn } from '../input/expressions';
import { Input } from '../input/input';
import type { ParameterSource } from '../input/parameter-source';
import { kindOfNote } from '../input/notes';
import { sourceOf } from '../input/source';
import { type Failure, isFailure } from '../service/endings';
import { textAt, valueAt, without } from '../shared/json';
import { shown } from '../shared/shown';
import { asSentence, count } from '../shared/text';
import { Turns } from '../shared/turns';
import { addHintsOnFields, showHints } from './hints';
import { namedItems } from './text';

/** What an item's row shows, and what the sum over all rows needs of it. */
interface Row {
	readonly json: IDataObject;
	readonly end: 'sent' | 'refused' | 'held';
	readonly notes: readonly string[];
}

/**
 * Shows what an operation would do with each item: its compiled call, or why it would be refused. Makes no call but the
 * look-up of names, claims no key, and remembers nothing. A failure if the names can't be looked up.
 */
export async function preview(run: Run, items: Items): Promise<INodeExecutionData[] | Failure> {
	const { calls, context, mask, operation } = run;
	const failure = await items.look();
	items.endRun();
	if (failure !== undefined) return failure;
	const first = sourceOf(context, operation.fields, 0);
	const withRequest = new Input([optionsField([showRequest])] as const, first)
		.collection('options')
		.flag('showRequest');
	const turns = new Turns(calls.clock);
	const rows: Row[] = [];
	for (const [item, looked] of items.looked.entries()) {
		if (turns.over) await turns.next();
		if (looked !== undefined) rows.push(rowOf(run, item, looked, withRequest));
	}
	const isHeld = rows.some(({ end }) => end === 'held');
	const hints = new Map([sumOf(run, rows)]);
	addHintsOnFields(hints, run, isHeld);
	showHints(context, hints);
	return rows.map(({ json }, item) => ({ json: mask(json), pairedItem: { item } }));
}

function rowOf({ context, ledger, operation }: Run, item: number, looked: Looked, withRequest: boolean): Row {
	const { job, sameKeyAs = item, sameTextAs = item } = looked;
	if (isFailure(job)) {
		const source = sourceOf(context, operation.fields, item);
		const json = { wouldSend: false, ...readable(source), reason: reasonOf(job), notes: [], onceKey: '' };
		return { json: withRequest ? { ...json, request: null } : json, end: 'refused', notes: [] };
	}
	const { call, recipient = '' } = job.compiled;
	const isHeld = sameKeyAs !== item;
	const notes = [...looked.notes];
	if (!isHeld && sameTextAs !== item) notes.push(`The same text to the same person as item ${sameTextAs}.`);
	// The ID is made anew in each execution, unless there is a once key. So it is not shown.
	const isMade = textAt(call.body, 'packageId') === ledger.uuidOf(item);
	const body = isMade ? without({ ...call.body } as IDataObject, 'packageId') : call.body;
	const json = {
		wouldSend: !isHeld,
		recipient,
		text: textsIn(valueAt(body, 'content.text')),
		reason: isHeld ? `The same once key as item ${sameKeyAs}: Send sends it once.` : '',
		notes,
		onceKey: job.settings.onceKey ?? '',
		...(withRequest && { request: { ...without(call, 'others'), body } as IDataObject }),
	};
	return { json, end: isHeld ? 'held' : 'sent', notes };
}

/** What can be read of an item that would be refused. */
function readable(source: ParameterSource): { recipient: string; text: string } {
	const read = (name: string, of: (value: unknown) => string = textsIn): string => {
		try {
			return of(source.read(name)).replace(/\s+/g, ' ').trim();
		} catch {
			return '';
		}
	};
	const recipient = read('addressType') === 'other' ? read('toRows', valuesIn) : read('toEmail');
	return { recipient, text: read('text') };
}

/** The values in rows with a name and a value each. */
function valuesIn(rows: unknown): string {
	const values = valueAt(rows, 'values');
	return Array.isArray(values) ? values.map((row) => textsIn(valueAt(row, 'value'))).join(', ') : '';
}

function reasonOf(failure: Failure): string {
	const { message, description } = shown(failure);
	return `${asSentence(message)} ${description}`.trim();
}

/** What Send would do with all of them, and the notes on them. */
function sumOf({ context, ledger }: Run, rows: readonly Row[]): [text: string, type: 'info' | 'warning'] {
	const itemsThat = (end: Row['end']): number[] => [...rows.keys()].filter((item) => rows[item]?.end === end);
	const [sent, refused, held] = [itemsThat('sent').length, itemsThat('refused'), itemsThat('held')];
	const stops = refused.length > 0 && !continuesOnFail(context);
	const all = count(rows.length);
	const sums = [`Nothing was sent. Send would send ${count(stops ? 0 : sent)} of ${all}`];
	if (refused.length > 0) sums.push(`refused: ${namedItems(refused)}`);
	if (held.length > 0) sums.push(`the once key of an earlier item: ${namedItems(held)}`);
	const sentences = [sums.join('; ')];
	if (stops && sent > 0)
		sentences.push(`With On Error: Continue (using error output), it would send ${count(sent)} of ${all}`);
	const noted = rows.filter(({ notes }) => notes.length > 0).length;
	if (noted > 0) sentences.push(`${count(noted)} ${noted === 1 ? 'has' : 'have'} notes: ${kindsOf(rows)}`);
	if (ledger.usesKeys) sentences.push("Once keys that were used before can't be seen here");
	return [`${sentences.join('. ')}.`, refused.length + noted > 0 ? 'warning' : 'info'];
}

/** The most rows that are named for one kind of note. */
const MOST_NOTED = 10;

/** The kinds of notes, with the rows that have them, unless all have. */
function kindsOf(rows: readonly Row[]): string {
	const kinds = new Map<string, number[]>();
	for (const [item, { notes }] of rows.entries()) {
		for (const kind of new Set(notes.map(kindOfNote))) {
			const noted = kinds.get(kind);
			if (noted === undefined) kinds.set(kind, [item]);
			else noted.push(item);
		}
	}
	return [...kinds]
		.map(([kind, items]) =>
			items.length === rows.length ? kind : `${kind} (${namedItems(items, MOST_NOTED)})`,
		)
		.join('; ');
}
