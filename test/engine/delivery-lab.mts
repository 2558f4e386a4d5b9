/** What the delivery tests send, and how they look at what became of it. */
import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { LoggedRequest } from '../../dev/sandbox/types.mts';
import type { EngineOptions } from './engine.mts';
import { errorOf, type Lab, useLab } from './lab.mts';
import type { Run } from './run.mts';

/** Sets up a lab for a test file, in which the key's plan (its rate limit) is respected. */
export function useDeliveryLab(options: EngineOptions = {}): Lab {
	return useLab(options, {});
}

/** Items for `send`, each to a different recipient unless `recipients` limits them. */
export function letters(count: number, recipients = count): Array<{ to: string; text: string }> {
	return Array.from({ length: count }, (_, item) => ({
		to: `r${item % recipients}@example.com`,
		text: `text ${item}.`,
	}));
}

/** One message, and its key in `id`. */
export interface Order extends IDataObject {
	to: string;
	text: string;
	id: string;
}

/** Messages under keys that no other test uses. */
export function orders(count: number): Order[] {
	const day = randomUUID();
	return letters(count).map((letter, n) => ({ ...letter, id: `${day} ${n}` }));
}

/** Every text once. */
export function onceEach(items: ReadonlyArray<{ text: string }>): Record<string, number> {
	return Object.fromEntries(items.map(({ text }) => [text, 1]));
}

/** The text in a result or a logged send. */
export function textOf(holder: IDataObject | unknown): string | undefined {
	return (holder as { content?: { text?: string } } | null)?.content?.text;
}

/** How an item ended, and its input item. */
export function endOf(item: INodeExecutionData): { item: number; outcome: string } {
	const { pairedItem } = item;
	const index = typeof pairedItem === 'object' && !Array.isArray(pairedItem) ? pairedItem.item : -1;
	return { item: index, outcome: item.json['error'] === undefined ? 'done' : errorOf(item).outcome };
}

/** How the items of a run ended, by input item, from both outputs. */
export function endsOf(run: Run): string[] {
	const ends: string[] = [];
	const items = run.main.flat();
	// No output is a failure of n8n itself, as on a machine that is too busy, not what the test checks.
	if (items.length === 0) throw new Error(`Nothing came out: ${run.error?.message ?? run.status}`);
	for (const item of items) {
		const { item: index, outcome } = endOf(item);
		if (ends[index] !== undefined) throw new Error(`Item ${index} left twice`);
		ends[index] = outcome;
	}
	return ends;
}

/** Whether a request had ended when another one arrived. */
export function isOverBefore({ startedMs, inFlightMs }: LoggedRequest, other: LoggedRequest): boolean {
	return inFlightMs !== null && startedMs + inFlightMs <= other.startedMs;
}

/** The largest number of requests in flight at a time. */
export function mostInFlight(requests: readonly LoggedRequest[]): number {
	return Math.max(...requests.map(({ inFlight }) => inFlight), 0);
}
