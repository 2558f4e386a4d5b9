import type { Effort } from '../json/effort';
import { isPlainObject } from '../json/plain-object';

/** How deep a value may be nested. */
const DEEPEST = 100;

/**
 * JSON text that is the same for equal values, whatever the order of their fields; `undefined` for a value that is
 * nested too deeply or takes more effort than is left.
 */
export function canonical(value: unknown, effort: Effort, depth = DEEPEST): string | undefined {
	effort.spend(1);
	if (effort.spent || depth === 0) return undefined;
	if (Array.isArray(value)) return joined(value, (entry) => canonical(entry, effort, depth - 1), '[]');
	if (!isPlainObject(value)) return JSON.stringify(value) ?? 'undefined';
	const names = Object.keys(value);
	effort.spend(names.length);
	if (effort.spent) return undefined;
	return joined(
		names.sort(),
		(name) => {
			const member = canonical(value[name], effort, depth - 1);
			return member === undefined ? undefined : `${JSON.stringify(name)}:${member}`;
		},
		'{}',
	);
}

/** Whether two values are equal as JSON; `undefined` when that takes too much to tell. */
export function isSame(one: unknown, other: unknown, effort: Effort): boolean | undefined {
	effort.spend(1);
	if (one === other) return true;
	if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
	const [first, second] = [canonical(one, effort), canonical(other, effort)];
	return first === undefined || second === undefined ? undefined : first === second;
}

function joined<T>(
	members: readonly T[],
	textOf: (member: T) => string | undefined,
	brackets: '[]' | '{}',
): string | undefined {
	const texts: string[] = [];
	for (const member of members) {
		const text = textOf(member);
		if (text === undefined) return undefined;
		texts.push(text);
	}
	return `${brackets.charAt(0)}${texts.join(',')}${brackets.charAt(1)}`;
}
