import { systemClock } from '../../../time/clock';
import { KeyRow } from './key-row';

/** The rows that executions in this process use, by their place in the store. */
const rows = new Map<string, KeyRow>();

/** Whoever has been met over one row is there for the others as well. */
const company = { met: false };

/** The row of a node. All executions of this process share it, because writers that overlap lose notes. */
export function rowOf(place: string): KeyRow {
	for (const [other, row] of rows) {
		if (other !== place && row.isIdle) rows.delete(other);
	}
	const row = rows.get(place) ?? new KeyRow(systemClock, Math.random, company);
	rows.set(place, row);
	return row;
}
