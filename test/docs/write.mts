/** `npm run docs`: writes the pages of `docs/operations/`, the page for models, and the table in `docs/internals/`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'expect';

import buildPackage from '../build.mts';
import { Lab } from '../engine/lab.mts';
import { writeBetween } from '../format.mts';
import { answersTable } from './answers.mts';
import { modelsPage, modelsText } from './for-models.mts';
import { pagesFolder } from './pages.mts';
import { answersDocument, writtenPages } from './written.mts';

// Cases say what is sent with jest's matchers.
Object.assign(globalThis, { expect });

async function main(): Promise<void> {
	await buildPackage();
	const lab = new Lab();
	// Engine and sandbox don't keep the process that uses them from ending.
	const awake = setInterval(() => {}, 60_000);
	try {
		await lab.open();
		const pages = await writtenPages(lab);
		rmSync(pagesFolder, { recursive: true, force: true });
		mkdirSync(pagesFolder);
		for (const [name, text] of pages) writeFileSync(join(pagesFolder, name), text);
		writeFileSync(modelsPage, modelsText());
		writeBetween(answersDocument, 'answers', 'npm run docs', answersTable());
		console.log(`Wrote ${pages.size} pages to ${pagesFolder}: look at the difference.`);
	} finally {
		clearInterval(awake);
		await lab.close();
	}
}

void main();
