import { readFileSync } from 'node:fs';
import { CHANNEL, SERVICE } from '../../../../nodes/Messaging/delivery/pace/circuit.ts';

/** The table of docs/internals/gate.md that is named so, as the code writes it. */
function documented(name: string): object {
	const [, table = ''] = readFileSync('docs/internals/gate.md', 'utf8').split(
		`<!-- ${name} in circuit.ts -->`,
	);
	const rows = table.trim().split('\n\n')[0]?.split('\n') ?? [];
	const [head = [], , ...body] = rows.map((row) =>
		row
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim().replaceAll('`', '')),
	);
	return Object.fromEntries(
		body.map(([state = '', ...cells]) => [
			state,
			Object.fromEntries(
				cells.flatMap((next, n) => (next === '' ? [] : [[head[n + 1], next] as [string, string]])),
			),
		]),
	);
}

test.each([
	['SERVICE', SERVICE],
	['CHANNEL', CHANNEL],
])('the documentation shows the table of states and ends: %s', (name, table) => {
	expect(documented(name)).toEqual(table);
});
