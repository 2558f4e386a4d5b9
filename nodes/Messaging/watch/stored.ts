import type { IDataObject } from 'n8n-workflow';

import { BARE_UUID } from '../fields/uuid';
import { isPlainObject, type JsonObject } from '../json/plain-object';
import { Turns } from '../time/turns';
import { type Aspect, ASPECTS } from './events';
import type { Identity, Memory, Pending, PendingOf, Remembered } from './memory';

/**
 * The memory as it stands in n8n's static data, which is part of the workflow's row in the database and written as a
 * whole: a line of text for each channel, with words that many channels share written once. The event loop turns while
 * there are many.
 */

/** Goes up when the form changes in a way that older code or data can't be read by. */
const VERSION = 1;

/** The memory in the form that is saved: plain JSON. */
export async function toStored({ scope, listed, channels, pending }: Memory): Promise<IDataObject> {
	const words = new Words();
	const lines: Array<[string, string]> = [];
	const turns = new Turns();
	for (const [key, remembered] of channels) {
		lines.push([shortKey(key), toLine(remembered, words)]);
		if (turns.over) await turns.next();
	}
	const waiting = [...pending].map(([key, of]): [string, IDataObject] => [
		shortKey(key),
		Object.fromEntries(
			Object.entries(of).map(([aspect, { value, polls, since }]) => [aspect, [value, polls, since]]),
		),
	]);
	return {
		version: VERSION,
		scope,
		listed,
		words: words.list,
		channels: Object.fromEntries(lines),
		pending: Object.fromEntries(waiting),
	};
}

/** The memory that was saved; `undefined` when there is none that can be read. */
export async function fromStored(stored: unknown): Promise<Memory | undefined> {
	if (!isPlainObject(stored) || stored.version !== VERSION) return undefined;
	const { scope, listed, words, channels, pending } = stored;
	if (typeof scope !== 'string' || typeof listed !== 'number') return undefined;
	if (!Array.isArray(words) || !isPlainObject(channels) || !isPlainObject(pending)) return undefined;
	const texts = words.map(String);
	const remembered = new Map<string, Remembered>();
	const turns = new Turns();
	for (const [key, line] of Object.entries(channels)) {
		remembered.set(longKey(key), fromLine(String(line), texts));
		if (turns.over) await turns.next();
	}
	return {
		scope,
		listed,
		channels: remembered,
		pending: new Map(
			Object.entries(pending).map(([key, of]) => [longKey(key), isPlainObject(of) ? pendingOf(of) : {}]),
		),
	};
}

/** Words that are written once; a channel's line has their numbers. */
class Words {
	readonly list: string[] = [];

	private readonly numbers = new Map<string, number>();

	numberOf(word: string | undefined): string {
		if (word === undefined) return '';
		let number = this.numbers.get(word);
		if (number === undefined) {
			number = this.list.push(word) - 1;
			this.numbers.set(word, number);
		}
		return String(number);
	}
}

/** The number of each aspect's word, then of the channel's type and account, then its name; no commas at the end. */
function toLine({ state, identity }: Remembered, words: Words): string {
	const parts = ASPECTS.map((aspect) => words.numberOf(state[aspect]));
	if (identity === undefined) return parts.join(',').replace(/,{1,2}$/, '');
	parts.push(words.numberOf(identity.channelType), words.numberOf(identity.accountId), identity.name);
	return parts.join(',');
}

function fromLine(line: string, words: readonly string[]): Remembered {
	const parts = line.split(',');
	const word = (place: number): string | undefined => {
		const number = parts[place] ?? '';
		return number === '' ? undefined : words[Number(number)];
	};
	const state: Partial<Record<Aspect, string>> = {};
	ASPECTS.forEach((aspect, place) => {
		const value = word(place);
		if (value !== undefined) state[aspect] = value;
	});
	const places = ASPECTS.length;
	if (parts.length <= places) return { state };
	const identity: Identity = {
		channelType: word(places) ?? '',
		accountId: word(places + 1) ?? '',
		// A name may have commas in it.
		name: parts.slice(places + 2).join(','),
	};
	return { state, identity };
}

function pendingOf(stored: JsonObject): PendingOf {
	const read: Partial<Record<Aspect | 'listed', Pending>> = {};
	for (const aspect of [...ASPECTS, 'listed'] as const) {
		const found = stored[aspect];
		if (!Array.isArray(found)) continue;
		const [value, polls, since] = found as unknown[];
		if (typeof value === 'string' && typeof polls === 'number' && typeof since === 'string') {
			read[aspect] = { value, polls, since };
		}
	}
	return read;
}

/** A UUID in 22 characters; anything else as it is, after a character that those do not have. */
function shortKey(key: string): string {
	if (!BARE_UUID.test(key)) return `=${key}`;
	return Buffer.from(key.replaceAll('-', ''), 'hex').toString('base64url');
}

function longKey(short: string): string {
	if (short.startsWith('=')) return short.slice(1);
	const digits = Buffer.from(short, 'base64url').toString('hex');
	return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
