/** Writes docs/internals/faults.md from a run of the matrix. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownTable } from '../bench/tables.ts';
import { maxTries, type Cell, type Met } from './matrix.ts';

const file = join(process.cwd(), 'docs', 'internals', 'faults.md');

const introduction = `# Fault matrix

What happens to calls when something goes wrong. Four operations are run against each fault in n8n's engine, with services that fail on purpose: \`message.send\`, \`outbox.requeue\`, \`message.edit\` and \`channel.getAll\`. All others behave like one of them: creating like sending; updating, deleting and cancelling like editing; other reads like listing. \`npm run faults -- --write\` writes these tables, and a test fails if they are no longer true. What to do: [When something goes wrong](../failures.md).

- **Sent**: how often the request left. "Max Tries times" is the number of the option, here ${maxTries}. An item that is told "later" waits for Max Wait, here 3 seconds.
- **Ends**: \`done\`, or the [outcome](../failures.md#what-you-see).
- **Retried**: what a retry of the failed execution does after the fault is gone. "Sent" makes the whole call again. "Kept back" sends nothing, because the call may have been processed: the item stays \`unknown\`.
`;

const methods = {
	once: 'Sending, requeueing',
	harmless: 'Editing',
	reading: 'Listing',
} as const;

type Kind = keyof typeof methods;

function kindOf({ call }: Cell): Kind {
	if (call.method === 'GET') return 'reading';
	return call.method === 'POST' ? 'once' : 'harmless';
}

/** The page. */
export function faultsDocument(met: ReadonlyMap<Cell, Met>): string {
	const groups = new Map<string, Map<string, Array<readonly [Cell, Met]>>>();
	const keyed = [...met].filter(([{ isOnce }]) => isOnce);
	for (const entry of met) {
		if (entry[0].isOnce) continue;
		const { group, title } = entry[0].fault;
		const rows = groups.get(group) ?? new Map<string, Array<readonly [Cell, Met]>>();
		groups.set(group, rows);
		rows.set(title, [...(rows.get(title) ?? []), entry]);
	}
	const total = `${met.size} combinations of ${new Set([...met.keys()].map(({ id }) => id)).size} operations and ${new Set([...met.keys()].map(({ fault }) => fault)).size} faults.`;
	const sections = [...groups].map(([group, rows]) => {
		const table = markdownTable(
			['Fault', 'Operations', 'Sent', 'Ends', 'Retried', 'What the user reads'],
			[...rows].flatMap(([title, entries]) => rowsOf(title, entries)),
		);
		return `## ${group}\n\n${table}`;
	});
	return [introduction, total, ...sections, withOnceKeys(keyed), ''].join('\n\n');
}

/** The section on once keys: the outcome of a retry of the execution, and of the same event delivered again. */
function withOnceKeys(entries: ReadonlyArray<readonly [Cell, Met]>): string {
	const table = markdownTable(
		['Fault', 'Sent', 'Ends', 'Retried', 'The event comes again'],
		entries.map(([cell, met]) => [
			cell.fault.title,
			sent(cell, met),
			`\`${met.outcome}\``,
			retried(met),
			met.cameAgain?.arrived.length === 0 ? `\`${met.cameAgain.outcome}\`, nothing is sent` : 'Sent again',
		]),
	);
	return `## Message: Send with a once key\n\nThe failed execution is retried. After that, the same event starts another execution with the same key. What may have been sent stays \`unknown\` until the option When Outcome Is Unknown says otherwise. What was refused, or never left, is sent by the retry.\n\n${table}`;
}

/** One row for each outcome, with all operations that have it. */
function rowsOf(title: string, entries: ReadonlyArray<readonly [Cell, Met]>): string[][] {
	const ways = new Map<string, { cells: string[]; members: Cell[] }>();
	for (const [cell, met] of entries) {
		const columns = [sent(cell, met), `\`${met.outcome}\``, retried(met), readable(met.message)];
		const way = ways.get(JSON.stringify(columns)) ?? { cells: columns, members: [] };
		ways.set(JSON.stringify(columns), way);
		way.members.push(cell);
	}
	const all = entries.map(([cell]) => cell);
	return [...ways.values()].map(({ cells, members }, n) => [
		n === 0 ? title : '',
		namesOf(members, all),
		...cells,
	]);
}

/** The shortest name for these operations. */
function namesOf(members: readonly Cell[], all: readonly Cell[]): string {
	if (members.length === all.length) return 'All';
	return (Object.keys(methods) as Kind[])
		.flatMap((kind) => {
			const own = members.filter((cell) => kindOf(cell) === kind);
			if (own.length === 0) return [];
			const isWhole = own.length === all.filter((cell) => kindOf(cell) === kind).length;
			return isWhole ? [methods[kind]] : own.map(({ id }) => `\`${id}\``);
		})
		.join('; ');
}

function sent({ fault }: Cell, { arrived }: Met): string {
	if (fault.place === 'reset on request') return 'Perhaps in part';
	if (fault.ends === 'rejected: always later') return 'Until Max Wait';
	if (arrived.length === 0) return 'Nothing';
	if (arrived.length === 1) return 'Once';
	return fault.ends === 'done later' ? 'Again when told to' : 'Max Tries times';
}

function retried({ retried: again }: Met): string {
	if (again === undefined) return '';
	return again.arrived.length === 0 ? 'Kept back' : 'Sent';
}

/** A message as a cell of a table. */
function readable(message: string): string {
	return message.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** A page without its layout, for comparison. */
export function bare(page: string): string {
	return page
		.replace(/-{3,}/g, '---')
		.replace(/[^\S\n]+/g, ' ')
		.replace(/\n{2,}/g, '\n')
		.trim();
}

/** The page on disk; '' when there is none. */
export async function readDocument(): Promise<string> {
	return await readFile(file, 'utf8').catch(() => '');
}

export async function writeDocument(text: string): Promise<void> {
	await writeFile(file, text);
}
