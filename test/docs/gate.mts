/** The tables of docs/internals/gate.md: when a call waits, and what the end of a request does to a circuit. */
import { CHANNEL, SERVICE } from '../../nodes/Messaging/delivery/pace/circuit.ts';
import { RULES } from '../../nodes/Messaging/delivery/pace/rules.ts';
import { markdownTable } from '../bench/tables.mts';

export const gateDocument = 'docs/internals/gate.md';

const MODES = {
	closed: '`closed`',
	untilMe: '`open`, until `/Me` is answered',
	untilCall: '`open`, then `halfOpen`, until a call is answered',
};

/** The rules in their order. */
export function rulesTable(): string {
	const rows = RULES.map(({ drawAhead, mayGetReady, reasons, when }) => [
		when,
		reasons.map((reason) => `\`${reason}\``).join(', '),
		mayGetReady ? 'yes' : 'no',
		drawAhead.toLocaleString('en-US'),
	]);
	return markdownTable(['A call waits when', 'Reason', 'May claim its key', 'Jobs drawn beside it'], rows);
}

/** The modes that follow, one row for each mode. An end that is not listed changes nothing. */
export function circuitTable(table: typeof SERVICE): string {
	const ends = [
		'call answered',
		'call refused',
		'call failed',
		'me answered',
		'me refused',
		'me failed',
	] as const;
	const used = ends.filter((end) => Object.values(table).some((row) => row?.[end] !== undefined));
	const rows = Object.entries(table).map(([mode, row]) => [
		MODES[mode as keyof typeof MODES],
		...used.map((end) => {
			const next = row?.[end];
			return next === undefined ? '' : MODES[next];
		}),
	]);
	return markdownTable(['', ...used.map((end) => end.replace('me', '`/Me`'))], rows);
}

/** All of them, by the name of their place in the document. */
export const gateTables = (): Record<string, string> => ({
	rules: rulesTable(),
	service: circuitTable(SERVICE),
	channel: circuitTable(CHANNEL),
});
