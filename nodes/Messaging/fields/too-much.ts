import { InvalidParameter } from './invalid-parameter';

/** How deep JSON may be nested: beyond a few thousand levels it can't be written as text any more. */
const MOST_LEVELS = 200;
/** How many values it may hold in all: what is done with each of them is done in one turn of n8n's event loop. */
const MOST_VALUES = 10_000;

/**
 * Refuses JSON that is nested too deeply or holds too much. It walks level by level, so that no depth is too much for
 * it.
 *
 * @param field the label of the field that it stands in
 * @throws InvalidParameter
 */
export function refuseTooMuch(value: unknown, field: string): void {
	let level = [value];
	let values = 0;
	for (let reached = 0; level.length > 0; reached++) {
		if (reached > MOST_LEVELS) {
			throw new InvalidParameter(field, 'is nested too deeply', `Use at most ${MOST_LEVELS} levels.`);
		}
		const next: unknown[] = [];
		for (const parent of level) {
			if (typeof parent !== 'object' || parent === null) continue;
			const children: unknown[] = Array.isArray(parent) ? parent : Object.values(parent);
			values += children.length;
			if (values > MOST_VALUES) {
				const most = MOST_VALUES.toLocaleString('en');
				throw new InvalidParameter(
					field,
					'holds too much',
					`Use at most ${most} values, those within lists counted.`,
				);
			}
			for (const child of children) if (typeof child === 'object' && child !== null) next.push(child);
		}
		level = next;
	}
}
