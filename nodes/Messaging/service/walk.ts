/** What is done to the fields of a parsed body. */
export interface Edit {
	/** The name of a field as it shall be. */
	name(name: string): string;
	/**
	 * A value that is neither object nor list, as it shall be.
	 *
	 * @param field the field that it stands in, in a list or not; '' at the top
	 * @param above the field that the object around it stands in
	 */
	value(value: unknown, field: string, above: string): unknown;
	/** What is done below a field; the same unless given. */
	below?(field: string): Edit;
}

/** How deeply a body may be nested: n8n copies and saves what it gets, one level within the other. */
const DEEPEST = 500;

interface Place {
	container: object;
	field: string;
	above: string;
	depth: number;
	edit: Edit;
}

/**
 * Changes a parsed body in place, without recursion and in linear time.
 *
 * @returns the body; `undefined` when it is nested more deeply than anything can read
 */
export function edited(body: unknown, edit: Edit): unknown {
	if (!isContainer(body)) return edit.value(body, '', '');
	const places: Place[] = [{ container: body, field: '', above: '', depth: 1, edit }];
	for (let place = places.pop(); place !== undefined; place = places.pop()) {
		if (place.depth > DEEPEST) return undefined;
		visit(place, places);
	}
	return body;
}

function visit({ container, field, above, depth, edit }: Place, places: Place[]): void {
	const changed = (value: unknown, name: string, around: string): unknown => {
		if (!isContainer(value)) return edit.value(value, name, around);
		places.push({
			container: value,
			field: name,
			above: around,
			depth: depth + 1,
			edit: edit.below?.(name) ?? edit,
		});
		return value;
	};
	if (Array.isArray(container)) {
		const list: unknown[] = container;
		for (let index = 0; index < list.length; index++) list[index] = changed(list[index], field, above);
		return;
	}
	const names = Object.keys(container);
	const renames = names.some((name) => edit.name(name) !== name);
	const fields = container as Record<string, unknown>;
	for (const name of names) {
		const value = changed(fields[name], name, field);
		// Where one has a new name, all are put in anew: they keep their order.
		if (renames) delete fields[name];
		// An assignment would take a field named __proto__ for the object's prototype.
		const all = { value, writable: true, enumerable: true, configurable: true };
		if (renames) Object.defineProperty(fields, edit.name(name), all);
		else if (value !== fields[name]) fields[name] = value;
	}
}

function isContainer(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
