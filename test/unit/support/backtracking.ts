import fc from 'fast-check';

/** A regular expression as a tree, for a matcher that counts its steps. */
export type Node =
	| { kind: 'set'; source: string; characters: string }
	| { kind: 'row'; parts: Node[] }
	| { kind: 'choice'; parts: Node[] }
	| { kind: 'repeat'; part: Node; least: number; most: number };

/** The expression's text. */
export function source(node: Node): string {
	switch (node.kind) {
		case 'set':
			return node.source;
		case 'row':
			return node.parts.map(source).join('');
		case 'choice':
			return `(${node.parts.map(source).join('|')})`;
		case 'repeat':
			return `${node.part.kind === 'set' ? source(node.part) : `(?:${source(node.part)})`}${times(node.least, node.most)}`;
	}
}

function times(least: number, most: number): string {
	if (least === 0 && most === Infinity) return '*';
	if (least === 1 && most === Infinity) return '+';
	if (least === 0 && most === 1) return '?';
	return least === most ? `{${least}}` : `{${least},${most === Infinity ? '' : most}}`;
}

/** How many steps a matcher makes that tries all ways, the greedy ones first, until one reaches the end of the text. */
export function steps(node: Node, text: string, most: number): { matched: boolean; count: number } {
	let count = 0;
	type Next = (at: number) => boolean;
	const run = (part: Node, at: number, next: Next): boolean => {
		count += 1;
		if (count > most) throw new Error(`More than ${most} steps`);
		switch (part.kind) {
			case 'set':
				return at < text.length && part.characters.includes(text.charAt(at)) && next(at + 1);
			case 'row': {
				const from = (index: number, place: number): boolean => {
					const member = part.parts[index];
					return member === undefined ? next(place) : run(member, place, (end) => from(index + 1, end));
				};
				return from(0, at);
			}
			case 'choice':
				return part.parts.some((member) => run(member, at, next));
			case 'repeat': {
				const more = (time: number, place: number): boolean => {
					// As in ECMAScript, a further time that takes no character ends the loop.
					const again = (end: number): boolean =>
						end === place && time >= part.least ? false : more(time + 1, end);
					return (time < part.most && run(part.part, place, again)) || (time >= part.least && next(place));
				};
				return more(0, at);
			}
		}
	};
	const matched = run(node, 0, (at) => at === text.length);
	return { matched, count };
}

const set: fc.Arbitrary<Node> = fc.constantFrom<Node>(
	{ kind: 'set', source: 'a', characters: 'a' },
	{ kind: 'set', source: 'b', characters: 'b' },
	{ kind: 'set', source: '[ab]', characters: 'ab' },
	{ kind: 'set', source: '[^a]', characters: 'bc' },
	{ kind: 'set', source: '\\.', characters: '' },
	{ kind: 'set', source: 'c', characters: 'c' },
);

/** Expressions over the letters a, b and c, the harmful kinds among them. */
export const anyNode: fc.Arbitrary<Node> = fc.letrec<{ node: Node }>((tie) => ({
	node: fc.oneof(
		{ maxDepth: 4, withCrossShrink: true },
		set,
		fc.record({ kind: fc.constant('row' as const), parts: fc.array(tie('node'), { maxLength: 3 }) }),
		fc.record({
			kind: fc.constant('choice' as const),
			parts: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
		}),
		fc
			.tuple(
				tie('node'),
				fc.constantFrom([0, Infinity], [1, Infinity], [0, 1], [2, 2], [2, 3], [2, Infinity]),
			)
			.map(([part, [least = 0, most = 0]]): Node => ({ kind: 'repeat', part, least, most })),
	),
})).node;
