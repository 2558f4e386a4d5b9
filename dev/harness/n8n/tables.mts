import type { IDataObject } from 'n8n-workflow';

import type { N8nClient } from './api.mts';

/** A row of a data table, with n8n's own columns. */
export type TableRow = IDataObject & { readonly id: number; readonly createdAt: string };

interface FoundTable {
	readonly id: string;
	readonly name: string;
}

/** n8n's data tables of the owner's personal project, as its editor reads and fills them. */
export class DataTables {
	readonly #n8n: N8nClient;
	#folder: string | undefined;

	constructor(n8n: N8nClient) {
		this.#n8n = n8n;
	}

	/** All rows of a table, in the order in which they were added. */
	async rows(name: string): Promise<TableRow[]> {
		const query = new URLSearchParams({ take: '250', sortBy: 'id:asc' });
		const path = `${await this.#path(name)}/rows?${query.toString()}`;
		return ((await this.#n8n.call('GET', path)) as { data: TableRow[] }).data;
	}

	/** Adds rows to a table. */
	async insert(name: string, rows: readonly IDataObject[]): Promise<void> {
		await this.#n8n.call('POST', `${await this.#path(name)}/insert`, { data: rows, returnType: 'count' });
	}

	/** Changes the row with this ID. */
	async update(name: string, id: number, data: IDataObject): Promise<void> {
		const filter = { type: 'and', filters: [{ columnName: 'id', condition: 'eq', value: id }] };
		await this.#n8n.call('PATCH', `${await this.#path(name)}/rows`, { filter, data });
	}

	/** Deletes all tables, so that a test finds none. */
	async deleteAll(): Promise<void> {
		for (const { id } of await this.#all()) {
			await this.#n8n.call('DELETE', `${await this.#tables()}/${id}`);
		}
	}

	async #path(name: string): Promise<string> {
		const found = (await this.#all()).find((table) => table.name === name);
		if (found === undefined) throw new Error(`n8n has no data table "${name}"`);
		return `${await this.#tables()}/${found.id}`;
	}

	async #all(): Promise<FoundTable[]> {
		const path = `${await this.#tables()}?take=100`;
		return ((await this.#n8n.call('GET', path)) as { data: FoundTable[] }).data;
	}

	async #tables(): Promise<string> {
		if (this.#folder === undefined) {
			const { id } = (await this.#n8n.call('GET', '/rest/projects/personal')) as { id: string };
			this.#folder = `/rest/projects/${id}/data-tables`;
		}
		return this.#folder;
	}
}
