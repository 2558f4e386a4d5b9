/** The page docs/internals/faults.md, made from a run of the matrix. */
import { markdownTable } from '../bench/tables.mts';
import { maxTries, type Cell, type Met } from './matrix.mts';

const introduction = `# Fault matrix

What happens to calls when something goes wrong. Four operations are run against each fault in n8n's engine, with services that fail on purpose: \`message.send\`, \`outbox.requeue\`, \`message.edit\` and \`channel.getAll\`. All others behave like one of them: creating like sending; updating, deleting and cancelling like editing; other reads like listing. \`npx node test/faults/write.mts\` writes these tables, and a test fails if they are no longer true. What to do: [When something goes wrong](../failures.md).

A cell says how the call ends: \`done\`, or the [outcome](../failures.md#what-you-see). It leaves once, except:

- **tried again**: It leaves as often as Max Tries allows, here ${maxTries} times.
- **later**: The service asks to come back later. The item waits, for at most Max Wait, here 3 seconds.

When the fault is gone, the failed execution is retried. Then the call is made again, except:

- **kept back**: It may have been processed, so the retry sends nothing, and the item stays \`unknown\`.

Sending with a once key ends the same way. If the same event then starts another execution with the same key, nothing more is sent: the item is \`alreadySent\`, or \`unknown\` if it was kept back.`;

const columns = [
	['Sending, requeueing', 'POST'],
	['Editing', 'PUT'],
	['Listing', 'GET'],
] as const;

/** The page. */
export function faultsDocument(met: ReadonlyMap<Cell, Met>): string {
	const sections = [...Map.groupBy(met, ([{ fault }]) => fault.group)].map(([group, cells]) => {
		const rows = [...Map.groupBy(cells, ([{ fault }]) => fault.title)].map(([title, entries]) => [
			title,
			...columns.map(([, method]) => all(entries.filter(([{ call }]) => call.method === method).map(wayOf))),
			all(entries.map(([, { message }]) => message.replace(/\d\d:\d\d on \d+ \w+ \d+/, '...'))),
		]);
		const head = ['Fault', ...columns.map(([name]) => name), 'What the user reads'];
		return `## ${group}\n\n${markdownTable(head, rows)}`;
	});
	return `${[introduction, ...sections].join('\n\n')}\n`;
}

/** Different texts, each once. */
const all = (texts: readonly string[]): string => [...new Set(texts.filter(Boolean))].join(' or ');

/** How a call ended, and how often it left. */
function wayOf([{ fault }, { arrived, outcome, retried }]: readonly [Cell, Met]): string {
	const isLater = fault.ends === 'done later' || fault.ends === 'rejected: always later';
	const isAgain = !isLater && arrived.length > 1;
	const notes = [
		...(isLater ? ['later'] : []),
		...(isAgain ? ['tried again'] : []),
		...(retried?.arrived.length === 0 ? ['kept back'] : []),
	];
	return [`\`${outcome}\``, ...notes].join(', ');
}
