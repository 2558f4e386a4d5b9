import { systemClock } from '../../shared/clock';
import { KeyRow } from './key-row';

/** The rows that executions in this process use, by their place in the store. */
const rows = new Map<string, KeyRow>();

/**
 * The row of a node, which all executions of this process share; one that has nothing left to do is dropped.
 *
 * @param place the `place` of its store
 */
export function rowOf(place: string): KeyRow {
	for (const [other, row] of rows) {
		if (other !== place && row.isIdle) rows.delete(other);
	}
	const row = rows.get(place) ?? new KeyRow(systemClock, Math.random);
	rows.set(place, row);
	return row;
}
