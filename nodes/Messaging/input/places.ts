/** A value inside JSON: its name (in a list its index) and the place of the object or list around it. */
export interface Place {
	readonly value: unknown;
	readonly name: string;
	readonly parent: Place | undefined;
}

/** A JSON value and everything inside it, level by level. Not recursive, so any depth of nesting works. */
export function* placesIn(value: unknown): Generator<Place> {
	const places: Place[] = [{ value, name: '', parent: undefined }];
	for (const parent of places) {
		yield parent;
		if (typeof parent.value !== 'object' || parent.value === null) continue;
		for (const [name, member] of Object.entries(parent.value)) places.push({ value: member, name, parent });
	}
}

/** The names on the path to a place, outermost first. */
export function namesTo(place: Place): string[] {
	const names: string[] = [];
	for (let at = place; at.parent !== undefined; at = at.parent) names.unshift(at.name);
	return names;
}
