import { createHash } from 'node:crypto';

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g;
const TIMESTAMP = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** A link of an execution, with its number and its signature. */
const ANSWER_LINK = /\bhttps?:\/\/[^\s"]+\/webhook-waiting\/[^\s"]+/g;

/** The placeholder for times that differ in each run. */
const MOMENT = '2026-02-03T09:15:00.000Z';

/**
 * A page that is the same in every run: ids and times from the run itself, rather than from the sandbox's records, are
 * replaced with fixed ones.
 *
 * @param page its name, from which its ids are made
 * @param known a text with every id and time that is the same in every run
 * @param address the sandbox's, whose port differs
 */
export function stable(text: string, page: string, known: string, address: string): string {
	const names = new Map<string, string>();
	const nameOf = (id: string): string => {
		const name = names.get(id) ?? uuidFor(`${page} ${names.size}`);
		names.set(id, name);
		return name;
	};
	return text
		.replaceAll(address, 'https://messaging.example.com')
		.replace(ANSWER_LINK, 'https://n8n.example.com/webhook-waiting/...')
		.replace(UUID, (id) => (known.includes(id) ? id : nameOf(id)))
		.replace(TIMESTAMP, (moment) => (known.includes(moment) ? moment : MOMENT));
}

function uuidFor(name: string): string {
	const digits = createHash('sha256').update(name).digest('hex');
	return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}
