/** Everything that `npm run docs` writes. A test compares it with the files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { operations } from '../../nodes/Messaging/operations/index.ts';
import type { OperationId } from '../cases/index.mts';
import type { Lab } from '../engine/lab.mts';
import { indexPage, operationPage, optionsPage, optionsPageName, pageName, pagesFolder } from './pages.mts';
import { recordOf, triggerRecordOf } from './record.mts';
import { refusedPage, refusedPageName } from './refused.mts';
import { stable } from './stable.mts';
import { triggerPage, triggerPageName } from './trigger-page.mts';

/** The names of all pages in `docs/operations/`. */
export const pageNames: readonly string[] = [
	...['README.md', optionsPageName, refusedPageName, triggerPageName],
	...operations.map(pageName),
];

/** The document with the table of who writes which answers. */
export const answersDocument = 'docs/internals/situations.md';

/** The text of each page, by its name. Operations and trigger run in the lab, for the examples. */
export async function writtenPages(lab: Lab): Promise<ReadonlyMap<string, string>> {
	const pages = new Map([
		['README.md', indexPage()],
		[optionsPageName, optionsPage()],
		[refusedPageName, refusedPage(readFileSync(join(pagesFolder, refusedPageName), 'utf8'))],
	]);
	for (const operation of operations) {
		const id = `${operation.resource}.${operation.name}` as OperationId;
		const name = pageName(operation);
		await lab.reset(name);
		const { example, known } = await recordOf(id, lab);
		pages.set(name, stable(operationPage(operation, example), id, known, lab.sandbox.url));
	}
	await lab.reset(triggerPageName);
	const { example, known } = await triggerRecordOf(lab);
	pages.set(triggerPageName, stable(triggerPage(example), 'trigger', known, lab.sandbox.url));
	return pages;
}
